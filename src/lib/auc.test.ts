/** @file The AUC of an attack: by hand, with ties, of chance and of certainty, and a classifier that may not learn its own answers. */

import { describe, expect, it } from "vitest";
import { rounds } from "./testing/thorough.ts";
import { aucOf, crossValidated, type ScorePair } from "./auc.ts";
import { seeded } from "./rng.ts";

describe("the AUC", () => {
  it("is the share of pairs of a positive and a negative that are in order; ties count half", () => {
    // 2 > 1, 2 > 0, 1 = 1, 1 > 0.
    expect(aucOf([[2, 1], [1, 0]]).auc).toBe(3.5 / 4); // prettier-ignore
    expect(aucOf([[1, 1], [1, 1]])).toEqual({ auc: 0.5, low: 0.5, high: 0.5, bits: 0 }); // prettier-ignore
    expect(aucOf([[1, 0], [3, -1]])).toEqual({ auc: 1, low: 1, high: 1, bits: 1 }); // prettier-ignore
  });

  it("has an interval that contains 0.5 for noise in about 95 of 100 cases", () => {
    const random = seeded(3);
    const cases = rounds(40, 100);
    const covered = Array.from({ length: cases }, (_, i) => {
      const noise = Array.from({ length: 60 }, (): ScorePair => [random(), random()]);
      const { low, high } = aucOf(noise, i);
      return low <= 0.5 && high >= 0.5;
    }).filter(Boolean).length;
    expect(covered / cases).toBeGreaterThanOrEqual(0.88);
  });

  it("asks for numbers", () => {
    expect(() => aucOf([])).toThrow("auc: 0 pairs");
    expect(() => aucOf([[NaN, 1]])).toThrow("numbers alone");
  });
});

describe("the classifier", () => {
  const random = seeded(5);
  const row = (shift: number): number[] => [random() + shift, random(), 7];

  it("finds a feature that differs", () => {
    const pairs = Array.from({ length: 100 }, () => [row(0.5), row(0)] as const);
    expect(aucOf(crossValidated(pairs)).auc).toBeGreaterThan(0.8);
  });

  it("finds nothing in noise, since no pair is scored by a model that has seen it", () => {
    const pairs = Array.from({ length: 200 }, () => [row(0), row(0)] as const);
    const { low, high } = aucOf(crossValidated(pairs));
    expect(low).toBeLessThan(0.5);
    expect(high).toBeGreaterThan(0.45);
  });
});
