/** @file Rotary tables against the formulas of the papers, computed here in complex numbers. */

import { describe, expect, it } from "vitest";
import type { DecoderConfig, Rope } from "./config.ts";
import { inverseFrequencies, ropeTables } from "./rope.ts";

const HEAD_DIM = 8;
const config = (rope: Rope): DecoderConfig =>
  ({ headDim: HEAD_DIM, rotaryDim: HEAD_DIM, rope }) as Partial<DecoderConfig> as DecoderConfig;

const LLAMA3: Rope = {
  kind: "llama3",
  theta: 500000,
  factor: 8,
  lowFrequencyFactor: 1,
  highFrequencyFactor: 4,
  originalWindow: 64,
};
const LONGROPE: Rope = {
  kind: "longrope",
  theta: 10000,
  shortFactor: [1, 1.1, 1.2, 1.3],
  longFactor: [1, 2, 4, 8],
  originalWindow: 32,
  attentionFactor: 1.25,
};

const DYNAMIC: Rope = { kind: "dynamic", theta: 10000, factor: 2, originalWindow: 32 };

/** Rotates the pair (x1, x2) as the complex number x1 + i x2 by e^(i position frequency). */
function rotated(
  x: readonly number[],
  position: number,
  frequencies: readonly number[],
  scale: number,
): number[] {
  const half = x.length / 2;
  const out = new Array<number>(x.length);
  for (let i = 0; i < half; i++) {
    const [re, im] = [Math.cos(position * frequencies[i]!), Math.sin(position * frequencies[i]!)];
    out[i] = scale * (x[i]! * re - x[i + half]! * im);
    out[i + half] = scale * (x[i]! * im + x[i + half]! * re);
  }
  return out;
}

/** What the decoder does with the tables: x cos + swap(x) sin. */
function applied(x: readonly number[], cos: Float32Array, sin: Float32Array): number[] {
  const half = x.length / 2;
  return x.map((v, i) => v * cos[i]! + x[(i + half) % x.length]! * sin[i]!);
}

const PLAIN = [0, 1, 2, 3].map((i) => 10000 ** (-i / 4));

describe.each([
  ["default", { kind: "default", theta: 10000 } as Rope, 50, PLAIN, 1],
  ["linear", { kind: "linear", theta: 10000, factor: 4 } as Rope, 50, PLAIN.map((f) => f / 4), 1],
  ["dynamic, short", DYNAMIC, 32, PLAIN, 1],
  // The base grows by (2 · 48 / 32 − 1) to the power of 8 / 6.
  ["dynamic, long", DYNAMIC, 48, [0, 1, 2, 3].map((i) => (10000 * 2 ** (8 / 6)) ** (-i / 4)), 1],
  ["longrope, short", LONGROPE, 32, PLAIN.map((f, i) => f / [1, 1.1, 1.2, 1.3][i]!), 1.25],
  ["longrope, long", LONGROPE, 33, PLAIN.map((f, i) => f / [1, 2, 4, 8][i]!), 1.25],
])("%s", (_, rope, length, frequencies, scale) => {
  it("rotates by position times frequency", () => {
    const x = [0.3, -1.2, 2.1, 0.7, -0.4, 0.9, 1.5, -2.2];
    const positions = [
      [0, 1, 2],
      [0, 17, 31],
    ];
    const { cos, sin } = ropeTables(config(rope), positions, [length, length]);
    expect(cos.length).toBe(2 * 3 * HEAD_DIM);
    for (const [row, position] of positions.flat().entries()) {
      const part = (table: Float32Array) => table.slice(row * HEAD_DIM, (row + 1) * HEAD_DIM);
      const got = applied(x, part(cos), part(sin));
      rotated(x, position, frequencies, scale).forEach((v, i) => expect(got[i]).toBeCloseTo(v, 5));
    }
  });
});

describe("llama3", () => {
  const plain = [0, 1, 2, 3].map((i) => 500000 ** (-i / 4));
  const found = inverseFrequencies(LLAMA3, HEAD_DIM, 100);

  it("keeps what turns more than 4 times in the original window, and divides by 8 what turns less than once", () => {
    for (const [i, f] of plain.entries()) {
      const turns = (64 * f) / (2 * Math.PI);
      if (turns > 4) expect(found[i]).toBe(f);
      else if (turns < 1) expect(found[i]).toBe(f / 8);
    }
    expect(found[0]).toBe(1); // 10 turns
    expect(found[2]).toBe(plain[2]! / 8); // 0.01 turns
  });

  it("blends between them, linearly in the number of turns", () => {
    // Half way between 1 and 4 turns.
    const wanted = (2.5 * 2 * Math.PI) / 64;
    const theta = wanted ** -4; // makes the second of four frequencies the wanted one
    const [, blended] = inverseFrequencies({ ...LLAMA3, theta }, HEAD_DIM, 100);
    expect(blended).toBeCloseTo(0.5 * wanted + (0.5 * wanted) / 8, 12);
  });

  it("falls with the index", () => {
    for (let i = 1; i < found.length; i++) expect(found[i]).toBeLessThan(found[i - 1]!);
  });
});

it("longrope picks its factors for each row by that row's own length", () => {
  const one = (length: number) => ropeTables(config(LONGROPE), [[5]], [length]).cos;
  const { cos } = ropeTables(config(LONGROPE), [[5], [5]], [32, 33]);
  expect(cos).toEqual(Float32Array.of(...one(32), ...one(33)));
  expect(one(32)).not.toEqual(one(33));
});

it("longrope with the wrong number of factors says what it needs", () => {
  const rope: Rope = { ...LONGROPE, shortFactor: [1, 2, 3] };
  expect(() => ropeTables(config(rope), [[0]], [1])).toThrow("longrope has 3 factors, expected 4");
});
