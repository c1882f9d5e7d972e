import { expect, it } from "vitest";
import { readRun } from "./runFile.ts";
import { Left, Pace, paceOf } from "./pace.ts";
import { runText } from "./testing/stories.ts";

it("expects what samples of the same method and length took, on average", () => {
  const pace = new Pace();
  pace.add("ours", "4k", 10_000);
  pace.add("ours", "4k", 14_000);
  expect(pace.expect("ours", "4k")).toBe(12_000);
  expect(pace.expect("rag", "4k")).toBeNull();
});

it("goes by the tokens where another length was measured, and by two lengths where there are two", () => {
  const pace = new Pace();
  pace.add("ours", "4k", 8000);
  expect(pace.expect("ours", "16k")).toBe(32_000);
  pace.add("ours", "8k", 16_000);
  expect(pace.expect("ours", "16k")).toBe(32_000);
  // Reading the window takes as long whatever the text: no line goes below zero.
  pace.add("truncation", "4k", 900);
  pace.add("truncation", "8k", 900);
  expect(pace.expect("truncation", "2M")).toBe(900);
  pace.add("odd", "8k", 5000);
  pace.add("odd", "16k", 10);
  expect(pace.expect("odd", "2M")).toBe(0);
});

it("counts a memory that two methods of a case share once", async () => {
  const [sample] = readRun(await runText(), "run")!.samples;
  const milliseconds = { prepare: 6000, answer: 500 };
  const two = ["ours", "ours-stored"].map((method) => ({
    ...sample!,
    id: method,
    method,
    length: "4k",
    milliseconds,
  }));
  const pace = paceOf(two);
  expect([pace.expect("ours", "4k"), pace.expect("ours-stored", "4k")]).toEqual([6500, 500]);
});

it("adds up what is left, and says nothing while one of its methods was never measured", () => {
  const left = new Left();
  for (const length of ["4k", "4k", "8k"]) left.add("ours", length);
  left.add("rag", "4k");
  const pace = new Pace();
  pace.add("ours", "4k", 1000);
  expect(left.time(pace)).toBeNull();
  pace.add("rag", "4k", 10);
  expect(left.time(pace)).toBe(1000 + 1000 + 2000 + 10);
  left.take("ours", "8k");
  left.take("rag", "4k");
  expect(left.time(pace)).toBe(2000);
});
