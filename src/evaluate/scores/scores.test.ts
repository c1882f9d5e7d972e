import { describe, expect, test } from "vitest";
import {
  BABILONG_LABELS,
  longBenchWords,
  type ScorerName,
  SCORERS,
  scoresOf,
  type Target,
} from "./scorers.ts";

const qa1: Target = { question: "Where is Mary?", gold: ["kitchen"], labels: BABILONG_LABELS["qa1"]! };
const qa4: Target = {
  question: "What is the bathroom east of?",
  gold: ["bedroom"],
  labels: BABILONG_LABELS["qa4"]!,
};
const qa5: Target = {
  question: "What did Fred give to Jeff?",
  gold: ["football"],
  labels: BABILONG_LABELS["qa5"]!,
};
const who: Target = {
  question: "Who gave the milk to Jeff?",
  gold: ["Mary"],
  labels: BABILONG_LABELS["qa5"]!,
};
const open = (...gold: string[]): Target => ({ question: "Who?", gold, labels: null });

/** answer, target, score; each worked out by hand from the rules of PROTOCOLS.md, sections 4 to 6. */
type Row = readonly [answer: string, target: Target, score: number | null];

const STRICT: readonly Row[] = [
  ["The most recent location of Mary is kitchen.", qa1, 1],
  ["KITCHEN", qa1, 1],
  ["The kitchen, not the office.", qa1, 0], // two labels
  ["The kitchen. Before that the office.", qa1, 1], // only the first sentence counts
  ["Mr. Smith saw her in the kitchen.", qa1, 0], // which ends at "Mr"
  ["kitchen<example>office", qa1, 1],
  ["kitchen <context> garden", qa1, 1],
  ["kitchen Question: office", qa1, 0], // that cut never fires
  ["kitchenette", qa1, 1], // substrings, not words
  ["the bathroom", qa1, 0],
  ["", qa1, 0],
  ["bathroom bedroom", qa4, 1], // a label of the question is no claim
  ["bathroom", qa4, 0],
  ["bedroom or garden", qa4, 0],
  ["Fred gave the football to Jeff", qa5, 1], // both names are the question's
  ["Fred gave the football to Bill", qa5, 0],
  ["football and milk", qa5, 0],
  ["mary", who, 1],
  ["Maryland", who, 1],
  ["anything", open("anything"), null],
];

const SUBSTRING: readonly Row[] = [
  ["The kitchen, not the office.", qa1, 1], // the older rule forgives it
  ["Before that, the office. Now the kitchen.", qa1, 0],
  ["Mr. Smith is in the kitchen", qa1, 0],
  ["office<example>kitchen", qa1, 0],
  ["The Kitchen", qa1, 1],
  ["bedroom or garden", qa4, 1],
  ["Fred gave the football to Bill", qa5, 1],
];

const HARNESS: readonly Row[] = [
  ["Before that, the office. Now the kitchen.", qa1, 1], // nothing is cut
  ["office<example>kitchen", qa1, 1],
  ["kit\u0000chen", qa1, 0], // a control character is a line end
  ["\tkitchen\n", qa1, 1],
  ["the bathroom", qa1, 0],
  ["x", { ...qa1, gold: [" kitchen "] }, 0],
  ["kitchen", { ...qa1, gold: [" kitchen "] }, 1], // the target is trimmed
];

const RULER: readonly Row[] = [
  ["In the 10th and 11th centuries.", open("10th and 11th centuries", "in the 10th century"), 1],
  ["FRANCE", open("France"), 1],
  ["Franc", open("France"), 0],
  ["Denmark,\u0007Iceland", open("Denmark,\nIceland"), 1], // the bell is a line end
  ["the Normans. They came from France.", open("France"), 1], // nothing is cut
  ["", open("France"), 0],
];

const NOLIMA: readonly Row[] = [
  ["It is Katsuo.", open("Katsuo"), 1],
  ["It is katsuo.", open("Katsuo"), 0], // its case counts
  ["Katsuos", open("Katsuo"), 1],
];

const F1: readonly Row[] = [
  ["The cat sat", open("a cat sat"), 1], // articles go
  ["cat, sat!", open("Cat sat"), 1], // so do punctuation and case
  ["cat sat on mat", open("cat mat"), 2 / 3], // precision 2/4, recall 2/2
  ["dog", open("cat"), 0],
  ["cat cat", open("cat"), 2 / 3], // precision 1/2, recall 1
  ["dog", open("cat", "big dog"), 2 / 3], // the best of the golds
  ["", open("cat"), 0],
  ["the", open("a"), 0], // nothing is left of either
];

const ROUGE: readonly Row[] = [
  ["in a deep forest", open("the deep dark forest"), 0.5], // "deep forest": precision 2/4, recall 2/4
  ["forest deep", open("deep forest"), 0.5], // the order counts
  ["The King’s son", open("king's son"), 6 / 7], // king, s, son of four and of three words
  ["dog", open("cat", "the dog"), 2 / 3], // the best of the golds
  ["", open("cat"), 0],
];

const TABLES: Readonly<Record<ScorerName, readonly Row[]>> = {
  "babilong-strict": STRICT,
  "babilong-substring": SUBSTRING,
  "babilong-harness": HARNESS,
  "ruler-part": RULER,
  "nolima-contains": NOLIMA,
  "longbench-f1": F1,
  "rouge-l": ROUGE,
};

describe.each(Object.entries(TABLES))("%s", (name, rows) => {
  test.each(rows)("%j", (answer, target, score) => {
    const found = SCORERS[name as ScorerName].score(answer, target);
    if (score === null) expect(found).toBeNull();
    else expect(found).toBeCloseTo(score, 12);
  });
});

test("words of LongBench: punctuation joins, quotes of other kinds stay, an article inside a word stays", () => {
  expect(longBenchWords("The well-known “Theatre”, a.b. an anthem")).toEqual([
    "wellknown",
    "“theatre”",
    "ab",
    "anthem",
  ]);
  expect(longBenchWords("à la carte")).toEqual(["à", "la", "carte"]);
});

test("every scorer speaks of every answer", () => {
  expect(scoresOf("kitchen", qa1)).toEqual({
    "babilong-strict": 1,
    "babilong-substring": 1,
    "babilong-harness": 1,
    "ruler-part": 1,
    "nolima-contains": 1,
    "longbench-f1": 1,
    "rouge-l": 1,
  });
});
