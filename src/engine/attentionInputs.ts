/**
 * @file The host side of a run: position tables and the attention bias for rows that are padded on the left.
 * Columns are counted over the whole sequence, past and window together; a row's real tokens start at `pads[row]`.
 */

import type { DecoderConfig } from "../graph/models/config.ts";
import { ropeTables } from "../graph/models/rope.ts";
import { chunks } from "../lib/group.ts";

export interface RunShape {
  /** Padding columns in front of each row's first token. */
  readonly pads: readonly number[];
  /** Columns already in the cache. */
  readonly past: number;
  /** Columns of this run. */
  readonly time: number;
  /**
   * Final number of tokens per row, one for all or one each (longrope chooses its factors by it). A row that must not
   * depend on the other rows passes its own.
   */
  readonly length: number | readonly number[];
}

/** Added to the scores of columns a query may not see; large enough that their weight is exactly 0. */
const BLOCKED = -1e9;

/**
 * Inputs "cos", "sin" [batch, 1, time, headDim] and "bias" [batch, 1, time, past + time]: column c of row r has position
 * c - pads[r], and sees columns pads[r]..c.
 */
export function attentionInputs(config: DecoderConfig, { pads, past, time, length }: RunShape) {
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

/**
 * Inputs of the step of column `past` with caches of fixed length (graph/programs/fixedDecode.ts): "cos" and "sin" [rows,
 * headDim / 2], "seen" [rows], "total" []. A row's cache begins with its first token, so column c of row r is its
 * c - pads[r]th.
 */
export function fixedStepInputs(config: DecoderConfig, { pads, length, past }: Omit<RunShape, "time">) {
  const { headDim } = config;
  const seen = Int32Array.from(pads, (pad) => past - pad);
  const tables = ropeTables(config, chunks([...seen], 1), lengthsOf({ pads, length }));
  // Both halves of a table have the angles once; the first of sin has them negated.
  const half = (table: Float32Array, begin: number) =>
    Float32Array.from({ length: table.length / 2 }, (_, i) => {
      const [row, at] = [Math.floor((2 * i) / headDim), i % (headDim / 2)];
      return table[row * headDim + begin + at]!;
    });
  return {
    cos: half(tables.cos, 0),
    sin: half(tables.sin, headDim / 2),
    seen,
    total: Int32Array.of(Math.max(...seen) + 1),
  };
}

const lengthsOf = ({ pads, length }: Pick<RunShape, "pads" | "length">): readonly number[] =>
  typeof length === "number" ? pads.map(() => length) : length;
