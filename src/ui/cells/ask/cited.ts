/** @file The recalled facts that an answer cites, as they are in the memory now. */

import type { Answer, PartAnswer, Reconstruction } from "../../../records/answer.ts";
import { factsOf, INSTEAD } from "../../../records/headline.ts";
import type { FactRow } from "../../../records/notebook.ts";

export interface CitedFact {
  readonly key: string;
  readonly fact: Reconstruction;
  /** Deleted since the answer was given; unknown (false) while the memory has not been read. */
  readonly gone: boolean;
}

type Rows = ReadonlyMap<string, FactRow> | null;

const withState =
  (rows: Rows) =>
  (fact: Reconstruction): CitedFact => ({ key: fact.key, fact, gone: rows !== null && !rows.has(fact.id) });

/** Cited facts in source order. `rows` null: the memory has not been read yet. */
export function citedFacts({ cited, recalled }: Answer, rows: Rows): readonly CitedFact[] {
  const keys = new Set(cited);
  return recalled.filter(({ key }) => keys.has(key)).map(withState(rows));
}

/** The sentences that stand with one part of an answer: those its short answer rests on, then the nearest ones. */
export function evidenceOf(answer: Answer, part: PartAnswer, rows: Rows): readonly CitedFact[] {
  const rests = INSTEAD[part.verdict] === null ? new Set(part.cited) : new Set<string>();
  const nearest = factsOf(answer, part.evidence);
  return [
    ...nearest.filter(({ key }) => rests.has(key)),
    ...nearest.filter(({ key }) => !rests.has(key)),
  ].map(withState(rows));
}

/** A notebook that came without its memory, or whose facts were all deleted. */
const NOTHING_HERE =
  "The memory that this answer came from is empty in this browser now: import it, or memorise its sources, to ask again.";

/** Whether the memory would still know: what is to be said of an answer whose facts were deleted since. */
export function sinceDeleted(cited: readonly CitedFact[], rows: Rows): string | null {
  const gone = cited.filter((fact) => fact.gone);
  if (gone.length === 0) return null;
  if (rows?.size === 0) return NOTHING_HERE;
  const keys = gone.map(({ key }) => key).join(", ");
  const verb = gone.length === 1 ? "has" : "have";
  return gone.length === cited.length
    ? `${keys} ${verb} been deleted since. Ask again to see whether the memory still knows.`
    : `${keys}, on which this answer rests in part, ${verb} been deleted since.`;
}
