/** @file The GPU benchmark on the processor, with a tiny shape: that each figure is measured, and how the table reads. */

import { expect, it } from "vitest";
import { measureCase } from "../src/bench/gpu/cases.ts";
import { measureLimits } from "../src/bench/gpu/limits.ts";
import { table } from "../src/bench/gpu/table.ts";
import { createNodeDevice } from "../src/runtime/node.ts";
import { madeModelFiles } from "./madeModel.ts";
import { madeWeights } from "./madeWeights.ts";

it("measures a made model and sets each figure beside its limit", async () => {
  const device = await createNodeDevice({ backend: "cpu", threads: 1 });
  const limits = await measureLimits(device);
  expect(limits.bytesPerSecond).toBeGreaterThan(1e7);
  expect(limits.flopsPerSecond).toBeGreaterThan(1e7);
  const figures = await measureCase(device, madeModelFiles("tiny"), "q8", limits, () => undefined);
  for (const figure of [figures.prefill, figures.decode, figures.encodeStep]) {
    expect(figure.value).toBeGreaterThan(0);
    expect(figure.ratio).toBeGreaterThan(0);
    expect(figure.ratio).toBeLessThan(2);
  }
  // Which of two is faster is for the benchmark: a test beside other work on the same machine cannot tell.
  const rates = [figures.facts.ours, figures.facts.naive, figures.recall.many, figures.recall.one];
  for (const rate of rates) expect(rate).toBeGreaterThan(0);
  expect(device.ledger.bytes.weights).toBe(0);
  await device.dispose();
  const about = { commit: "abc", date: "2026-11-22", runtime: "here", limits, failed: null };
  const text = table([
    { ...about, shape: "tiny", precision: "q8", figures },
    { ...about, shape: "tiny", precision: "f16", figures: null, failed: "no float16" },
  ]);
  expect(text).toMatch(/\| tiny q8 \| \d\.\d\d GB \|.* \(\d.* %\)/);
  expect(text).toContain("| tiny f16 | not measured: no float16 |");
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
