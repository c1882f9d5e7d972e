/** @file Replaces rows of a running batch: a selection along the batch, on the device. */

import { GraphBuilder } from "../build.ts";
import type { Graph, Tensor } from "../ir.ts";
import type { DecoderConfig } from "../models/config.ts";

/**
 * Of "past.{layer}.key|value" [batch, kvHeads, past, headDim] and "hidden" [batch, time, dModel], each with a
 * counterpart "fresh.…" of `fresh` rows, those that "rows" [batch] int64 names: i < batch for row i of the batch,
 * batch + i for fresh row i. Outputs "present.{layer}.key|value" and "hidden.next".
 */
export function replaceRows(name: string, c: DecoderConfig, batch: number, fresh: number): Graph {
  const b = new GraphBuilder(name);
  const rows = b.input("rows", "int64", [batch]);
  const chosen = (of: string, shape: readonly (string | number)[]): Tensor => {
    const own = b.input(of, "float32", [batch, ...shape]);
    const others = b.input(`fresh.${of}`, "float32", [fresh, ...shape]);
    return b.Gather(b.Concat([own, others], 0), rows, 0);
  };
  for (let layer = 0; layer < c.layers; layer++)
    for (const side of ["key", "value"])
      b.output(`present.${layer}.${side}`, chosen(`past.${layer}.${side}`, [c.kvHeads, "past", c.headDim]));
  b.output("hidden.next", chosen("hidden", ["time", c.dModel]));
  return b.finish();
}
