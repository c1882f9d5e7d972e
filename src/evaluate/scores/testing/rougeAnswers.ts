/** @file Answers for ROUGE-L, with the F1 of the longest common subsequence worked out by hand. */

import type { Judged } from "./judged.ts";

export const ROUGE: readonly Judged[] = [
  {
    question: "Where did the cat go?",
    gold: ["A dense forest slope", "in a dense forest"],
    labels: null,
    answers: [
      ["a dense forest", 6 / 7, "all three words of the second, which has four"],
      ["A DENSE-FOREST slope!", 1, "marks and case do not count"],
      ["slope", 2 / 5, "one word, of one and of four"],
      ["forest dense a", 2 / 7, "one word in order, of three and of four"],
      ["home", 0, "nothing in common"],
    ],
  },
];
