import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Figure } from "../../../figures/figure.ts";
import { logScale, logShare, positiveEnds, bothRows, ends, roundScale, rowOfMost, ticks } from "./scale.ts";
import { apartText } from "./text.ts";

const span = fc
  .tuple(fc.double({ min: -1e6, max: 1e6, noNaN: true }), fc.double({ min: 1e-3, max: 1e6, noNaN: true }))
  .map(([low, width]) => [low, low + width] as const);

describe("scales", () => {
  it("ticks lie inside and evenly", () =>
    fc.assert(
      fc.property(span, fc.integer({ min: 1, max: 12 }), ([low, high], count) => {
        const found = ticks(low, high, count);
        const slack = 1e-6 * (high - low);
        for (const value of found) {
          expect(value).toBeGreaterThanOrEqual(low - slack);
          expect(value).toBeLessThanOrEqual(high + slack);
        }
        expect(found.length).toBeLessThanOrEqual(count + 2);
      }),
    ));

  it("a round scale holds both ends, and its ticks are round", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), (high) => {
        const { domain, ticks: found } = roundScale(0, high);
        expect(domain[0]).toBe(0);
        expect(domain[1]).toBeGreaterThanOrEqual(high * (1 - 1e-9));
        expect(domain[1]).toBeLessThanOrEqual(high * 2.5);
        expect(found.at(-1)).toBe(domain[1]);
      }),
    );
    expect(roundScale(0, 140).ticks).toEqual([0, 50, 100, 150]);
    expect(roundScale(0, 1).ticks).toEqual([0, 0.5, 1]);
    expect(roundScale(0, 3, 4, true).ticks).toEqual([0, 1, 2, 3]);
  });

  it("two figures share what both hold", () => {
    const of = (...values: readonly number[]) =>
      ({ rows: values.map((y) => ({ y })) }) as unknown as Figure<{ y: number }>;
    expect(ends(bothRows(of(3, 7), of(-1, 5)), ({ y }) => y)).toEqual([-1, 7]);
    expect(ends(bothRows(of(4), null), ({ y }) => y)).toEqual([3, 5]);
  });

  it("the row of most is the first that no other passes", () =>
    fc.assert(
      fc.property(fc.array(fc.nat(9)), (values) => {
        const rows = values.map((value, i) => ({ value, i }));
        const most = rowOfMost(rows, ({ value }) => value);
        expect(most?.i ?? -1).toBe(values.indexOf(Math.max(...values)));
      }),
    ));
});

describe("numbers beside each other", () => {
  it("have the digits that tell them apart, and three at least", () => {
    expect([0.99, 0.9998, 0.99999997, 1].map((value) => apartText(value, 1))).toEqual([
      "0.99",
      "0.9998",
      "0.99999997",
      "1",
    ]);
    expect(apartText(0.123456, 1)).toBe("0.123");
  });

  it("lie on whole decades where they fall through several", () => {
    expect(logScale(0.03, 40)).toEqual({ domain: [0.01, 100], ticks: [0.01, 0.1, 1, 10, 100] });
    expect(logScale(1, 1).ticks).toEqual([1, 10]);
    expect([0.01, 1, 100, 0].map((value) => logShare(value, [0.01, 100]))).toEqual([0, 0.5, 1, 0]);
    expect(positiveEnds([0, 3], 1e-4)).toEqual([1e-4, 3]);
  });
});
