import { describe, expect, it } from "vitest";
import { layerIndex } from "../records/ids.ts";
import type { CostModel, LengthRow } from "../records/cost.ts";
import {
  encodingSeconds,
  expectedWork,
  fitted,
  inexactParts,
  learned,
  NO_WORK,
  NOTHING_KNOWN,
  reach,
  secondsOf,
  stageRates,
} from "./cost.ts";

const MODEL = { layers: 6, dModel: 256, dFf: 768, vocabulary: 4096 };
const row = (tokens: number, parts: number, steps: number, exact = parts): LengthRow => ({
  ...{ tokens, parts, steps, exact },
});
const rate = (total: number, units = 1) => ({ total, units });
const KNOWN: CostModel = {
  rates: {
    step: rate(0.004, 2),
    part: rate(0.2, 2),
    tries: rate(3, 2),
    anchors: rate(1, 10),
    routing: rate(1, 100),
  },
  lengths: [row(6, 10, 40), row(12, 10, 160)],
};
const part = (tokens: number, layer = 2, count = 1) => ({ layer: layerIndex(layer), tokens, count });

describe("the reach of a layer", () => {
  it("is the share of the model above it and of the head, so that lower layers cost more", () => {
    const all = [0, 1, 2, 3, 4].map((layer) => reach(MODEL, layer));
    expect(all).toEqual([...all].sort((a, b) => b - a));
    expect(all.every((share) => share > 0 && share < 1)).toBe(true);
    // Equal steps from layer to layer: one block each.
    expect(all[0]! - all[1]!).toBeCloseTo(all[3]! - all[4]!, 12);
  });
});

describe("encoding", () => {
  it("takes for each part its tokens times the steps that such lengths took, with all tries, and a share beside them", () => {
    const steps = 16 * 12 * 1.5 * reach(MODEL, 2);
    expect(expectedWork(KNOWN, [part(12)], MODEL) / steps).toBeGreaterThan(0.95);
    const one = encodingSeconds(KNOWN, [part(12)], MODEL)!;
    expect(one).toBeCloseTo(expectedWork(KNOWN, [part(12)], MODEL) * 0.002 + 1.5 * 0.1, 12);
    expect(encodingSeconds(KNOWN, [part(12, 2, 5)], MODEL)).toBeCloseTo(5 * one, 12);
    expect(encodingSeconds(KNOWN, [part(12, 0)], MODEL)).toBeGreaterThan(one);
    expect(encodingSeconds(NOTHING_KNOWN, [part(12)], MODEL)).toBeUndefined();
  });

  it("goes by the nearest lengths where one was never seen", () => {
    const work = (tokens: number): number => expectedWork(KNOWN, [part(tokens)], MODEL) / tokens;
    expect(work(9)).toBeGreaterThan(work(6));
    expect(work(9)).toBeLessThan(work(12));
    // Far beyond what was seen there is only the longest to go by; nothing becomes NaN.
    expect(work(2000)).toBeCloseTo(work(12), 1);
  });

  it("counts the parts that such lengths lost", () => {
    const lossy = { ...KNOWN, lengths: [row(6, 10, 40, 10), row(40, 10, 600, 5)] };
    expect(inexactParts(lossy, [part(40, 2, 8)])).toBeCloseTo(4, 3);
    expect(inexactParts(lossy, [part(6, 2, 8)])).toBeCloseTo(0, 3);
    expect(inexactParts(NOTHING_KNOWN, [part(6)])).toBe(0);
  });
});

describe("a run", () => {
  it("has a time for each stage with something to do, and none where one of them is not known", () => {
    const work = { ...NO_WORK, proposals: 30, embedded: 200, parts: [part(6)] };
    expect(secondsOf(KNOWN, work, MODEL)).toMatchObject({ anchors: 3, routing: 2 });
    expect(Object.keys(secondsOf(KNOWN, work, MODEL)!)).toEqual(["anchors", "routing", "encode"]);
    expect(secondsOf(KNOWN, { ...work, questions: 4 }, MODEL)).toBeUndefined();
    expect(secondsOf(NOTHING_KNOWN, NO_WORK, MODEL)).toEqual({});
  });

  it("teaches the rates of its stages: what it is asked again, it foresees", () => {
    const work = {
      ...NO_WORK,
      proposals: 40,
      questions: 20,
      embedded: 500,
      probes: [layerIndex(0), layerIndex(4)],
    };
    const seconds = { anchors: 8, questions: 10, routing: 4, layers: 3 };
    const after = learned(NOTHING_KNOWN, { rates: stageRates(work, seconds, MODEL), lengths: [] });
    const again = secondsOf(after, work, MODEL)!;
    for (const [stage, time] of Object.entries(seconds))
      expect(again[stage as "anchors"]).toBeCloseTo(time, 9);
    // What a stage without work took is no rate.
    expect(stageRates(NO_WORK, { anchors: 3 }, MODEL)).toEqual({});
  });

  it("counts twice as much as the one before it, and large ones more than small", () => {
    const run = (total: number, units: number): CostModel => ({
      rates: { step: rate(total, units) },
      lengths: [],
    });
    expect(learned(run(4, 2), run(1, 1)).rates.step).toEqual({ total: 3, units: 2 });
    const lengths = learned(
      { rates: {}, lengths: [row(6, 4, 40)] },
      { rates: {}, lengths: [row(6, 2, 8), row(7, 1, 9)] },
    );
    expect(lengths.lengths).toEqual([row(6, 4, 28), row(7, 1, 9)]);
  });
});

describe("a trial on a text", () => {
  it("stands alone where nothing is known", () => {
    const trial: CostModel = { rates: { step: rate(1, 10) }, lengths: [row(8, 4, 20)] };
    expect(fitted(NOTHING_KNOWN, trial)).toEqual(trial);
  });

  it("raises the steps of known runs to what it took, at a speed between theirs and its own", () => {
    const trial: CostModel = {
      // Four times as slow as those.
      rates: { step: rate(0.008), part: rate(8, 20), tries: rate(3, 2) },
      // Twice the steps of the known runs at both lengths, in as many parts as are believed outright.
      lengths: [row(6, 8, 64), row(12, 8, 256)],
    };
    const both = fitted(KNOWN, trial);
    expect(both.rates.step!.total / both.rates.step!.units).toBeCloseTo(2 * 0.002, 9);
    expect(both.rates.anchors!.total / both.rates.anchors!.units).toBeCloseTo(2 * 0.1, 9);
    const ratio = (tokens: number): number =>
      expectedWork(both, [part(tokens)], MODEL) / expectedWork(KNOWN, [part(tokens)], MODEL);
    expect(ratio(6)).toBeCloseTo(2, 1);
    expect(ratio(9)).toBeCloseTo(2, 1);
    expect(ratio(12)).toBeCloseTo(2, 1);
  });

  it("is held beside parts of the same start: a run whose later parts began at a learned one is no easier text", () => {
    const known: CostModel = {
      ...KNOWN,
      lengths: [row(12, 40, 480), { ...row(12, 160, 960), started: "learned" }],
    };
    const trial: CostModel = {
      rates: { tries: rate(3, 2) },
      lengths: [{ ...row(12, 10, 120), started: "zero" }],
    };
    const both = fitted(known, trial);
    const steps = (learned: number): number =>
      expectedWork(both, [{ ...part(12), learned }], MODEL) / expectedWork(KNOWN, [part(12)], MODEL);
    const known12 = (learned: number): number =>
      expectedWork(known, [{ ...part(12), learned }], MODEL) / expectedWork(KNOWN, [part(12)], MODEL);
    expect(steps(0) / known12(0)).toBeCloseTo(1, 1);
    expect(steps(1) / known12(1)).toBeCloseTo(1, 1);
    expect(steps(1) / steps(0)).toBeCloseTo(0.5, 1);
  });

  it("whose batches stand emptier than a run's tells the same speed of the device", () => {
    const full: CostModel = { ...KNOWN, rates: { ...KNOWN.rates, slots: rate(2) } };
    const half = (step: number): CostModel => ({
      rates: { step: rate(step), part: rate(8, 20), tries: rate(3, 2), slots: rate(4) },
      lengths: [row(6, 20, 80)],
    });
    const pace = (trial: CostModel): number => {
      const { step } = fitted(full, trial).rates;
      return step!.total / step!.units;
    };
    // Twice the time for a token's step, of which twice as much was computed: as fast as before, whatever parts took.
    expect(pace(half(0.004))).toBeCloseTo(0.002, 9);
    expect(pace(half(0.016))).toBeCloseTo(0.004, 9);
  });

  it("that needed more tries raises them as well", () => {
    const trial = (tries: number): CostModel => ({
      rates: { tries: rate(tries) },
      lengths: [row(6, 4, 16), row(12, 4, 64)],
    });
    const work = (tries: number): number => expectedWork(fitted(KNOWN, trial(tries)), [part(12)], MODEL);
    expect(work(3) / work(1.5)).toBeCloseTo(2, 6);
  });

  it("that needed fewer tries foresees less of what tries take beside their steps, the more parts it had", () => {
    const seconds = (parts: number): number => {
      const trial = { rates: { tries: rate(1) }, lengths: [row(12, parts, 24 * parts)] };
      return encodingSeconds(fitted(KNOWN, trial), [part(12)], MODEL)!;
    };
    // Steps are those of the trial however many tries they are of: 24 for a part of 12 tokens.
    const stepping = 24 * 12 * reach(MODEL, 2) * 0.002;
    expect(seconds(1600) - stepping).toBeCloseTo(0.1, 2);
    expect(seconds(1)).toBeGreaterThan(stepping + 0.14);
  });
});
