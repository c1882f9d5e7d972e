/** @file The questions asked in a cell: newest first, recalled with the arrow keys, asked again, removed. */

import type { AskCell, FactRow } from "../../../records/notebook.ts";
import {
  INSTEAD,
  factsOf,
  type Answer,
  type PartAnswer,
  type Reconstruction,
} from "../../../records/answer.ts";

export type AskOutput = NonNullable<AskCell["output"]>;
export type Exchange = AskOutput["history"][number];

export function earlierQuestions(history: readonly Exchange[]): readonly string[] {
  return [...new Set(history.map(({ answer }) => answer.question))];
}

export interface Recall {
  readonly at: number;
  readonly draft: string;
}
export const NOT_RECALLING: Recall = { at: -1, draft: "" };

/** The text of the box and the place in the list after an arrow key; null if the key should move the caret. */
export function recallQuestion(
  recall: Recall,
  text: string,
  questions: readonly string[],
  older: boolean,
): { recall: Recall; text: string } | null {
  const at = recall.at + (older ? 1 : -1);
  if (at < -1 || at >= questions.length) return null;
  const draft = recall.at === -1 ? text : recall.draft;
  return { recall: { at, draft }, text: at === -1 ? draft : questions[at]! };
}

/** The output without one exchange, told by when it was made; null when it was the last. */
export function withoutExchange(output: AskOutput, at: string): AskOutput | null {
  const history = output.history.filter(({ stamp }) => stamp.at !== at);
  return history.length === 0 ? null : { ...output, history };
}

/** Puts the entries of `before` back in their places; newer entries stay. */
export function withExchanges(output: AskOutput | null, before: AskOutput | null): AskOutput | null {
  if (!output || !before) return output ?? before;
  const here = new Set(output.history.map(({ stamp }) => stamp.at));
  const back = before.history.filter(({ stamp }) => !here.has(stamp.at));
  const history = [...output.history, ...back].sort((a, b) => (a.stamp.at < b.stamp.at ? 1 : -1));
  return { ...output, history };
}

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
