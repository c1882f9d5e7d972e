/** @file The associative read of Eq. 4 as graph pieces, and the similarity of queries to a layer's keys alone. */

import { GraphBuilder } from "../build.ts";
import type { Graph, Tensor } from "../ir.ts";
import type { DecoderConfig } from "../models/config.ts";

export interface ReadTensors {
  readonly similarity: Tensor; // s_i(x), [rows, entries]
  readonly weights: Tensor; // alpha_i(x), [rows, entries]
  readonly gate: Tensor; // g(x), [rows, 1]
  readonly injected: Tensor; // g(x) * sum_i alpha_i r_i, [rows, dModel]
}

/** Norms below this count as zero activations: their similarity to every key is 0 and the gate stays closed. */
const SMALLEST_NORM = 1e-12;

/**
 * Declares "keys" [entries, dFf] (unit rows) and "centre" [1, dFf]; returns s = (x - c) . k / |x - c| for x [rows, dFf] ->
 * [rows, entries], cut at 1, or rounding could open a gate with θ = 1.
 */
function cosine(b: GraphBuilder, { dFf }: DecoderConfig): (x: Tensor) => Tensor {
  const keys = b.input("keys", "float32", ["entries", dFf]);
  const centre = b.input("centre", "float32", [1, dFf]);
  return (x) => {
    const query = b.Sub(x, centre);
    const norm = b.Sqrt(b.ReduceSum(b.Mul(query, query), [1]));
    const ratio = b.Div(b.Gemm(query, keys, { transB: 1 }), b.Max(norm, b.float(SMALLEST_NORM)));
    return b.Max(b.Min(ratio, b.float(1)), b.float(-1));
  };
}

/** Declares a layer's vectors ("residuals" [entries, dModel]), "beta" and "theta"; applies Eq. 4 to x [rows, dFf]. */
export function gatedRead(b: GraphBuilder, c: DecoderConfig): (x: Tensor) => ReadTensors {
  const cosines = cosine(b, c);
  const residuals = b.input("residuals", "float32", ["entries", c.dModel]);
  const [beta, theta] = [b.input("beta", "float32", [1]), b.input("theta", "float32", [1])];
  return (x) =>
    b.scope("read", () => {
      const similarity = cosines(x);
      const weights = b.Softmax(b.Mul(similarity, beta), 1);
      const gate = b.Cast(b.Greater(b.ReduceMax(similarity, [1]), theta), "float32");
      return { similarity, weights, gate, injected: b.Mul(gate, b.MatMul(weights, residuals)) };
    });
}

/** "queries" [batch, dFf] (any norm) against the "keys" [entries, dFf] behind "centre" -> "similarity" [batch, entries]. */
export function similarityProgram(c: DecoderConfig, batch: number): Graph {
  const b = new GraphBuilder(`similarity.${batch}`);
  const queries = b.input("queries", "float32", [batch, c.dFf]);
  b.output("similarity", cosine(b, c)(queries));
  return b.finish();
}
