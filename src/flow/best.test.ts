import { describe, expect, test } from "vitest";
import { spanOf } from "./shortAnswer.ts";

const marked = (sentence: string, words: string): string | null => {
  const span = spanOf(sentence, words);
  return span && sentence.slice(...span);
};

describe("the marked words", () => {
  test.each([
    ["The press costs €2,450.00 with tax.", "€2", "€2,450.00"],
    ["The press costs €2,450.00 with tax.", "2", "€2,450.00"],
    ["It starts at 9:45 on Friday.", "9", "9:45"],
    ["Mary went to the kitchen.", "Kitchen.", "kitchen"],
    ["“I am Tom’s uncle,” he said.", "tom's uncle", "Tom’s uncle"],
    ["The fee is 19 % of it.", "19", "19 %"],
    ["She paid 300€ in cash.", "300", "300€"],
  ])("%s, %s", (sentence, words, expected) => {
    expect(marked(sentence, words)).toBe(expected);
  });

  test.each([
    ["Mary went to the kitchen.", "garden"],
    ["The partner left.", "part"],
    ["He has 1234 sheep.", "23"],
    ["Nothing.", "…?"],
  ])("%s does not have %s", (sentence, words) => {
    expect(spanOf(sentence, words)).toBeNull();
  });
});
