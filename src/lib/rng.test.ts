import { describe, expect, it } from "vitest";
import { seeded, shuffled } from "./rng.ts";

describe("seeded numbers", () => {
  it("are the same for a seed and differ between seeds", () => {
    const draw = (seed: number) => Array.from({ length: 20 }, seeded(seed));
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it("fill [0, 1) evenly", () => {
    const random = seeded(1);
    const bins = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) bins[Math.floor(random() * 10)]!++;
    expect(Math.min(...bins)).toBeGreaterThan(900);
    expect(Math.max(...bins)).toBeLessThan(1100);
  });

  it("shuffle keeps every item", () => {
    const items = Array.from({ length: 50 }, (_, i) => i);
    const mixed = shuffled(items, seeded(3));
    expect(mixed).not.toEqual(items);
    expect(mixed.toSorted((a, b) => a - b)).toEqual(items);
  });
});
