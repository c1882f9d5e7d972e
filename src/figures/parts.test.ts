/** @file Figures of values in parts count every vector once, and tell a learnt start from zero. */

import { expect, it } from "vitest";
import { layerIndex } from "../records/ids.ts";
import type { PartRow } from "../records/notebook.ts";
import { stepsByLength, stepsWritten, vectorsPerFact } from "./parts.ts";

const SOURCE = { run: "test", at: "2026-11-22T00:00:00Z", backend: "cpu", model: "m", app: "0" } as const;

const part = (tokens: number, steps: number, started?: "zero" | "learned"): PartRow => ({
  part: 1,
  layer: layerIndex(0),
  tokens,
  steps,
  recalled: null,
  exact: true,
  fidelity: 1,
  deltaNorm: 1,
  ...(started ? { started } : {}),
});

const FACTS = [
  { tokens: 5, steps: 20, exact: true },
  { tokens: 24, steps: 30, exact: true, parts: [part(12, 20), part(12, 10, "zero")] },
  { tokens: 25, steps: 9, exact: false, parts: [part(12, 4, "learned"), part(13, 5, "learned")] },
  { tokens: 6, steps: 12, exact: true, started: "zero" as const },
  { tokens: 6, steps: 2, exact: true, started: "learned" as const },
];

it("vectors a fact: facts by how many they take", () => {
  const { rows, caption } = vectorsPerFact(FACTS, SOURCE);
  expect(rows).toEqual([
    { vectors: 1, exact: 3, inexact: 0 },
    { vectors: 2, exact: 1, inexact: 1 },
  ]);
  expect(caption).toContain("5 facts in 7 vectors");
  expect(vectorsPerFact([], SOURCE).rows).toEqual([]);
  const whole = { tokens: 6, steps: 2, exact: true };
  const four = { ...whole, parts: Array.from({ length: 4 }, () => part(3, 2, "zero")) };
  // A number that no fact has keeps its place on the axis.
  expect(vectorsPerFact([whole, four], SOURCE).rows.map(({ vectors }) => vectors)).toEqual([1, 2, 3, 4]);
});

it("steps by length: those of parts, not of whole facts", () => {
  const { rows } = stepsByLength(FACTS, SOURCE);
  expect(rows.map(({ tokens, facts, median }) => [tokens, facts, median])).toEqual([
    [5, 1, 20],
    [6, 2, 7],
    [12, 3, 10],
    [13, 1, 5],
  ]);
});

it("steps while the memory is written: in order, a vector of an older version counts as from zero", () => {
  const { rows, caption } = stepsWritten(FACTS, SOURCE);
  expect(rows).toHaveLength(7);
  expect(rows.map(({ zero, learned }) => [zero, learned])).toEqual([
    [20, null],
    [20, null],
    [10, null],
    [null, 4],
    [null, 5],
    [12, null],
    [null, 2],
  ]);
  expect(rows.reduce((sum, { zeroParts, learnedParts }) => sum + zeroParts + learnedParts, 0)).toBe(7);
  expect(caption).toContain("15.5 steps (n = 4) from zero, 3.7 steps (n = 3)");
  const alone = stepsWritten([FACTS[0]!], SOURCE).caption;
  expect(alone).toContain("20.0 steps (n = 1) from zero.");
  expect(alone).not.toContain("learnt");
  const many = stepsWritten(
    Array.from({ length: 100 }, () => FACTS[0]!),
    SOURCE,
  ).rows;
  expect(many).toHaveLength(16);
  expect([many[0]!.from, many.at(-1)!.to]).toEqual([1, 100]);
  expect(stepsWritten([], SOURCE).rows).toEqual([]);
});
