/** @file The GPU benchmark on the processor, with a tiny shape: that each figure is measured, and how the table reads. */

import { expect, it } from "vitest";
import { measureCase } from "../src/bench/gpu/cases.ts";
import { betterLimits, measureLimits } from "../src/bench/gpu/limits.ts";
import { FORMAT, type GpuCase } from "../src/bench/gpu/record.ts";
import { factsOf, SOURCE_TOKENS } from "../src/bench/gpu/response.ts";
import { table } from "../src/bench/gpu/table.ts";
import { vectorBytes } from "../src/records/memory.ts";
import { createNodeDevice } from "../src/runtime/node.ts";
import { madeModelFiles } from "./madeModel.ts";
import { madeWeights } from "./madeWeights.ts";

const LIMITS = { bytesPerSecond: 1e9, flopsPerSecond: 1e10, uploadBytesPerSecond: 1e9 };

it("measures what a device can do", async () => {
  const device = await createNodeDevice({ backend: "cpu", threads: 1 });
  const limits = await measureLimits(device, 0);
  for (const found of Object.values(limits)) expect(found > 0 && Number.isFinite(found)).toBe(true);
  expect(betterLimits({ ...LIMITS, flopsPerSecond: 2 }, { ...LIMITS, bytesPerSecond: 3 })).toEqual(LIMITS);
  expect(device.ledger.total).toBe(0);
  await device.dispose();
});

it("measures a made model and sets each figure beside its limit", async () => {
  const device = await createNodeDevice({ backend: "cpu", threads: 1 });
  const { figures, limits } = await measureCase(
    device,
    madeModelFiles("tiny"),
    "q8",
    LIMITS,
    () => undefined,
  );
  expect(limits).toEqual(LIMITS);
  // How fast, and how near its limit, is for the benchmark: a test beside other work on the same machine cannot tell.
  const { load, prefill, decode, encodeStep, facts, recall, peaks, response } = figures;
  for (const { value, limit, ratio } of [
    load,
    prefill,
    decode,
    encodeStep,
    facts.ours,
    recall.one,
    recall.many,
  ])
    for (const number of [value, limit, ratio]) expect(number > 0 && Number.isFinite(number)).toBe(true);
  expect(facts.ratio).toBeCloseTo(facts.ours.value / facts.naive, 6);
  expect(figures.recorded).toBeNull();
  for (const purpose of ["weights", "vectors", "encode", "activation"] as const)
    expect(peaks.byPurpose[purpose]).toBeGreaterThan(0);
  expect(peaks.byPurpose.weights).toBeGreaterThanOrEqual(figures.weights);
  expect(device.ledger.total).toBe(0);

  expect(response.map(({ facts: count }) => count)).toEqual(SOURCE_TOKENS.map(factsOf));
  const [few, , , most] = response;
  expect(most!.stored).toBe(vectorBytes(49_152, { dFf: 256, dModel: 128 }, "compact"));
  expect(most!.vectors).toBeGreaterThan(few!.vectors);
  // Similarities and what else grows with the entries of a block, beside weights and caches.
  expect(most!.beside).toBeLessThan(1.2 * few!.beside);
  await device.dispose();

  const place = { backend: "cpu", adapter: "here", software: false, runtime: "node" } as const;
  const about = { format: FORMAT, place, commit: "abc", date: "2026-11-22", limits } as const;
  const cases: GpuCase[] = [
    { ...about, shape: "tiny", precision: "q8", figures, failed: null },
    { ...about, shape: "tiny", precision: "f16", limits: null, figures: null, failed: "no float16" },
  ];
  expect(table(cases)).toContain("- tiny f16 was not measured (abc, 2026-11-22): no float16");
});

it("makes the same bytes whatever the pieces they are read in, and no two rows alike", async () => {
  const source = madeWeights("tiny");
  const [from, to] = [5000, 70_000];
  const whole = await source.read(from, to);
  const pieces = new Uint8Array(to - from);
  for (let at = from; at < to; at += 999)
    pieces.set(await source.read(at, Math.min(at + 999, to)), at - from);
  expect(pieces).toEqual(whole);
  expect(whole.subarray(0, 256)).not.toEqual(whole.subarray(256, 512));
  expect((await source.read(source.size - 2, source.size)).length).toBe(2);
});
