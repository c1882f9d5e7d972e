import { expect, test } from "vitest";
import { listProblem } from "./listProblem.ts";

test.each([
  ["16, 32", null],
  ["16, x", "“x” is no number from 0 on; write them as in 16, 32, 64, 128."],
  ["-4", "“-4” is no number from 0 on; write them as in 16, 32, 64, 128."],
  ["16 32", "“16 32” is no number from 0 on; write them as in 16, 32, 64, 128."],
  ["16, 2.5", "“2.5” must be a whole number."],
  [" , ", "At least one number is needed, e.g. 16, 32, 64, 128."],
])("a study's sizes: %s", (text, problem) => {
  expect(listProblem(text, "16, 32, 64, 128")).toBe(problem);
});

test("numbers with a point where the usual ones have it, and what is no list of numbers", () => {
  expect(listProblem("0.25, 1", "0.3, 0.45")).toBeNull();
  expect(listProblem("anything", "template, novel")).toBeNull();
});
