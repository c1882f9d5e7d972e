/**
 * @file The writer: the tokens of a part -> δ in one pass (trained by tools/demo-model/writer.py), from the model's early
 * states by a linear map per place and one per storage layer. Names of its weights begin with {@link WRITER}.
 */

import type { Graph, Shape, Tensor } from "../ir.ts";
import { builderFor, declareFrame, embed, layers, type Decoder } from "../models/decoder.ts";

interface WriterSizes {
  readonly places: number;
  readonly reads: number;
  readonly layers: readonly number[];
  /** Root mean square of every δ: vectors of the size that the model was trained with are those that Adam can correct. */
  readonly size: number;
}

interface WriteOptions {
  readonly name: string;
  readonly batch: number;
  /** Tokens that every part is padded to, on the right. */
  readonly tokens: number;
}

export const WRITER = "writer.";

const EPSILON = 1e-6;

/**
 * Inputs "ids" [batch, tokens] int64, "real" [batch, tokens] (1 for a token of the part), "mixed" [batch, 2, tokens] (last
 * token; mean), "layer" [layers, batch, 1] (1 at the storage layer), and the frame. Output "delta" [batch, dModel].
 */
export function writeDelta(
  model: Decoder,
  { places, reads, layers: stored, size }: WriterSizes,
  { name, batch, tokens }: WriteOptions,
): Graph {
  const { dModel } = model.config;
  const b = builderFor(name, model);
  const weight = (called: string, shape: Shape): Tensor => b.weight(WRITER + called, shape);
  return b.scope("writer", () => {
    const frame = declareFrame(b, model, { batch, time: tokens });
    const real = b.input("real", "float32", [batch, tokens]);
    const mixed = b.input("mixed", "float32", [batch, 2, tokens]);
    const embedded = embed(b, model, b.input("ids", "int64", [batch, tokens]), frame);
    const rows = layers(b, model, embedded, frame, { to: reads }).hidden;
    const states = b.Reshape(rows, [batch, tokens, dModel]);
    const kept = b.Mul(states, b.Reshape(real, [batch, tokens, 1]));
    const maps = b.Slice(weight("maps", [places, dModel, dModel]), 0, 0, tokens);
    // One product with all maps below each other is the sum of the products with each.
    const placed = b.Gemm(
      b.Reshape(kept, [batch, tokens * dModel]),
      b.Reshape(maps, [tokens * dModel, dModel]),
    );
    const ends = b.Reshape(b.MatMul(mixed, states), [batch, 2 * dModel]); // last state, mean
    const mix = b.Gemm(ends, weight("mix.weight", [dModel, 2 * dModel]), { transB: 1 });
    const sum = b.Add(b.Add(placed, mix), weight("mix.bias", [dModel]));
    // By all maps, the own one kept: a run holds parts of several layers.
    const each = b.MatMul(
      b.Reshape(sum, [1, batch, dModel]),
      weight("layer", [stored.length, dModel, dModel]),
    );
    const own = b.Mul(each, b.input("layer", "float32", [stored.length, batch, 1]));
    const raw = b.Reshape(b.ReduceSum(own, [0]), [batch, dModel]);
    const scale = b.float(new Float32Array(dModel).fill(size), [dModel]);
    b.output("delta", b.SimplifiedLayerNormalization(raw, scale, EPSILON));
    return b.finish();
  });
}
