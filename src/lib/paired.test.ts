import { describe, expect, it } from "vitest";
import { effectiveSize, groupCorrelation, mcnemar, pairedBootstrap, type Pair } from "./paired.ts";
import { seeded } from "./rng.ts";

describe("McNemar's exact test", () => {
  it("is the binomial tail of both sides", () => {
    expect(mcnemar(0, 0)).toBe(1);
    expect(mcnemar(0, 5)).toBeCloseTo(2 / 32, 12);
    expect(mcnemar(1, 9)).toBeCloseTo((2 * (1 + 10)) / 1024, 12);
    expect(mcnemar(9, 1)).toBe(mcnemar(1, 9));
    expect(mcnemar(4, 4)).toBe(1);
  });

  it("holds where powers of two pass what a number holds", () => {
    expect(mcnemar(1000, 1100)).toBeCloseTo(0.03072, 4);
    expect(mcnemar(0, 3000)).toBe(0);
  });
});

describe("the paired bootstrap", () => {
  const pairs = (n: number, cluster: (i: number) => string): Pair[] =>
    Array.from({ length: n }, (_, i) => ({ a: 1, b: i % 2, cluster: cluster(i) }));

  it("gives the difference, and an interval around it that the seed alone decides", () => {
    const found = pairedBootstrap(pairs(100, String));
    expect(found.difference).toBe(0.5);
    expect(found.interval[0]).toBeCloseTo(0.4, 1);
    expect(found.interval[1]).toBeCloseTo(0.6, 1);
    expect(pairedBootstrap(pairs(100, String))).toEqual(found);
  });

  it("is wider where questions share a text", () => {
    const width = ({ interval: [low, high] }: { interval: readonly [number, number] }) => high - low;
    const halves: Pair[] = pairs(100, String).map((pair, i) => ({ ...pair, b: Number(i < 50) }));
    const shared = halves.map((pair, i) => ({ ...pair, cluster: String(Math.floor(i / 10)) }));
    expect(width(pairedBootstrap(shared))).toBeGreaterThan(2 * width(pairedBootstrap(halves)));
  });

  it("can tell nothing of one text alone", () => {
    expect(pairedBootstrap(pairs(10, () => "one")).interval).toEqual([-1, 1]);
    expect(pairedBootstrap([])).toEqual({ difference: 0, interval: [-1, 1] });
  });
});

describe("what questions over shared texts are worth", () => {
  const each = (n: number, of: (i: number) => number, text: (i: number) => number) => {
    const all = Array.from({ length: n }, (_, i) => i);
    return effectiveSize(
      all.map(of),
      all.map((i) => String(text(i))),
      1,
    );
  };

  it("is their number where each has a text of its own, and one where all have the same", () => {
    expect(
      each(
        40,
        (i) => i % 2,
        (i) => i,
      ),
    ).toBeCloseTo(40, 9);
    expect(
      each(
        40,
        () => 1,
        () => 0,
      ),
    ).toBe(1);
    expect(
      each(
        0,
        () => 1,
        () => 0,
      ),
    ).toBe(0);
  });

  it("is the number of texts where these alone decide, and that of questions where they decide nothing", () => {
    expect(
      each(
        100,
        (i) => Math.floor(i / 10) % 2,
        (i) => Math.floor(i / 10),
      ),
    ).toBeCloseTo(10, 9);
    expect(
      each(
        100,
        (i) => i % 2,
        (i) => Math.floor(i / 10),
      ),
    ).toBe(100);
  });

  it("is the number of texts where there are too few of them to say, or nothing varies", () => {
    expect(
      each(
        50,
        (i) => i % 2,
        (i) => i % 5,
      ),
    ).toBe(5);
    expect(
      each(
        100,
        () => 1,
        (i) => Math.floor(i / 10),
      ),
    ).toBe(10);
  });

  it("follows from their correlation where there are few texts", () => {
    const values = Array.from({ length: 30 }, () => 1);
    const clusters = values.map((_, i) => String(i % 3));
    expect(effectiveSize(values, clusters, 0)).toBe(30);
    expect(effectiveSize(values, clusters, 0.1)).toBeCloseTo(30 / 1.9, 9);
    expect(effectiveSize(values, clusters, 1)).toBe(3);
  });

  /** 40 strata of 3 texts with 10 questions each; a text shifts the share of its questions by `shift` either way. */
  const strata = (shift: number) => {
    const random = seeded(5);
    return Array.from({ length: 40 }, () => {
      const shares = Array.from({ length: 3 }, () => 0.5 + (random() < 0.5 ? shift : -shift));
      const values = Array.from({ length: 30 }, (_, i) => Number(random() < shares[i % 3]!));
      return { values, clusters: values.map((_, i) => String(i % 3)) };
    });
  };

  it("has a correlation that is estimated over strata together: its upper end, 1 where it cannot be known", () => {
    expect(groupCorrelation(strata(0))).toBeLessThan(0.06);
    // Variance between texts over all variance: 0.09 of 0.25.
    expect(groupCorrelation(strata(0.3))).toBeGreaterThan(0.36);
    expect(groupCorrelation(strata(0.3))).toBeLessThan(0.5);
    expect(groupCorrelation(strata(0.5))).toBe(1);
    expect(groupCorrelation(strata(0.3).slice(0, 2))).toBe(1);
    expect(groupCorrelation([])).toBe(1);
  });
});
