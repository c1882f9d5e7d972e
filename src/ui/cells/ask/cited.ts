/** @file The recalled facts that an answer cites, as they are in the memory now. */

import type { Answer, Reconstruction } from "../../../records/answer.ts";
import type { FactRow } from "../../../records/notebook.ts";

export interface CitedFact {
  readonly key: string;
  readonly fact: Reconstruction;
  /** Deleted since the answer was given; unknown (false) while the memory has not been read. */
  readonly gone: boolean;
}

/** Cited facts in source order. `rows` null: the memory has not been read yet. */
export function citedFacts(
  { cited, recalled }: Answer,
  rows: ReadonlyMap<string, FactRow> | null,
): readonly CitedFact[] {
  const keys = new Set(cited);
  return recalled
    .filter(({ key }) => keys.has(key))
    .map((fact) => ({ key: fact.key, fact, gone: rows !== null && !rows.has(fact.id) }));
}

/** Whether the memory would still know: what is to be said of an answer whose facts were deleted since. */
export function sinceDeleted(cited: readonly CitedFact[]): string | null {
  const gone = cited.filter((fact) => fact.gone);
  if (gone.length === 0) return null;
  const keys = gone.map(({ key }) => key).join(", ");
  const verb = gone.length === 1 ? "has" : "have";
  return gone.length === cited.length
    ? `${keys} ${verb} been deleted since. Ask again to see whether the memory still knows.`
    : `${keys}, on which this answer rests in part, ${verb} been deleted since.`;
}
