import { describe, expect, it } from "vitest";
import type { LengthRow } from "../records/cost.ts";
import type { AdamStart } from "../records/memory.ts";
import { joined, stepsBy } from "./steps.ts";

const row = (tokens: number, parts: number, steps: number, started?: AdamStart): LengthRow => ({
  ...{ tokens, parts, steps, exact: parts },
  ...(started ? { started } : {}),
});

describe("the steps of a part", () => {
  it("are fewer from a learned start, by what it was measured to save elsewhere while a device has not shown it", () => {
    const steps = stepsBy([row(12, 10, 100, "zero")]);
    expect(steps(12, "zero")).toBe(10);
    expect(steps(12, "learned") / steps(12, "zero")).toBeCloseTo(0.55, 9);
  });

  it("follow what the device's own runs saved, the more parts they are", () => {
    const saved = (parts: number): number => {
      const steps = stepsBy([row(12, 40, 400, "zero"), row(12, parts, 3 * parts, "learned")]);
      return steps(12, "learned") / steps(12, "zero");
    };
    expect(saved(1)).toBeGreaterThan(0.5);
    expect(saved(32)).toBeCloseTo((0.55 + 0.3) / 2, 2);
    expect(saved(3200)).toBeCloseTo(0.3, 2);
  });

  it("are never more from a learned start, which is given up where it saves nothing", () => {
    const steps = stepsBy([row(12, 40, 400, "zero"), row(12, 4000, 80_000, "learned")]);
    expect(steps(12, "learned")).toBe(steps(12, "zero"));
  });

  it("of a length that only parts with a learned start had are foreseen from zero as well", () => {
    const steps = stepsBy([
      row(12, 100, 1000, "zero"),
      row(12, 100, 500, "learned"),
      row(30, 100, 1500, "learned"),
    ]);
    expect(steps(30, "zero")).toBeGreaterThan(1.5 * 15);
    expect(steps(30, "learned")).toBeCloseTo(15, 0);
  });

  it("of older builds, which did not tell starts apart, count as from zero", () => {
    const [old, now] = [stepsBy([row(12, 10, 60)]), stepsBy([row(12, 10, 60, "zero")])];
    expect([old(12, "zero"), old(12, "learned")]).toEqual([now(12, "zero"), now(12, "learned")]);
    expect(joined([row(12, 10, 60)], [row(12, 5, 30, "zero")], 1)).toEqual([row(12, 15, 90, "zero")]);
  });
});
