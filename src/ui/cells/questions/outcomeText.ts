/** @file The numbers of a question set in words. */

import { mcnemar } from "../../../lib/paired.ts";
import type { AskedQuestion } from "../../../records/notebook.ts";
import type { JudgedQuestion, Share } from "../../../records/shares.ts";

/** The questions that an answer was expected to. */
export const judgedOf = (questions: readonly AskedQuestion[]): readonly JudgedQuestion[] =>
  questions.flatMap(({ answers, judged }) =>
    judged ? [{ answerable: (answers?.length ?? 0) > 0, judgement: judged }] : [],
  );

/** "9 of 12, 75 %". */
export const shareText = ({ n, of }: Share): string => `${n} of ${of}, ${Math.round((100 * n) / of)} %`;

/** "47 to 91 %". */
export const intervalText = ({ interval: [low, high] }: Share): string =>
  `${Math.round(100 * low)} to ${Math.round(100 * high)} %`;

/** How many questions that both runs judged are right now and were not, and the other way about. */
export function changesBetween(
  before: readonly AskedQuestion[],
  after: readonly AskedQuestion[],
): { readonly gained: number; readonly lost: number } {
  const was = new Map(before.map(({ ask, judged }) => [ask, judged]));
  const changed = after.flatMap(({ ask, judged }) => {
    const then = was.get(ask);
    return judged && then ? [[then.failed === null, judged.failed === null] as const] : [];
  });
  return {
    gained: changed.filter(([then, now]) => !then && now).length,
    lost: changed.filter(([then, now]) => then && !now).length,
  };
}

/** Whether two runs are told apart by the questions that changed, for the end of a sentence. */
export function toldText(gained: number, lost: number): string {
  const p = mcnemar(gained, lost);
  const shown = p < 0.001 ? "< 0.001" : `= ${p.toFixed(3)}`;
  const verdict = p < 0.05 ? "the runs are told apart" : "too few changed one way to tell the runs apart";
  return gained + lost === 0 ? "" : `: ${verdict} (McNemar p ${shown})`;
}
