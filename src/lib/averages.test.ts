import { describe, expect, it } from "vitest";
import { mean, median, spread } from "./stats.ts";

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

  it("spreads a choice over all items and never takes one twice", () => {
    const items = Array.from({ length: 60 }, (_, i) => i);
    const chosen = spread(items, 24);
    expect(new Set(chosen).size).toBe(24);
    expect(chosen[0]).toBe(0);
    expect(chosen.at(-1)).toBeGreaterThan(54);
    expect(spread([1, 2], 24)).toEqual([1, 2]);
  });
});
