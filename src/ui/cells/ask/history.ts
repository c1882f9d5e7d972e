/** @file The questions asked in a cell: newest first, recalled with the arrow keys, asked again, removed. */

import type { AskCell } from "../../../records/notebook.ts";

export type AskOutput = NonNullable<AskCell["output"]>;
export type Exchange = AskOutput["history"][number];

/** Earlier questions without repetitions, newest first. */
export function earlierQuestions(history: readonly Exchange[]): readonly string[] {
  return [...new Set(history.map(({ answer }) => answer.question))];
}

/** Where the arrow keys are in the earlier questions; at -1 the box holds what the person was writing. */
export interface Recall {
  readonly at: number;
  readonly draft: string;
}
export const NOT_RECALLING: Recall = { at: -1, draft: "" };

/**
 * The text of the box and the place in the list after one press, `older` for Up; null where the key should do what
 * it does in any text box.
 */
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

/** The output with what `before` held of old put back at its place; what was asked meanwhile stays. */
export function withExchanges(output: AskOutput | null, before: AskOutput | null): AskOutput | null {
  if (!output || !before) return output ?? before;
  const here = new Set(output.history.map(({ stamp }) => stamp.at));
  const back = before.history.filter(({ stamp }) => !here.has(stamp.at));
  const history = [...output.history, ...back].sort((a, b) => (a.stamp.at < b.stamp.at ? 1 : -1));
  return { ...output, history };
}
