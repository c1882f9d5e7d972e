import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { readRun, merged } from "../evaluate/runs/file.ts";
import { runText } from "../evaluate/testing/stories.ts";
import { groupBy } from "../lib/group.ts";
import { wilson } from "../lib/stats.ts";
import type { Evaluation } from "../records/evaluation.ts";
import { toCsv, type Figure, type Row } from "./figure.ts";
import { breakEven } from "../evaluate/summary.ts";
import { evaluationFigures } from "./registry.ts";
import { fromCsv } from "./testing/readFigure.ts";

const source = { run: "test", at: "2026-01-01T00:00:00Z", backend: "cpu", model: "m@1", app: "0" };
const made = new Map<Evaluation, ReturnType<typeof evaluationFigures>>();
/** The figures of an evaluation, made once. */
function figuresOf(evaluation: Evaluation) {
  const figures = made.get(evaluation) ?? evaluationFigures(evaluation, source);
  made.set(evaluation, figures);
  return figures;
}
const rowsOf = (evaluation: Evaluation, id: string): readonly Row[] =>
  figuresOf(evaluation).find((figure) => figure.id === id)!.rows;

const stories = merged([readRun(await runText(), "stories")!], "stories");
const FILE = "docs/runs/babilong/run.jsonl.gz";
const recorded = merged([readRun(gunzipSync(readFileSync(FILE)).toString(), FILE)!], FILE);

it("every figure of a recorded evaluation has the columns it says, and reads back from its files", () => {
  for (const figure of figuresOf(recorded) as readonly Figure[]) {
    const names = figure.columns.map(({ name }) => name);
    for (const row of figure.rows) expect(Object.keys(row).toSorted()).toEqual(names.toSorted());
    expect(fromCsv(toCsv(figure))).toEqual(figure);
  }
});

it("accuracies are those of the tables, with their intervals", () => {
  const own = recorded.samples.filter(
    ({ task, length, method, variant }) =>
      task === "qa1" && length === "0k" && method === "ours-routed" && variant === "whole",
  );
  const right = own.filter(({ scores }) => scores["babilong-strict"] === 1).length;
  const ours = rowsOf(recorded, "accuracy-by-length").find((row) => row["line"] === "ours-routed");
  expect(ours).toMatchObject({ panel: "qa1", x: "0k", value: right / own.length, n: own.length });
  // All are right: questions of one story are worth at least one of them (Kish's effective size), at most each of them.
  expect(right).toBe(own.length);
  const sizes = [...groupBy(own, ({ cluster }) => cluster).values()].map((story) => story.length);
  const size = own.length ** 2 / sizes.reduce((sum, questions) => sum + questions ** 2, 0);
  expect(ours!["low"]).toBeGreaterThanOrEqual(wilson(size, size)[0]);
  expect(ours!["low"]).toBeLessThanOrEqual(wilson(own.length, own.length)[0]);
  // What does not fit the window is not answered, and wrong.
  const full = rowsOf(stories, "accuracy-by-length").filter((row) => row["line"] === "full");
  expect(full.map((row) => [row["x"], row["value"]])).toEqual([
    ["all", 1],
    ["long", 0],
  ]);
});

it("the caption speaks of shaded lengths only if a length fits the window", () => {
  const renamed = (length: string) => ({
    ...stories,
    header: { ...stories.header, lengths: [length], model: { ...stories.header.model, window: 2048 } },
    samples: stories.samples.map((sample) => ({ ...sample, length })),
  });
  const figureOf = (length: string) =>
    evaluationFigures(renamed(length), source).find(({ id }) => id === "accuracy-by-length")!;
  expect(figureOf("1M")).toMatchObject({ guides: [], caption: expect.not.stringContaining("Shaded") });
  expect(figureOf("1k")).toMatchObject({
    guides: [{ label: "fits the window" }],
    caption: expect.stringContaining("Shaded"),
  });
});

it("outcomes of our method add up to its samples, and methods without stages have none", () => {
  const bars = rowsOf(recorded, "attribution");
  const own = recorded.samples.filter(
    ({ method, variant }) => method.split(":")[0] === "ours" && variant === "whole",
  );
  expect(own.length).toBeGreaterThan(10);
  expect(bars.reduce((sum, row) => sum + Number(row["samples"]), 0)).toBe(own.length);
  expect(rowsOf(stories, "attribution")).toEqual([]);
});

it("a map needs two tasks or lengths, a curve along depths a few set places", () => {
  const [tasks, lengths] = [stories.header.tasks.slice(0, 1), stories.header.lengths.slice(0, 1)];
  const one = { ...stories, header: { ...stories.header, tasks, lengths } };
  expect(rowsOf(one, "task-by-length")).toEqual([]);
  expect(rowsOf(recorded, "task-by-length").length).toBeGreaterThan(0);
  expect(rowsOf(stories, "task-by-length").length).toBeGreaterThan(0);
  expect(rowsOf(recorded, "accuracy-by-depth")).toEqual([]);
  const deep = { ...stories, samples: stories.samples.map((one) => ({ ...one, depth: one.index / 4 })) };
  const latest = rowsOf(deep, "accuracy-by-depth").filter((row) => row["line"] === "latest");
  expect(new Set(latest.map((row) => row["x"]))).toEqual(new Set([0, 25, 50, 75]));
});

it.each([
  [
    { prepareSeconds: 30, answerSeconds: 1 },
    { prepareSeconds: 0, answerSeconds: 4 },
    "quicker from 10 questions on",
  ],
  [{ prepareSeconds: 30, answerSeconds: 4 }, { prepareSeconds: 0, answerSeconds: 4 }, "never quicker"],
  [
    { prepareSeconds: 0, answerSeconds: 1 },
    { prepareSeconds: 1, answerSeconds: 1 },
    "quicker from the first question on",
  ],
  [
    { prepareSeconds: 0, answerSeconds: 2 },
    { prepareSeconds: 5, answerSeconds: 1 },
    "quicker up to 5 questions",
  ],
])("of %j and %j the first is %s", (a, b, words) => expect(breakEven(a, b)).toBe(words));
