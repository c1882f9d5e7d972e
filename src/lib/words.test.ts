import { expect, test } from "vitest";
import { askingWho, contentOf, onlyRepeats, wordsOf } from "./words.ts";

test("words are the same with straight and with curly apostrophes", () => {
  expect(wordsOf("Over at Klein’s hotel; it wasn’t QX-417.")).toEqual(
    wordsOf("Over at Klein's hotel; it wasn't QX-417."),
  );
  expect(contentOf("The code of Klein’s hotel")).toEqual(["code", "klein", "hotel"]);
});

test.each([
  ["lorry", "What is the registration of the lorry?", true],
  ["Pontellier", "How old was Mr. Pontellier’s son?", true],
  ["the lorry, SK72", "What is the registration of the lorry?", false],
  ["kitchen", "Is Mary in the kitchen or in the garden?", false],
  ["It is", "Where is Mary?", false],
  ["", "Where is Mary?", false],
])("%j to %j only repeats the question: %j", (answer, question, repeats) => {
  expect(onlyRepeats(answer, question)).toBe(repeats);
});

test.each([
  ["Which guest left early?", "who left early?"],
  ["In the end, which young man came?", "In the end, who came?"],
  ["Which key opens the shed?", "Which key opens the shed?"],
  ["Which doctoral thesis won?", "Which doctoral thesis won?"],
  ["Which guest room is free?", "Which guest room is free?"],
  ["Which women's club met?", "Which women's club met?"],
])("%s asks as %s", (question, asked) => {
  expect(askingWho(question)).toBe(asked);
});
