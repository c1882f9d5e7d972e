/** @file Arithmetic on extents against plain evaluation, broadcasting against a walk over all indices. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addDims, scaleDim, type Dim, type Shape } from "./ir.ts";
import { broadcast } from "./ops/infer.ts";

const NAMES = { time: 7, past: 12, rows: 5 } as const;

/** The oracle: an extent is a formula, and this is its value for the extents above. */
function value(dim: Dim): number {
  if (typeof dim === "number") return dim;
  const formula = dim.replace(/[a-z]+/g, (name) => String(NAMES[name as keyof typeof NAMES]));
  return Number(new Function(`return ${formula};`)());
}

const leaf = fc.oneof(fc.integer({ min: -4, max: 9 }), fc.constantFrom(...Object.keys(NAMES)));
/** Extents as the builder makes them: sums, differences with numbers, and multiples, nested. */
const extent: fc.Arbitrary<{ dim: Dim; expected: number }> = fc.letrec<{
  tree: { dim: Dim; expected: number };
}>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    leaf.map((dim: Dim) => ({ dim, expected: value(dim) })),
    fc.tuple(tie("tree"), tie("tree")).map(([a, b]) => ({
      dim: addDims(a.dim, b.dim),
      expected: a.expected + b.expected,
    })),
    fc.tuple(fc.integer({ min: 1, max: 6 }), tie("tree")).map(([n, d]) => ({
      dim: scaleDim(n, d.dim),
      expected: n * d.expected,
    })),
  ),
})).tree;

describe("extents", () => {
  it("evaluate to the sum or the multiple they stand for", () => {
    fc.assert(
      fc.property(extent, ({ dim, expected }) => {
        expect(value(dim)).toBe(expected);
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  it("give back the name when the same number is added and taken away, from either side", () => {
    fc.assert(
      fc.property(fc.integer({ min: -99, max: 99 }), (n) => {
        expect(addDims(addDims("time", n), -n)).toBe("time");
        expect(addDims(-n, addDims(n, "time"))).toBe("time");
      }),
      { seed: 1 },
    );
  });

  it.each([
    [addDims("past", "time"), "past+time"],
    [addDims("time", 0), "time"],
    [addDims("time", -3), "time-3"],
    [scaleDim(4, "time"), "4*time"],
    [scaleDim(1, "time-3"), "time-3"],
    [scaleDim(4, "time-3"), "4*(time-3)"],
    // Without the parentheses this would be "4*time", which it is not.
    [addDims(scaleDim(4, "time-3"), 3), "4*(time-3)+3"],
  ])("%s reads %s", (dim, text) => expect(dim).toBe(text));
});

/** Every axis on its own, from the right: equal, or one of them 1. */
function broadcastOracle(a: Shape, b: Shape): Dim[] | "no" {
  const out: Dim[] = [];
  for (let i = 1; i <= Math.max(a.length, b.length); i++) {
    const pair = [a, b].flatMap((s) => (i <= s.length ? [s[s.length - i]!] : []));
    const wide = pair.filter((d) => d !== 1);
    if (new Set(wide).size > 1) return "no";
    out.unshift(wide[0] ?? 1);
  }
  return out;
}

describe("broadcast", () => {
  const shape = fc.array(fc.constantFrom<Dim>(1, 1, 2, 3, "time"), { maxLength: 4 });

  it("agrees with a plain oracle, in both orders", () => {
    fc.assert(
      fc.property(shape, shape, (a, b) => {
        const expected = broadcastOracle(a, b);
        for (const [p, q] of [
          [a, b],
          [b, a],
        ] as const)
          if (expected === "no") expect(() => broadcast("/n", p, q)).toThrow(/cannot broadcast/);
          else expect(broadcast("/n", p, q)).toEqual(expected);
      }),
      { numRuns: 2000, seed: 1 },
    );
  });
});
