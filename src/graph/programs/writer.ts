/**
 * @file The writer: the tokens of a part -> δ in one pass (tools/demo-model/writer.py trains it). It reads the model's
 * embeddings and early states at these tokens, lets all places attend to each other, and sums one linear map per place.
 * Its weights are float32 inputs whose names begin with {@link WRITER}.
 */

import type { GraphBuilder } from "../build.ts";
import type { Graph, Shape, Tensor } from "../ir.ts";
import { builderFor, declareFrame, embed, layers, type Decoder } from "../models/decoder.ts";

/** The sizes of a writer that do not follow from its model. */
export interface WriterSizes {
  /** Tokens of the longest part. */
  readonly places: number;
  /** Layers of the model that it runs. */
  readonly reads: number;
  readonly blocks: number;
  readonly heads: number;
  /** Root mean square of every δ: vectors of the size that the model was trained with are those that Adam can correct. */
  readonly size: number;
}

export interface WriteOptions {
  readonly name: string;
  /** Parts of one run. */
  readonly batch: number;
  /** Tokens that every part is padded to, on the right. */
  readonly tokens: number;
}

/** Begins the input names of the writer's weights. */
export const WRITER = "writer.";

/** PyTorch's default. */
const EPSILON = 1e-5;
const SIZE_EPSILON = 1e-6;

/**
 * Inputs "ids" [batch, tokens] int64, "real" [batch, tokens] (1 for a token of the part, 0 behind it), "layer" [batch]
 * int64 (where δ is to be stored), and the frame inputs of {@link declareFrame}. Output "delta" [batch, dModel].
 */
export function writeDelta(
  model: Decoder,
  { places, reads, blocks, heads, size }: WriterSizes,
  { name, batch, tokens }: WriteOptions,
): Graph {
  const { dModel, layers: depth } = model.config;
  const b = builderFor(name, model);
  return b.scope("writer", () => {
    const frame = declareFrame(b, model, { batch, time: tokens });
    const real = b.input("real", "float32", [batch, tokens]);
    const embedded = embed(b, model, b.input("ids", "int64", [batch, tokens]), frame); // [rows, dModel]
    const states = layers(b, model, embedded, frame, { to: reads }).hidden;
    const stored = b.Gather(weight(b, "layer", [depth, dModel]), b.input("layer", "int64", [batch]), 0); // [batch, dModel]
    const place = b.Slice(weight(b, "place", [places, dModel]), 0, 0, tokens);
    const joined = linear(b, b.Concat([embedded, states], 1), "join", [dModel, 2 * dModel]);
    const placed = b.Add(
      b.Add(b.Reshape(joined, [batch, tokens, dModel]), place),
      b.Reshape(stored, [batch, 1, dModel]),
    );
    const behind = b.Mul(b.Sub(real, b.float(1)), b.float(1e9)); // 0 for a token, -1e9 behind the part
    const shape = { batch, tokens, dModel, heads, bias: b.Reshape(behind, [batch, 1, 1, tokens]) };
    let x = b.Reshape(placed, [batch * tokens, dModel]);
    for (let i = 0; i < blocks; i++) x = b.scope(`blocks.${i}`, () => block(b, x, `blocks.${i}`, shape));
    const kept = b.Mul(b.Reshape(x, [batch, tokens, dModel]), b.Reshape(real, [batch, tokens, 1]));
    const maps = b.Slice(weight(b, "maps", [places, dModel, dModel]), 0, 0, tokens);
    // One product with all maps below each other is the sum of the products with each.
    const sum = b.Gemm(b.Reshape(kept, [batch, tokens * dModel]), b.Reshape(maps, [tokens * dModel, dModel]));
    const raw = b.Add(sum, feedForward(b, b.Add(sum, stored), "", 4 * dModel));
    const scale = b.float(new Float32Array(dModel).fill(size), [dModel]);
    b.output("delta", b.SimplifiedLayerNormalization(raw, scale, SIZE_EPSILON));
    return b.finish();
  });
}

const weight = (b: GraphBuilder, name: string, shape: Shape): Tensor => b.weight(WRITER + name, shape);

/** x W^T + c: x [rows, inputs] -> [rows, outputs]. */
const linear = (b: GraphBuilder, x: Tensor, name: string, shape: readonly [number, number]): Tensor =>
  b.Add(b.Gemm(x, weight(b, `${name}.weight`, shape), { transB: 1 }), weight(b, `${name}.bias`, [shape[0]]));

/** W₂ silu(W₁ x + c₁) + c₂. */
function feedForward(b: GraphBuilder, x: Tensor, prefix: string, inner: number): Tensor {
  const width = Number(x.shape[1]);
  const up = linear(b, x, `${prefix}up`, [inner, width]);
  return linear(b, b.Mul(up, b.Sigmoid(up)), `${prefix}down`, [width, inner]);
}

interface BlockShape {
  readonly batch: number;
  readonly tokens: number;
  readonly dModel: number;
  readonly heads: number;
  readonly bias: Tensor; // [batch, 1, 1, tokens]
}

/** Attention among all tokens of a part and a feed-forward network, both behind a norm: rows -> rows. */
function block(
  b: GraphBuilder,
  rows: Tensor,
  name: string,
  { batch, tokens, dModel, heads, bias }: BlockShape,
): Tensor {
  const headDim = dModel / heads;
  const qkv = linear(b, norm(b, rows, `${name}.norm1`), `${name}.qkv`, [3 * dModel, dModel]);
  const split = (third: number): Tensor => {
    const part = b.Slice(qkv, 1, third * dModel, (third + 1) * dModel);
    return b.Transpose(b.Reshape(part, [batch, tokens, heads, headDim]), [0, 2, 1, 3]);
  };
  const scores = b.MatMul(
    b.Mul(split(0), b.float(1 / Math.sqrt(headDim))),
    b.Transpose(split(1), [0, 1, 3, 2]),
  );
  const mixed = b.MatMul(b.Softmax(b.Add(scores, bias), -1), split(2)); // [batch, heads, tokens, headDim]
  const attended = b.Reshape(b.Transpose(mixed, [0, 2, 1, 3]), [batch * tokens, dModel]);
  const x = b.Add(rows, linear(b, attended, `${name}.out`, [dModel, dModel]));
  return b.Add(x, feedForward(b, norm(b, x, `${name}.norm2`), `${name}.`, 3 * dModel));
}

/** Layer norm: the RMS norm of x less its mean. */
const norm = (b: GraphBuilder, x: Tensor, name: string): Tensor => {
  const width = [Number(x.shape[1])];
  const centred = b.Sub(x, b.ReduceMean(x, [1]));
  const normed = b.SimplifiedLayerNormalization(centred, weight(b, `${name}.weight`, width), EPSILON);
  return b.Add(normed, weight(b, `${name}.bias`, width));
};
