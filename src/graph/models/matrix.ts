/** @file The two uses of a frozen matrix of any precision: product with rows, and lookup of rows, both in float32. */

import { levelBits } from "../../lib/precision.ts";
import type { GraphBuilder } from "../build.ts";
import type { Tensor } from "../ir.ts";

type Stored = readonly [outputs: number, inputs: number];

/** x W^T: x [rows, inputs] -> [rows, outputs]. */
export function times(b: GraphBuilder, x: Tensor, weight: string, shape: Stored): Tensor {
  const bits = levelBits(b.precision);
  if (bits !== undefined) return b.MatMulNBits(x, b.blocked(weight, shape, bits));
  if (b.precision === "f32") return b.Gemm(x, b.weight(weight, shape), { transB: 1 });
  const stored = b.weight(weight, shape, "float16");
  const slices = b.slices(shape);
  const product = ([from, to]: readonly [number, number]): Tensor => {
    const rows = slices.length === 1 ? stored : b.Slice(stored, 0, from, to);
    return b.Gemm(x, b.Cast(rows, "float32"), { transB: 1 });
  };
  return slices.length === 1 ? product(slices[0]!) : b.Concat(slices.map(product), 1);
}

/** Rows `ids` of W as float32: [...ids, inputs]. */
export function rowsAt(b: GraphBuilder, ids: Tensor, weight: string, shape: Stored): Tensor {
  const bits = levelBits(b.precision);
  if (bits === undefined) {
    const stored = b.weight(weight, shape, b.precision === "f16" ? "float16" : "float32");
    return b.Cast(b.Gather(stored, ids, 0), "float32");
  }
  const { rows, scales } = b.blocked(weight, shape, bits);
  const found = b.GatherBlockQuantized(rows(), ids, scales, bits);
  return found.shape.at(-1) === shape[1] ? found : b.Slice(found, -1, 0, shape[1]);
}
