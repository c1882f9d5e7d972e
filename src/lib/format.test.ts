import { expect, test } from "vitest";
import { many, toldOf, withoutArea } from "./format.ts";

test.each([
  ["hub: there is no such repository", "There is no such repository"],
  ["engine: zip: the file is cut off", "The file is cut off"],
  ["The question is empty. Write one.", "The question is empty. Write one."],
  ['notebook: cells[5].kind is "quiz"', 'cells[5].kind is "quiz"'],
  ["palimpsest-6m: not a model", "palimpsest-6m: not a model"],
  ["", ""],
])("%j is said as %j", (message, said) => {
  expect(withoutArea(message)).toBe(said);
});

test("whatever was thrown is told without its area", () => {
  expect(toldOf(new Error("store: the room is full"))).toBe("The room is full");
  expect(toldOf("csv: the quoted cell does not end")).toBe("The quoted cell does not end");
});

test("a number and its noun stand as a reader writes them", () => {
  expect([0, 1, 999, 12345].map((n) => many(n, "fact"))).toEqual([
    "0 facts",
    "1 fact",
    "999 facts",
    "12,345 facts",
  ]);
});
