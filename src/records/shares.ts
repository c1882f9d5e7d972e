/** @file What is counted over a set of judged questions: shares with their intervals, and where questions failed. */

import { wilson } from "../lib/stats.ts";
import { FAILED_STAGES, SENTENCES_SHOWN, type Attribution } from "./judge.ts";

/** A question that was judged. */
export interface JudgedQuestion {
  /** Whether the texts hold an answer to it. */
  readonly answerable: boolean;
  readonly judgement: Attribution;
}

/** `n` of `of`, with the 95 % interval of the share (Wilson). */
export interface Share {
  readonly n: number;
  readonly of: number;
  readonly interval: readonly [number, number];
}

/** What is counted over a set of questions, in the order in which it is told. */
export const SHARE_LABELS = {
  right: "right: the short answer, or rightly none",
  stored: "needed sentence stored",
  routed: "needed sentence routed",
  recalled: "needed sentence recalled word for word",
  shownOfRecalled: `of these, among the ${SENTENCES_SHOWN} sentences shown first`,
  rightShort: "short answer shown and right",
  wrongUnmarked: "short answer shown unmarked and wrong (all questions)",
  wrongMarked: "short answer shown with a doubt and wrong (all questions)",
  falseNotInMemory: "“Not in memory” although the sentence is stored",
} as const;
export type ShareName = keyof typeof SHARE_LABELS;

/** The shares over `rows`. */
export function sharesOf(rows: readonly JudgedQuestion[]): Readonly<Record<ShareName, Share>> {
  const share = (of: readonly JudgedQuestion[], holds: (judgement: Attribution) => boolean): Share => {
    const n = of.filter(({ judgement }) => holds(judgement)).length;
    return { n, of: of.length, interval: wilson(n, of.length) };
  };
  const answerable = rows.filter((row) => row.answerable);
  return {
    right: share(rows, ({ failed }) => failed === null),
    stored: share(answerable, ({ stored }) => stored),
    routed: share(answerable, ({ routed }) => routed),
    recalled: share(answerable, ({ recalled }) => recalled),
    shownOfRecalled: share(
      answerable.filter(({ judgement }) => judgement.recalled),
      ({ shown }) => shown,
    ),
    rightShort: share(answerable, ({ short }) => short === "right"),
    wrongUnmarked: share(rows, ({ short, marked }) => short === "wrong" && !marked),
    wrongMarked: share(rows, ({ short, marked }) => short === "wrong" && marked),
    falseNotInMemory: share(
      answerable.filter(({ judgement }) => judgement.stored),
      ({ notInMemory }) => notInMemory,
    ),
  };
}

/** How many of `rows` failed at each stage. */
export const failuresOf = (rows: readonly JudgedQuestion[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    FAILED_STAGES.map((stage) => [stage, rows.filter(({ judgement }) => judgement.failed === stage).length]),
  );
