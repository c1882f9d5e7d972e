import { expect, test } from "vitest";
import { listProblem } from "../cells/experiment/ExperimentCell.tsx";

test.each([
  ["16, 32", null],
  ["16, x", "“x” is not a number of 0 or more; write numbers as in 16, 32, 64, 128."],
  ["-4", "“-4” is not a number of 0 or more; write numbers as in 16, 32, 64, 128."],
  ["16 32", "“16 32” is not a number of 0 or more; write numbers as in 16, 32, 64, 128."],
  ["16, 2.5", "“2.5” must be a whole number."],
  [" , ", "Enter at least one number, e.g. 16, 32, 64, 128."],
])("a study's sizes: %s", (text, problem) => {
  expect(listProblem(text, "16, 32, 64, 128")).toBe(problem);
});

test("numbers with a point where the usual ones have it, and what is no list of numbers", () => {
  expect(listProblem("0.25, 1", "0.3, 0.45")).toBeNull();
  expect(listProblem("anything", "template, novel")).toBeNull();
});
