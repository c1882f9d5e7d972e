/** @file A text without its evidence, or with another answer in it. */

import type { Case } from "../records/evaluation.ts";

/** The case with every sentence of its evidence taken out of the text. */
export const withoutEvidence = (given: Case): Case => ({
  ...given,
  text: given.evidence.reduce((text, sentence) => replaceAll(text, sentence, ""), given.text).trim(),
  evidence: [],
});

/**
 * The case with `other` in place of its answer wherever the evidence names it; `other` is then what is right. Null where
 * the evidence does not name the answer.
 */
export function altered(given: Case, other: string): Case | null {
  const answer = given.gold.find((gold) => given.evidence.some((sentence) => names(sentence, gold)));
  if (answer === undefined) return null;
  const changed = given.evidence.map((sentence) => sentence.replaceAll(word(answer), () => other));
  const text = given.evidence.reduce(
    (whole, sentence, i) => replaceAll(whole, sentence, changed[i]!),
    given.text,
  );
  return { ...given, text, gold: [other], evidence: changed };
}

const replaceAll = (text: string, sentence: string, by: string): string =>
  sentence === "" ? text : text.replaceAll(sentence, () => by);

const word = (text: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?![\\p{L}\\p{N}])`, "gu");

const names = (sentence: string, answer: string): boolean => word(answer).test(sentence);
