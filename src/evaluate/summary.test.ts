/** @file Figures of samples that are made up: shared texts, missing answers, predictions of others. */

import { describe, expect, it } from "vitest";
import { wilson } from "../lib/stats.ts";
import type { Evaluation, SampleRecord } from "../records/evaluation.ts";
import { imported } from "./exchange/imports.ts";
import { report } from "./report.ts";
import { headerOf } from "./runs/header.ts";
import { merged } from "./runs/file.ts";
import { accuracies, accuracy, attributions, comparisons, shownShares } from "./summary.ts";
import { INPUTS } from "./testing/stories.ts";
import { NO_EVIDENCE, UNALTERABLE } from "./unanswered.ts";

const SCORER = "ruler-part";

/** A sample of its own text, with nothing kept. */
const sample = (
  index: number,
  method: string,
  score: number,
  over: Partial<SampleRecord> = {},
): SampleRecord => ({
  ...({
    kind: "sample",
    id: `${index} ${method}`,
    benchmark: "b",
    task: "t",
    length: "",
    depth: null,
    index,
    method,
  } as const),
  ...({
    variant: "whole",
    question: `Question ${index}?`,
    gold: ["gold"],
    evidence: [],
    labels: null,
  } as const),
  ...{
    textHash: `hash ${index}`,
    cluster: `text ${index}`,
    characters: 0,
    promptHash: null,
    prompt: null,
    raw: null,
  },
  ...{
    answer: "",
    scores: { [SCORER]: score },
    stages: null,
    kept: { tokens: 0, bytes: 0 },
    promptTokens: 0,
  },
  ...{ milliseconds: { prepare: 0, answer: 0 }, error: null },
  ...over,
});

const many = (n: number, of: (index: number) => SampleRecord): SampleRecord[] =>
  Array.from({ length: n }, (_, i) => of(i));

const runOf = (samples: readonly SampleRecord[]): Evaluation => {
  const all = (of: (one: SampleRecord) => string): string[] => [...new Set(samples.map(of))];
  const header = headerOf({
    ...INPUTS,
    benchmark: "b",
    primary: SCORER,
    tasks: all(({ task }) => task),
    lengths: all(({ length }) => length),
    methods: all(({ method }) => method),
  });
  return { header, samples };
};

describe("an interval", () => {
  it("of questions over one text is that of one question, and the text is counted beside n", () => {
    const samples = many(40, (i) => sample(i, "ours", 1, { cluster: "one" }));
    expect(accuracy(samples, SCORER)).toMatchObject({ n: 40, texts: 1, interval: wilson(1, 1) });
    expect(report(runOf(samples))).toContain("100 [21, 100] n = 40 over 1 text");
    const own = many(40, (i) => sample(i, "ours", 1));
    expect(accuracy(own, SCORER)).toMatchObject({ n: 40, texts: 40, interval: wilson(40, 40) });
    expect(report(runOf(own))).toContain("100 [91, 100] n = 40 ");
  });

  it("is no wider than over texts alone where these decide nothing", () => {
    const samples = many(100, (i) => sample(i, "ours", i % 2, { cluster: `text ${Math.floor(i / 10)}` }));
    expect(accuracy(samples, SCORER).interval).toEqual(wilson(50, 100));
  });

  it("of scores between 0 and 1 over few texts is not narrower than that of right and wrong", () => {
    const samples = many(30, (i) => sample(i, "ours", 0.5, { cluster: `text ${i % 3}` }));
    expect(accuracy(samples, SCORER).interval).toEqual(wilson(1.5, 3));
  });
});

describe("what has no answer", () => {
  it("is wrong, whatever the method, and is counted", () => {
    const samples = many(10, (i) =>
      sample(i, "ours", 1, i < 4 ? { error: "runtime: the device was lost" } : {}),
    );
    expect(accuracy(samples, SCORER)).toMatchObject({ n: 10, unanswered: 4, score: 0.6 });
    expect(report(runOf(samples))).toMatch(/60 \[\d+, \d+\] n = 10, 4 unanswered/);
    const other = many(10, (i) => sample(i, "rag", 1));
    expect(comparisons(runOf([...samples, ...other]), "ours")).toMatchObject([{ n: 10, only: [0, 4] }]);
  });

  it("counts for nothing where nothing was asked", () => {
    const samples = many(4, (i) => sample(i, "ours-routed", 0, { error: i < 2 ? NO_EVIDENCE : UNALTERABLE }));
    expect(accuracy(samples, SCORER)).toMatchObject({ n: 0, unanswered: 0, interval: [0, 1] });
    expect(report(runOf(samples))).toMatch(/\| ours-routed +\| - +\|/);
  });
});

describe("two methods", () => {
  const over = (texts: number, score: (i: number) => number) => {
    const of = (method: string, value: (i: number) => number) =>
      many(60, (i) => sample(i, method, value(i), { cluster: `text ${i % texts}` }));
    return comparisons(runOf([...of("ours", score), ...of("rag", () => 0)]), "ours")[0]!;
  };

  it("are not told apart by fewer than six texts, however clear it looks", () => {
    for (const score of [() => 1, (i: number) => 0.5 + i / 200]) {
      expect(over(5, score).told).toBe(false);
      expect(over(6, score).told).toBe(true);
    }
  });

  it("are held together by what they were asked, not by its place", () => {
    const own = many(8, (i) => sample(i, "ours", 1));
    const elsewhere = many(8, (i) => sample(i, "rag", 0, { question: `Another question ${i}?` }));
    expect(comparisons(runOf([...own, ...elsewhere]), "ours")).toEqual([]);
  });
});

describe("predictions of others", () => {
  const file = (rows: readonly (readonly [question: string, target: string])[]) => ({
    name: "samples.jsonl",
    text: rows
      .map(([question, target]) =>
        JSON.stringify({ doc: { question, task: "t" }, target, filtered_resps: ["gold"] }),
      )
      .join("\n"),
  });
  const beside = (own: readonly SampleRecord[], rows: Parameters<typeof file>[0]) => {
    const run = runOf(own);
    return comparisons(merged([run, imported(file(rows), "theirs", run.header)], "both"), "ours");
  };

  it("stand beside ours by their question, whatever their row", () => {
    const own = many(8, (i) => sample(i, "ours", i % 2));
    const backwards = own.map(({ question }) => [question, "gold"] as const).toReversed();
    expect(beside(own, backwards)).toMatchObject([{ n: 8, only: [0, 4] }]);
    expect(
      beside(own, [
        ["Question 3?", "gold"],
        ["Question 5?", "silver"],
        ["Who?", "gold"],
      ]),
    ).toMatchObject([{ n: 1, only: [0, 0] }]);
  });

  it("to questions that many stories ask stand beside ours only where all are asked in the same order", () => {
    const asked = (i: number) => `Where is ${["Mary", "John", "Sandra"][i % 3]}?`;
    const own = many(9, (i) => sample(i, "ours", 1, { question: asked(i), labels: ["gold", "silver"] }));
    const rows = own.map(({ question }) => [question, "gold"] as const);
    expect(beside(own, rows)).toMatchObject([{ n: 9 }]);
    expect(beside(own, [...rows.slice(1), rows[0]!])).toEqual([]);
  });
});

it("a preset's failures are checked by the oracles under that preset", () => {
  const stages = { stored: true, routed: true, recalled: false, failed: "reconstruction" } as const;
  const failed = (method: string) => sample(0, method, 0, { stages });
  const samples = [
    failed("ours"),
    failed("ours:paper"),
    sample(0, "ours-stored", 0),
    sample(0, "ours-stored:paper", 1),
  ];
  const borne = attributions(runOf(samples)).map(({ method, rows }) => [
    method,
    rows.find(({ outcome }) => outcome === "reconstruction")!.confirmed,
  ]);
  expect(borne).toEqual([
    ["ours", 0],
    ["ours:paper", 1],
  ]);
  const lost = sample(0, "ours-stored", 0, { error: "runtime: the device was lost" });
  const [row] = attributions(
    runOf([sample(0, "ours", 0, { stages: { ...stages, recalled: true, failed: "answer" } }), lost]),
  );
  expect(row!.rows.map(({ checked }) => checked)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(accuracies(runOf(samples))).toHaveLength(4);
});

it("counts what is shown: places of a sentence that answers, and short answers that are right, wrong or not given", () => {
  const shown = (index: number, place: number | null, short: boolean, f1: number): SampleRecord =>
    sample(index, "ours", 0, {
      evidence: index === 3 ? [] : ["It is so."],
      scores: { "longbench-f1": f1 },
      shown: { place, short },
    });
  const samples = [
    ...[shown(0, 1, true, 0.5), shown(1, 4, true, 0.4), shown(2, null, false, 0.9)],
    ...[shown(3, null, true, 1), sample(4, "rag", 1)],
  ];
  const [cell, ...others] = shownShares({ header: headerOf(INPUTS), samples });
  expect(others).toEqual([]);
  const counted = Object.entries(cell!.shares).map(([name, share]) => [
    name,
    Math.round(share.score * share.n),
    share.n,
  ]);
  expect(counted).toEqual([
    ...[
      ["in 1", 1, 3],
      ["in 3", 1, 3],
      ["in 5", 2, 3],
      ["in 24", 2, 3],
    ],
    ...[
      ["right", 2, 4],
      ["wrong", 1, 4],
      ["declined", 1, 4],
    ],
  ]);
});
