/** @file Blocks: what comes back is near what went in, in the places where onnxruntime looks for it. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BLOCK, blockedRows, blocksOf, dequantise, levelBytes, quantise } from "./blocks.ts";
import { seeded } from "./rng.ts";
import { relativeRms } from "./stats.ts";

const through = (values: Float32Array, columns: number, bits: 4 | 8): Float32Array => {
  const blocks = blockedRows(values.length / columns, columns, bits);
  quantise(values, columns, bits, blocks);
  const back = new Float32Array(values.length);
  dequantise(blocks, columns, bits, back);
  return back;
};

/** Numbers of the normal distribution (Box and Muller). */
function normal(count: number): Float32Array {
  const next = seeded(7);
  return Float32Array.from(
    { length: count },
    () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  );
}

describe("blocks", () => {
  it.each([
    [8, 0.0049],
    [4, 0.082],
  ] as const)("of %i bits leave at most %f of normally distributed values", (bits, most) => {
    const values = normal(64 * 1024);
    const error = relativeRms(through(values, 1024, bits), values);
    expect(error).toBeLessThan(most);
    expect(error).toBeGreaterThan(most / 1.1);
  });

  it("are never further from a value than its block's largest allows", () => {
    const finite = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 });
    fc.assert(
      fc.property(fc.array(finite, { minLength: 40, maxLength: 40 }), fc.constantFrom(4, 8), (list, bits) => {
        const values = Float32Array.from(list);
        const back = through(values, 40, bits as 4 | 8);
        for (const [from, to] of [
          [0, 32],
          [32, 40],
        ] as const) {
          const block = values.subarray(from, to);
          const sum = block.reduce((total, v, i) => total + (v - back[from + i]!) ** 2, 0);
          const largest = Math.max(...block.map(Math.abs));
          // Half a level each, as plain rounding at the largest magnitude would leave at most.
          expect(Math.sqrt(sum)).toBeLessThanOrEqual(
            (largest / (2 ** (bits - 1) - 1)) * 0.5 * Math.sqrt(32) * 1.01,
          );
        }
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  it("of nothing but zeros are zeros, and a block's sign and order are kept", () => {
    expect([...through(new Float32Array(64), 64, 4)]).toEqual(Array(64).fill(0));
    const ramp = Float32Array.from({ length: 32 }, (_, i) => (i - 16) / 16);
    for (const bits of [4, 8] as const) {
      const back = through(ramp, 32, bits);
      expect(Math.sign(back[0]!)).toBe(-1);
      expect([...back]).toEqual([...back].sort((a, b) => a - b));
    }
  });

  it("lie row by row, the last block filled up, of two 4-bit levels the first below", () => {
    const values = new Float32Array(2 * 40);
    values[0] = -8;
    values[1] = 4;
    values[40 + 32] = 1; // the second row's second block
    const blocks = blockedRows(2, 40, 4);
    quantise(values, 40, 4, blocks);
    expect([blocks.levels.length, blocks.scales.length]).toEqual([2 * levelBytes(40, 4), 2 * blocksOf(40)]);
    expect(blocks.levels[0]! & 15).toBeLessThan(8);
    expect(blocks.levels[0]! >> 4).toBeGreaterThan(8);
    const second = levelBytes(40, 4) + BLOCK / 2;
    expect(blocks.levels[second]! & 15).not.toBe(8);
    expect(blocks.levels[second]! >> 4).toBe(8);
    expect(blocks.levels[second + 1]).toBe(0x88);
  });
});
