/**
 * @file The form of an answer that was judged by hand: what the benchmark's own rule gives it, worked out from the rule
 * (shared/PROTOCOLS.md, upstream's source) before any scorer was read.
 */

import type { Target } from "../scorers.ts";

/** What a model said, the score that is right (null where the rule does not apply), and why where that is odd. */
export type JudgedAnswer = readonly [answer: string, score: number | null, why?: string];

/** Answers to one question. */
export interface Judged extends Target {
  readonly answers: readonly JudgedAnswer[];
}

/** Labels of qa1 to qa4. */
export const PLACES = ["bathroom", "bedroom", "garden", "hallway", "kitchen", "office"];
/** Labels of qa5. */
export const PEOPLE_AND_THINGS = ["Bill", "Fred", "Jeff", "Mary", "apple", "football", "milk"];
