import { describe, expect, it } from "vitest";
import { runText } from "../testing/stories.ts";
import { readRun } from "./file.ts";
import { caseClock, Pace, paceOf, sampleClock, type Cost } from "./pace.ts";

it("expects what samples of the same method and length took, on average", () => {
  const pace = new Pace();
  pace.add("ours", "4k", 10_000);
  pace.add("ours", "4k", 14_000);
  expect(pace.expect("ours", "4k")).toBe(12_000);
  expect(pace.expect("rag", "4k")).toBeNull();
});

it("scales by tokens from one other length, and takes the line through two", () => {
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

it("adds up the samples that are left, and gives null while one of their methods was never measured", () => {
  let time = 0;
  const waiting = [
    ["a", "ours", "4k"],
    ["b", "ours", "4k"],
    ["c", "ours", "4k"],
    ["d", "ours", "8k"],
    ["e", "rag", "4k"],
    ["f", "rag", "4k"],
  ].map(([id, method, length]) => [id!, { method: method!, length: length! }] as const);
  const clock = sampleClock(new Map(waiting), () => time);
  time += 1000;
  clock.finished("a");
  expect(clock.left()).toBeNull();
  time += 10;
  clock.finished("e");
  expect(clock.left()).toBe(1000 + 1000 + 2000 + 10);
  time += 2000;
  clock.finished("d");
  time += 10;
  clock.finished("f");
  expect(clock.left()).toBe(2000);
});

describe("the time that is left of a study", () => {
  /** Two groups of two cases: ten facts to encode for each, ten to recall for a case. */
  const COST: Cost = { group: (id) => id[0]!, encodes: 10, recalls: 10 };
  const IDS = new Set(["a1", "a2", "b1", "b2"]);

  it("is not known before anything was done, and falls to nothing at a constant pace", () => {
    let time = 0;
    const clock = caseClock(COST, IDS, () => time);
    const encoded = (share: number, at: number): void => {
      time = at;
      clock.encoded!(share);
    };
    const finished = (id: string, at: number): void => {
      time = at;
      clock.finished(id);
    };
    expect(clock.left()).toBeNull();
    // A unit a second: 10 for each group, 3 for each case.
    encoded(0.5, 5000);
    expect(clock.left()).toBeCloseTo(27_000);
    encoded(1, 10_000);
    finished("a1", 13_000);
    expect(clock.left()).toBeCloseTo(19_000);
    finished("a2", 16_000);
    encoded(1, 26_000);
    finished("b1", 29_000);
    finished("b2", 32_000);
    expect(clock.left()).toBeCloseTo(0);
  });

  it("leaves out the cases that a continued run has", () => {
    let time = 0;
    const clock = caseClock(COST, new Set(["b2"]), () => time);
    time = 10_000;
    clock.encoded!(1);
    expect(clock.left()).toBeCloseTo(3000);
  });

  it("does not count a pause", () => {
    let time = 0;
    const clock = caseClock(COST, IDS, () => time);
    time = 5000;
    clock.encoded!(0.5);
    time = 3_605_000;
    clock.encoded!(0.6);
    expect(clock.left()!).toBeLessThan(60_000);
  });
});
