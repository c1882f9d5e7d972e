/** @file Words of nearly the same meaning, for the words of a question that no stored sentence has. */

import { otherForms, stemTerm } from "./wordForms.ts";
import lines from "./nearWords.json" with { type: "json" };

/** Each line is a word with its near words, likest first. */
const byStem: ReadonlyMap<string, readonly string[]> = new Map(
  lines.toReversed().map((line) => {
    const [word = "", ...near] = line.split(" ");
    return [stemTerm(word), near];
  }),
);

export const nearWords = (word: string): readonly string[] => [
  ...(byStem.get(stemTerm(word)) ?? []),
  ...otherForms(word),
];
