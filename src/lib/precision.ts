/** @file Precisions of a frozen model's matrices, and their sizes. */

import { BLOCK } from "./blocks.ts";

/** f32, f16: IEEE floats. q8, q4: blocks of 8 and 4 bits (blocks.ts). Norms, activations, loss and δ are always float32. */
export const PRECISIONS = ["f32", "f16", "q8", "q4"] as const;
export type Precision = (typeof PRECISIONS)[number];

export const LEVEL_BITS = { q8: 8, q4: 4 } as const satisfies Partial<Record<Precision, number>>;
export type LevelBits = (typeof LEVEL_BITS)[keyof typeof LEVEL_BITS];

export const levelBits = (precision: Precision): LevelBits | undefined =>
  precision === "q8" || precision === "q4" ? LEVEL_BITS[precision] : undefined;

/** Bytes of a weight of `shape` in `precision`; only matrices differ from float32. */
export function weightBytes(shape: readonly number[], precision: Precision): number {
  const elements = shape.reduce((product, size) => product * size, 1);
  if (shape.length !== 2 || precision === "f32") return elements * 4;
  if (precision === "f16") return elements * 2;
  const [rows, columns] = shape as readonly [number, number];
  const blocks = rows * Math.ceil(columns / BLOCK);
  return blocks * ((BLOCK * LEVEL_BITS[precision]) / 8 + 4);
}

/** Models with at least this many weights open in q8 by default: float32 would take 1.2 GB. */
const Q8_FROM = 0.3e9;

export const defaultPrecision = (weights: number): Precision => (weights >= Q8_FROM ? "q8" : "f32");
