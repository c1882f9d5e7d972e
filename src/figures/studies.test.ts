/** @file Figures of runs: the recorded runs of docs/runs, and made ones. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { groupBy } from "../lib/group.ts";
import { readStudy } from "../evaluate/runs/file.ts";
import { RUN_FORMAT } from "../records/evaluation.ts";
import type { CaseRecord, Run } from "../records/run.ts";
import { SHARP } from "../records/params.ts";
import { STUDY_INFO } from "../records/studies.ts";
import { wilson } from "../lib/stats.ts";
import { toCsv } from "./figure.ts";
import { readableColumns } from "./registry.ts";
import { gateGrid, studyCurve, studyTable } from "./studies.ts";
import { fromCsv } from "./testing/readFigure.ts";

const made = (cases: readonly CaseRecord[], preset: "sharp" | "paper" = "sharp"): Run => ({
  header: {
    kind: "study",
    key: "0",
    format: RUN_FORMAT,
    id: `r-${preset}`,
    study: "capacity",
    settings: {},
    params: { ...SHARP, preset },
    seed: 1,
    backend: "cpu",
    model: "m@1",
    app: "0",
    created: "2026-01-01T00:00:00Z",
  },
  cases,
});
const one = (size: number, exact: number, n = 0): CaseRecord => ({
  kind: "case",
  id: `capacity/${size}/${n}`,
  inputs: { kind: "template", preset: "sharp", size },
  measures: { exact, fidelity: null },
  milliseconds: 1,
});

describe("a run", () => {
  it("has means over the cases that share x and line, and says how many", () => {
    const { rows, caption } = studyCurve(made([one(32, 1), one(16, 0.5), one(16, 1, 1)]));
    expect(rows).toMatchObject([
      { panel: "exact (share)", x: 16, line: "sharp, template", value: 0.75 },
      { panel: "exact (share)", x: 32, value: 1 },
    ]);
    expect(caption).toContain("at most 2");
  });

  it("has beside each share of facts its interval and their number, in tables in the share's own cell", () => {
    const of = (preset: string, exact: number) => {
      const inputs = { kind: "template", preset, size: 16, fixed: 40 };
      const measures = { exact, fidelity: exact };
      return { ...one(16, exact), id: `capacity/${preset}`, inputs, measures };
    };
    const run = made([of("sharp", 1), of("paper", 0.25)]);
    const curve = studyCurve(run);
    const [low, high] = wilson(10, 40);
    expect(curve.rows[1]).toMatchObject({ value: 0.25, low, high, n: 40 });
    expect(curve.rows.map(({ panel, n }) => [panel, n])).toEqual([
      ["exact (share)", 40],
      ["exact (share)", 40],
      ["fidelity (token F1)", null],
      ["fidelity (token F1)", null],
    ]);
    expect(curve.caption).toContain("differ significantly: exact, 1 of 1 pair.");
    const shown = readableColumns(curve).map(({ name }) => name);
    expect(shown).toContain("value");
    expect(shown).not.toContain("low");
    expect(studyTable(run).rows[0]).toMatchObject({ exactN: 40 });
    const few = studyCurve({
      ...run,
      cases: run.cases.map((each) => ({ ...each, inputs: { ...each.inputs, fixed: 4 } })),
    });
    expect(few.caption).toContain("n is too small");
    // One that does not say how many it asked has no interval.
    const old = studyCurve(made([one(16, 0.5)]));
    expect(old.rows[0]).toMatchObject({ value: 0.5, low: null, n: null });
    expect(old.caption).not.toContain("Whiskers");
  });

  it("of schedules has a line for each refinement, or one along all steps where no two share theirs", () => {
    const of = (schedules: readonly (readonly [number, number])[]): Run => {
      const run = made([]);
      return {
        header: { ...run.header, study: "steps" },
        cases: schedules.map(([guided, refine]) => ({
          kind: "case",
          id: `steps/${guided}+${refine}`,
          inputs: { kind: "template", preset: "sharp", guided, refine },
          measures: { exact: guided / 100 },
          milliseconds: 1,
        })),
      };
    };
    const lines = (run: Run) => studyCurve(run).rows.map(({ x, line }) => [x, line]);
    const grid = of([
      [5, 0],
      [10, 0],
      [5, 20],
    ]);
    expect(lines(grid)).toEqual([
      [5, "sharp, template, no refinement"],
      [5, "sharp, template, 20 refinement steps"],
      [10, "sharp, template, no refinement"],
    ]);
    const single = of([
      [5, 0],
      [20, 10],
    ]);
    expect(lines(single)).toEqual([
      [5, "sharp, template"],
      [30, "sharp, template"],
    ]);
    expect(studyCurve(single).columns.find(({ name }) => name === "x")!.label).toContain(
      "guided and refinement",
    );
    // Beside a run that has lines, its points are put on them.
    expect(studyCurve(single, grid).rows.map(({ x }) => x)).toEqual([5, 5, 5, 10, 20]);
  });

  it("lists its cases by their numbers, not by their letters", () => {
    const ids = (list: readonly string[]): unknown[] =>
      studyTable({ ...made([]), cases: list.map((id) => ({ ...one(1, 1), id })) }).rows.map(({ id }) => id);
    expect(ids(["a/16", "a/8", "a/128"])).toEqual(["a/8", "a/16", "a/128"]);
    expect(ids(["a/0.6/5", "a/0.45/20", "a/0.45/5"])).toEqual(["a/0.45/5", "a/0.45/20", "a/0.6/5"]);
  });

  it("stands beside another of the same study on one scale, never of a different one", () => {
    const [a, b] = [made([one(16, 1)]), made([one(16, 0.25)], "paper")];
    expect(studyCurve(a, b).rows.map(({ line, value }) => [line, value])).toEqual([
      ["A: sharp, template", 1],
      ["B: sharp, template", 0.25],
    ]);
    expect(studyCurve(a, b).caption).toContain("r-paper (paper");
    const other = { ...b, header: { ...b.header, study: "gates" as const } };
    expect(() => studyCurve(a, other)).toThrow(/capacity cannot be compared with one of gates/);
  });
});

const RUNS = "docs/runs";
const recorded = readdirSync(RUNS).filter((name) => name.endsWith(".jsonl"));

describe("recorded runs", () => {
  const runs = new Map(
    recorded.map((name) => [name, readStudy(readFileSync(`${RUNS}/${name}`, "utf8"), name)!]),
  );

  it("there is one of every study, small enough for the page", () => {
    for (const study of Object.keys(STUDY_INFO)) expect(existsSync(`${RUNS}/${study}.jsonl`)).toBe(true);
    for (const name of recorded) expect(readFileSync(`${RUNS}/${name}`).length).toBeLessThan(200_000);
  });

  it.each([...runs])("%s: its table and curve hold its cases, also when read back from CSV", (_, run) => {
    const table = studyTable(run);
    expect(table.rows).toHaveLength(run.cases.length);
    for (const { id, measures } of run.cases)
      expect(table.rows.find((row) => row["id"] === id)).toMatchObject(measures);
    expect(fromCsv(toCsv(table))).toEqual(table);
    const curve = studyCurve(run);
    // Every point of the first measure has a case, and every case is in a point.
    const first = curve.rows.filter(({ panel }) => panel === curve.rows[0]!.panel);
    expect(first.length).toBeLessThanOrEqual(run.cases.length);
    expect(new Set(curve.rows.map(({ x, line }) => `${x} ${line}`)).size).toBe(first.length);
    expect(curve.rows.every(({ x }) => Number.isFinite(x))).toBe(true);
    expect(fromCsv(toCsv(curve))).toEqual(curve);
  });

  it("in sharp the exact rate does not fall with the store", () => {
    const { rows } = studyCurve(runs.get("capacity.jsonl")!);
    const exactRows = rows.filter(({ panel }) => panel === "exact (share)");
    const lines = groupBy(exactRows, ({ line }) => line);
    const sharp = [...lines].filter(([name]) => name.startsWith("sharp"));
    expect(sharp.length).toBeGreaterThan(0);
    for (const [, line] of sharp) {
      const exact = line.map(({ value }) => value);
      expect(exact.length).toBeGreaterThan(2);
      expect(new Set(exact).size).toBe(1);
    }
  });

  it("a gate sweep is a whole grid", () => {
    const { rows } = gateGrid(runs.get("gates.jsonl")!, "exact");
    const [thetas, betas] = [new Set(rows.map(({ column }) => column)), new Set(rows.map(({ row }) => row))];
    expect(rows).toHaveLength(thetas.size * betas.size);
  });
});
