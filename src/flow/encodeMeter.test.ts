import { expect, it } from "vitest";
import { reach } from "../plan/cost.ts";
import { layerIndex } from "../records/ids.ts";
import { makeEntry } from "../store/testing/memory.ts";
import { EncodeMeter } from "./encodeMeter.ts";

const MODEL = { layers: 4, dModel: 8, dFf: 16, vocabulary: 100 };
const layer = layerIndex(1);

/** An entry as a part of `tokens` tokens that took `steps`. */
function entry(tokens: number, steps: number, exact = true) {
  const one = makeEntry(1);
  return { ...one, layer, tokens, report: { ...one.report, steps, exact } };
}

function metered() {
  const time = { seconds: 0 };
  const meter = new EncodeMeter(MODEL, () => 1000 * time.seconds);
  const step = (seconds: number, tokens: number, batch = 1, slots = tokens): void => {
    time.seconds += seconds;
    meter.stepped({ layer, batch, tokens, slots });
  };
  return { time, meter, step };
}

it("tells the time of steps from that of opening and checking", () => {
  const { time, meter, step } = metered();
  step(1, 10); // a second to open the batch
  for (let i = 0; i < 3; i++) step(0.1, 10);
  time.seconds += 0.6; // and one to check what came of it, less the first step
  meter.finished([entry(10, 4)]);
  const { rates, lengths } = meter.taken();
  expect(rates.step!.total / rates.step!.units).toBeCloseTo(0.1 / (10 * reach(MODEL, 1)), 9);
  expect(rates.part).toEqual({ total: expect.closeTo(1.9 - 0.4, 9), units: 1 });
  expect(rates.tries!.total / rates.tries!.units).toBeCloseTo(1, 9);
  expect(lengths).toEqual([{ tokens: 10, started: "zero", parts: 1, steps: 4, exact: 1 }]);
});

it("counts the steps of tries that were given up", () => {
  const { meter, step } = metered();
  for (let i = 0; i < 10; i++) step(0.1, 12);
  for (let i = 0; i < 5; i++) step(0.1, 6, 2);
  meter.finished([entry(6, 5), { ...entry(6, 5, false), part: 2, start: 6 }]);
  const { rates, lengths } = meter.taken();
  expect(rates.tries!.total / rates.tries!.units).toBeCloseTo(150 / 60, 9);
  expect(rates.part!.units).toBeCloseTo((2 * 150) / 60, 9);
  expect(lengths).toEqual([{ tokens: 6, started: "zero", parts: 2, steps: 10, exact: 1 }]);
});

it("tells parts that began at a learned start from those that began at zero", () => {
  const { meter, step } = metered();
  for (let i = 0; i < 9; i++) step(0.1, 12);
  const learned = entry(6, 3);
  meter.finished([entry(6, 6), { ...learned, report: { ...learned.report, started: "learned" } }]);
  expect(meter.taken().lengths).toEqual([
    { tokens: 6, started: "zero", parts: 1, steps: 6, exact: 1 },
    { tokens: 6, started: "learned", parts: 1, steps: 3, exact: 1 },
  ]);
});

it("tells how much of its batches stood empty", () => {
  const { meter, step } = metered();
  for (let i = 0; i < 4; i++) step(0.1, 24, 1, 32);
  for (let i = 0; i < 4; i++) step(0.1, 8, 1, 32);
  meter.finished([entry(6, 8)]);
  const { total, units } = meter.taken().rates.slots!;
  expect(total / units).toBeCloseTo(2, 9);
});

it("knows what is under way, and forgets pauses", () => {
  const { meter, step } = metered();
  for (let i = 0; i < 12; i++) step(0.1, 10);
  expect(meter.open(0)).toBeCloseTo(120 * reach(MODEL, 1), 9);
  step(3600, 10);
  meter.finished([entry(10, 13)]);
  expect(meter.open(0)).toBe(0);
  const { rates } = meter.taken();
  expect(rates.step!.total + rates.part!.total).toBeLessThan(2);
});

it("says nothing of a run that encoded nothing", () => {
  expect(metered().meter.taken()).toEqual({ rates: {}, lengths: [] });
});

it("does not count tries of finished facts as work under way", () => {
  const { meter, step } = metered();
  for (let i = 0; i < 30; i++) step(0.1, 10);
  // Two tries of a fact were given up; it was expected to take three in all.
  meter.finished([entry(10, 10)]);
  expect(meter.open(300 * reach(MODEL, 1))).toBeCloseTo(0, 9);
});
