/** @file Rows of a running batch give their place to others: a selection along the batch, on the device. */

import { GraphBuilder } from "../build.ts";
import type { Graph, Tensor } from "../ir.ts";
import type { DecoderConfig } from "../models/config.ts";

export interface ReplaceOptions {
  readonly name: string;
  /** Rows of the batch. */
  readonly batch: number;
  /** Rows that stand ready to take a place in it. */
  readonly fresh: number;
}

/**
 * Of "past.{layer}.key|value" [batch, kvHeads, past, headDim] and "hidden" [batch, time, dModel], each with a
 * counterpart "fresh.…" of `fresh` rows, those that "rows" [batch] int64 names: i < batch for row i of the batch,
 * batch + i for fresh row i. Outputs "present.{layer}.key|value" and "hidden.next".
 */
export function replaceRows(c: DecoderConfig, { name, batch, fresh }: ReplaceOptions): Graph {
  const b = new GraphBuilder(name);
  const rows = b.input("rows", "int64", [batch]);
  const chosen = (of: string, shape: readonly (string | number)[]): Tensor =>
    b.Gather(
      b.Concat(
        [b.input(of, "float32", [batch, ...shape]), b.input(`fresh.${of}`, "float32", [fresh, ...shape])],
        0,
      ),
      rows,
      0,
    );
  for (let layer = 0; layer < c.layers; layer++)
    for (const side of ["key", "value"])
      b.output(`present.${layer}.${side}`, chosen(`past.${layer}.${side}`, [c.kvHeads, "past", c.headDim]));
  b.output("hidden.next", chosen("hidden", ["time", c.dModel]));
  return b.finish();
}
