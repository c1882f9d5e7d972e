/** @file Token F1 against a slow oracle that strikes out matches one by one. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isBetter, sameTokens, tokenF1 } from "./fidelity.ts";

function oracle(decoded: readonly number[], stored: readonly number[]): number {
  const left = [...stored];
  let common = 0;
  for (const id of decoded)
    if (left.includes(id)) {
      left.splice(left.indexOf(id), 1);
      common++;
    }
  if (decoded.length === 0 && stored.length === 0) return 1;
  if (common === 0) return 0;
  const [precision, recall] = [common / decoded.length, common / stored.length];
  return (2 * precision * recall) / (precision + recall);
}

const tokens = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 12 });

describe("tokenF1", () => {
  it("is the harmonic mean of precision and recall over multisets", () => {
    fc.assert(
      fc.property(tokens, tokens, (a, b) => {
        expect(tokenF1(a, b)).toBeCloseTo(oracle(a, b), 12);
        expect(tokenF1(b, a)).toBe(tokenF1(a, b));
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  it("is 1 for the same tokens in any order, so it is not exactness", () => {
    expect(tokenF1([1, 2, 2], [2, 1, 2])).toBe(1);
    expect(sameTokens([1, 2, 2], [2, 1, 2])).toBe(false);
    expect(sameTokens([1, 2, 2], [1, 2, 2])).toBe(true);
    expect(sameTokens([1, 2], [1, 2, 2])).toBe(false);
    expect(sameTokens([], [])).toBe(true);
  });
});

it("exact beats inexact whatever the fidelity, then the higher one wins, and equals do not beat each other", () => {
  expect(isBetter({ exact: true, fidelity: 1 }, { exact: false, fidelity: 1 })).toBe(true);
  expect(isBetter({ exact: false, fidelity: 1 }, { exact: true, fidelity: 1 })).toBe(false);
  expect(isBetter({ exact: false, fidelity: 0.5 }, { exact: false, fidelity: 0.43 })).toBe(true);
  expect(isBetter({ exact: false, fidelity: 0.5 }, { exact: false, fidelity: 0.5 })).toBe(false);
});
