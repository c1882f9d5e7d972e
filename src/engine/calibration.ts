/**
 * @file Tests of a text embedder on made pairs: how near it puts unrelated texts, and whether it can tell a question's own
 * answer from others.
 */

import { dot } from "../lib/vector.ts";
import texts from "./calibrationTexts.json" with { type: "json" };

/**
 * Questions, each with a text that answers it in other words: a sentence and questions about it, as routing documents
 * hold them. No text is related to another question.
 */
export const MADE_PAIRS = texts.pairs as unknown as readonly (readonly [question: string, text: string])[];
export const MADE_QUESTIONS = MADE_PAIRS.map(([question]) => question);
export const MADE_ANSWERS = MADE_PAIRS.map(([, text]) => text);

/** Sentences without a common topic. */
export const NEUTRAL: readonly string[] = texts.neutral;

/** Cosines of unit vectors of the pairs: [question][answer]. */
export const pairCosines = (
  questions: readonly Float32Array[],
  answers: readonly Float32Array[],
): number[][] => questions.map((question) => answers.map((answer) => dot(question, answer)));

/** How many questions are nearest to their own answer. */
export const toldApart = (cosines: readonly (readonly number[])[]): number =>
  cosines.filter((row, i) => row.every((cosine, j) => j === i || cosine < row[i]!)).length;

/**
 * The cosine from which two texts count as near: only one in fifty unrelated pairs reaches it. If an embedder cannot tell
 * half of the pairs apart, no cosine does.
 */
export function calibratedFloor(cosines: readonly (readonly number[])[]): number {
  if (toldApart(cosines) < cosines.length / 2) return NEVER_NEAR;
  const unrelated = cosines.flatMap((row, i) => row.filter((_, j) => j !== i)).sort((a, b) => a - b);
  return unrelated[Math.floor(unrelated.length * (1 - UNRELATED_SHARE))] ?? NEVER_NEAR;
}

const UNRELATED_SHARE = 0.02;
/** Above every cosine. */
const NEVER_NEAR = 2;
