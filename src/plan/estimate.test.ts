import { describe, expect, it } from "vitest";
import { layerIndex } from "../records/ids.ts";
import { ratesOf, reach, secondsOf, totalSeconds, updated } from "./estimate.ts";

const MODEL = { layers: 6, dModel: 64, dFf: 256, vocabulary: 1000 };

describe("estimates", () => {
  it("a step at a late layer runs less of the model, at the last the head alone", () => {
    const shares = [0, 1, 2, 3, 4, 5].map((layer) => reach(MODEL, layerIndex(layer)));
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    const block = 4 * 64 * 64 + 3 * 64 * 256;
    expect(shares[5]).toBeCloseTo((64 * 1000) / (6 * block + 64 * 1000), 9);
  });

  it("gives seconds of the stages with a known rate; a layer probe is encoding until its own rate is known", () => {
    const rates = { read: { seconds: 1, units: 1000 }, encode: { seconds: 4, units: 200 } };
    const work = { read: 5000, anchors: 12, layers: 100, questions: 0, encode: 300 };
    const seconds = secondsOf(rates, work);
    expect(seconds).toEqual({ read: 5, layers: 2, encode: 6 });
    expect(totalSeconds(seconds, work)).toBe(13);
    expect(secondsOf({ ...rates, layers: { seconds: 9, units: 100 } }, work).layers).toBe(9);
  });

  it("gives no total while the time to encode is unknown", () => {
    const work = { read: 10, encode: 3 };
    expect(totalSeconds(secondsOf({ read: { seconds: 1, units: 1 } }, work), work)).toBeNull();
    expect(totalSeconds({ read: 1 }, { read: 1, encode: 0 })).toBe(1);
  });

  it("keeps rates by stage, earlier runs at half their weight", () => {
    const first = ratesOf({ read: 100, encode: 50, routing: 7 }, { read: 1, encode: 5 });
    expect(first).toEqual({ read: { seconds: 1, units: 100 }, encode: { seconds: 5, units: 50 } });
    const both = updated(first, ratesOf({ encode: 50 }, { encode: 10 }));
    expect(both).toEqual({ read: { seconds: 1, units: 100 }, encode: { seconds: 12.5, units: 75 } });
  });
});
