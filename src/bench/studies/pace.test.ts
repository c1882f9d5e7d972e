import { describe, expect, it } from "vitest";
import { Pace, type Cost } from "./pace.ts";

/** Two groups of two cases: ten facts to encode for each, ten to recall for a case. */
const COST: Cost = { group: (id) => id[0]!, encodes: 10, recalls: 10 };
const IDS = new Set(["a1", "a2", "b1", "b2"]);

describe("the time that is left", () => {
  it("is not known before anything was done, and falls to nothing at a steady pace", () => {
    const pace = new Pace(COST, IDS, 0);
    expect(pace.left()).toBeNull();
    // A unit a second: 10 for each group, 3 for each case.
    pace.encoded(0.5, 5000);
    expect(pace.left()).toBeCloseTo(27_000);
    pace.encoded(1, 10_000);
    pace.finished("a1", 13_000);
    expect(pace.left()).toBeCloseTo(19_000);
    pace.finished("a2", 16_000);
    pace.encoded(1, 26_000);
    pace.finished("b1", 29_000);
    pace.finished("b2", 32_000);
    expect(pace.left()).toBe(0);
  });

  it("knows what a resumed run has", () => {
    const pace = new Pace(COST, new Set(["b2"]), 0);
    pace.encoded(1, 10_000);
    expect(pace.left()).toBeCloseTo(3000);
  });

  it("takes a pause for no pace", () => {
    const pace = new Pace(COST, IDS, 0);
    pace.encoded(0.5, 5000);
    pace.encoded(0.6, 3_605_000);
    expect(pace.left()!).toBeLessThan(60_000);
  });
});
