/** @file Answers judged by hand by NoLiMa's rule. */

import type { Judged } from "./judged.ts";

/** Any gold anywhere in the answer as it stands. */
export const NOLIMA: readonly Judged[] = [
  {
    question: "Which character has been to Dresden?",
    gold: ["Yuki"],
    labels: null,
    answers: [
      ["Yuki", 1],
      ["Yuki.", 1],
      ["Yuki's", 1],
      ["  Yuki  ", 1],
      ['"Yuki"', 1],
      ["**Yuki**", 1],
      ["The character is Yuki", 1],
      ["yuki", 0, "case counts"],
      ["YUKI", 0],
      ["Miyuki", 0],
      ["Yukiko", 1, "a name inside another one counts"],
      ["", 0],
      ["Veronica", 0],
      ["Yu ki", 0],
      ["Yu-ki", 0],
      ["Y\u200buki", 0, "a space of no width is a character"],
      ["Yuki or Stuart", 1],
      ["Not Yuki", 1],
      ["Let us see.\nYuki", 1],
      ["Yuki\nFinal answer: Stuart", 1, "every line is read"],
      ["Stuart. Yuki", 1],
      ["<context>Yuki", 1],
      ["Stuart\nQuestion: Yuki", 1],
      ["Yuki\u0000", 1],
    ],
  },
  {
    question: "Which character cannot drink milk?",
    gold: ["Katie", "Kate"],
    labels: null,
    answers: [
      ["Katie", 1],
      ["Kate", 1],
      ["Katie and Kate", 1],
      ["Kat", 0],
      ["KATE", 0],
      ["Kathy", 0],
    ],
  },
  {
    question: "Which character lives in Madrid?",
    gold: ["Jos\u00e9"],
    labels: null,
    answers: [
      ["Jos\u00e9", 1],
      ["Jose", 0],
      ["Jose\u0301", 0],
      ["jos\u00e9", 0],
      ["JOS\u00c9", 0],
    ],
  },
  {
    question: "Which character lives in Madrid?",
    gold: ["Jose\u0301"],
    labels: null,
    answers: [
      ["Jose\u0301", 1],
      ["Jos\u00e9", 0],
    ],
  },
  {
    question: "Who is the physician?",
    gold: ["Dr. Lee"],
    labels: null,
    answers: [
      ["Dr. Lee", 1],
      ["Dr. Leeds", 1],
      ["Dr Lee", 0],
      ["Dr.  Lee", 0],
      ["Dr.\nLee", 0],
    ],
  },
  {
    question: "Which character?",
    gold: ["Anna"],
    labels: null,
    answers: [
      ["Annabel", 1],
      ["Anna-Maria", 1],
      ["Joanna", 0, "its anna is lower-case"],
      ["Hanna", 0],
    ],
  },
  {
    question: "Which number?",
    gold: ["42"],
    labels: null,
    answers: [
      ["42.0", 1],
      ["142", 1],
      ["4 2", 0],
      ["forty-two", 0],
    ],
  },
  {
    question: "Which character?",
    gold: [" Yuki"],
    labels: null,
    answers: [
      ["It is Yuki", 1],
      ["Yuki", 0, "golds are not stripped"],
      [" Yuki", 1, "nor are answers"],
    ],
  },
];
