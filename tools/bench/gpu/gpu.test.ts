/** @file The GPU benchmark on the processor, with a tiny shape: each figure is measured. */

import { expect, it } from "vitest";
import { measureCase } from "./cases.ts";
import { betterLimits, measureLimits } from "./limits.ts";
import { createNodeDevice } from "../../node/nodeDevice.ts";
import { madeModelFiles } from "../../madeModel.ts";
import { madeWeights } from "../../madeWeights.ts";

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
  const { weights, ...timed } = figures;
  expect(weights).toBeGreaterThan(0);
  expect(Object.keys(timed)).toEqual(["load", "prefill", "decode", "encodeStep", "recallOne", "recallMany"]);
  for (const { value, limit, ratio } of Object.values(timed))
    for (const number of [value, limit, ratio]) expect(number > 0 && Number.isFinite(number)).toBe(true);
  expect(device.ledger.total).toBe(0);
  await device.dispose();
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
