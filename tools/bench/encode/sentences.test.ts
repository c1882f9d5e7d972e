import { describe, expect, it } from "vitest";
import { MADE_SENTENCES, pickSentences } from "./sentences.ts";

const TASKS = [
  ["A went home.", "A went home.", "B went home."],
  ["C is north.", "A went home.", "D is south."],
];

describe("the sentences of the benchmark", () => {
  it("takes the tasks in turn, every sentence once", () => {
    expect(pickSentences(TASKS, "babi", 4).sentences).toEqual([
      "A went home.",
      "C is north.",
      "B went home.",
      "D is south.",
    ]);
  });

  it("says how many come from where", () => {
    expect(pickSentences(TASKS, "both", 5)).toMatchObject({ babi: 3, made: 2 });
    expect(pickSentences([], "made", 5)).toMatchObject({ babi: 0, made: 5 });
  });

  it("refuses more than there are, with both numbers", () => {
    expect(() => pickSentences(TASKS, "babi", 9)).toThrow(/9 sentences of source "babi".*4 of bAbI/);
    expect(() => pickSentences([], "babi", 1)).toThrow(/0 of bAbI/);
  });

  it("holds distinct made sentences", () => {
    expect(new Set(MADE_SENTENCES).size).toBe(MADE_SENTENCES.length);
  });
});
