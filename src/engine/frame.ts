/**
 * @file The host side of a run: position tables and the attention bias for rows that are padded on the left.
 * Columns are counted over the whole sequence, past and window together; a row's real tokens start at `pads[row]`.
 */

import type { DecoderConfig } from "../graph/models/config.ts";
import { ropeTables } from "../graph/models/rope.ts";

export interface FrameShape {
  /** Padding columns in front of each row's first token. */
  readonly pads: readonly number[];
  /** Columns already in the cache. */
  readonly past: number;
  /** Columns of this run. */
  readonly time: number;
  /**
   * Tokens a row will have at the end, all rows alike or each its own (longrope chooses its factors by it): a row
   * that must not depend on its company says its own.
   */
  readonly length: number | readonly number[];
}

/** Inputs "cos", "sin" [batch, 1, time, headDim] and "bias" [batch, 1, time, past + time]. */
export interface FrameData {
  readonly cos: Float32Array;
  readonly sin: Float32Array;
  readonly bias: Float32Array;
}

/** Added to the scores of columns a query may not see; large enough that their weight is exactly 0. */
const BLOCKED = -1e9;

/** Builds the frame: column c of row r has position c - pads[r], and sees columns pads[r]..c. */
export function frameData(config: DecoderConfig, { pads, past, time, length }: FrameShape): FrameData {
  const columns = Array.from({ length: time }, (_, t) => past + t);
  // Padding columns get position 0: their values are never read, but must stay finite.
  const positions = pads.map((pad) => columns.map((column) => Math.max(column - pad, 0)));
  const total = past + time;
  const bias = new Float32Array(pads.length * time * total).fill(BLOCKED);
  for (const [row, pad] of pads.entries())
    for (const [t, column] of columns.entries())
      if (column >= pad) bias.fill(0, (row * time + t) * total + pad, (row * time + t) * total + column + 1);
  return { ...ropeTables(config, positions, lengthsOf({ pads, length })), bias };
}

/** Where a cache of fixed length stands: what is filled of its long and its short part, and how long these are. */
export interface FixedCacheShape {
  readonly filled: number;
  readonly columns: number;
  readonly placed: number;
  readonly places: number;
}

/** The frame of one column behind such a cache, itself at the next place: bias [batch, 1, 1, columns + places]. */
export function frameAt(
  config: DecoderConfig,
  { pads, length }: Pick<FrameShape, "pads" | "length">,
  { filled, columns, placed, places }: FixedCacheShape,
): FrameData {
  const width = columns + places;
  const bias = new Float32Array(pads.length * width).fill(BLOCKED);
  for (const [row, pad] of pads.entries()) {
    bias.fill(0, row * width + pad, row * width + filled);
    bias.fill(0, row * width + columns, row * width + columns + placed + 1);
  }
  const positions = pads.map((pad) => [filled + placed - pad]);
  return { ...ropeTables(config, positions, lengthsOf({ pads, length })), bias };
}

const lengthsOf = ({ pads, length }: Pick<FrameShape, "pads" | "length">): readonly number[] =>
  typeof length === "number" ? pads.map(() => length) : length;
