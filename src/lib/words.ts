/** @file The words of a short text, and whether an answer adds to its question. */

/** Words in lower case, however their apostrophes are set; "Klein’s" is the word "klein". */
export const wordsOf = (text: string): string[] =>
  (text.toLowerCase().replaceAll("’", "'").match(WORD) ?? []).map((word) => word.replace(/'s$/, ""));

export const contentOf = (text: string): string[] => wordsOf(text).filter((word) => !COMMON.has(word));

/**
 * Whether `question` contains all content words of `answer`. A question with choices ("the kitchen or the garden?") is answered
 * with one of them.
 */
export function onlyRepeats(answer: string, question: string): boolean {
  const asked = new Set(wordsOf(question));
  const content = contentOf(answer);
  return content.length > 0 && !asked.has("or") && content.every((word) => asked.has(word));
}

const WORD = /[\p{L}\p{N}]+(?:[-'][\p{L}\p{N}]+)*/gu;

const COMMON = new Set(
  "a an the is are was were be been to of in on at by for from with and or it its he she they his her their there".split(
    " ",
  ),
);
