import { describe, expect, it } from "vitest";
import { deal } from "./metrics.ts";
import { mean, median, spread } from "../lib/stats.ts";

describe("metrics", () => {
  it("takes the middle value, and the mean of two middle ones", () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([7])).toBe(7);
  });

  it("leaves what it was given as it was", () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it("says NaN where there is nothing to average", () => {
    expect(median([])).toBeNaN();
    expect(mean([])).toBeNaN();
    expect(mean([1, 2, 6])).toBe(3);
  });

  it("deals every item once, neighbours into different hands", () => {
    const hands = deal([1, 2, 3, 4, 5, 6, 7], 3);
    expect(hands).toEqual([
      [1, 4, 7],
      [2, 5],
      [3, 6],
    ]);
  });

  it("spreads a choice over all items and never takes one twice", () => {
    const items = Array.from({ length: 60 }, (_, i) => i);
    const chosen = spread(items, 24);
    expect(new Set(chosen).size).toBe(24);
    expect(chosen[0]).toBe(0);
    expect(chosen.at(-1)).toBeGreaterThan(54);
    expect(spread([1, 2], 24)).toEqual([1, 2]);
  });
});
