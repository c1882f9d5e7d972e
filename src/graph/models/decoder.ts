/**
 * @file A pre-norm decoder with grouped-query attention and gated feed-forward blocks. Hidden states are rows: [batch * time,
 * dModel]. "time" is the window of this run, "past" the length of the cache.
 */

import type { Precision } from "../../lib/precision.ts";
import { GraphBuilder, type Cache } from "../build.ts";
import { addDims, scaleDim, type Dim, type Tensor } from "../ir.ts";
import type { DecoderConfig } from "./config.ts";
import type { Family } from "./families.ts";
import { rowsAt, times } from "./matrix.ts";

export interface Decoder {
  readonly config: DecoderConfig;
  readonly family: Family;
  readonly precision?: Precision;
}

export const builderFor = (name: string, { precision }: Decoder): GraphBuilder =>
  new GraphBuilder(name, precision);

/** Heads of one layer before they are rotated, each [batch, time, heads or kvHeads, headDim]. */
interface Heads extends Cache {
  readonly query: Tensor;
}

/** The outputs of attention: mixed [rows, heads * headDim], and the cache that the layer publishes. */
type Attended = ReturnType<typeof attendGrown>;

export interface Frame {
  readonly batch: number;
  readonly time: Dim;
  readonly attend: (layer: number, heads: Heads) => Attended;
  readonly fused?: boolean;
  /** Called with the down projection's input a [rows, dFf] and output y [rows, dModel]; its result replaces y (Eq. 4d). */
  readonly onDown?: (layer: number, a: Tensor, y: Tensor) => Tensor;
}

export const rowsOf = ({ batch, time }: Pick<Frame, "batch" | "time">): Dim => scaleDim(batch, time);

interface Positions {
  readonly cos: Tensor; // [batch, 1, time, headDim]
  readonly sin: Tensor; // [batch, 1, time, headDim]
  /** 0 for visible positions, a large negative number for the others: [batch, 1, time, past + time]. */
  readonly bias: Tensor;
}

/** Declares the frame inputs "cos", "sin" and "bias", and "past.{layer}.key|value" where `past` is given. */
export function declareFrame(
  b: GraphBuilder,
  model: Decoder,
  { batch, time = "time", past }: { batch: number; time?: Dim; past?: Dim },
): Frame {
  const { config: c } = model;
  const total = past === undefined ? time : addDims(past, time);
  const table = (name: string) => b.input(name, "float32", [batch, 1, time, c.headDim]);
  const [cos, sin] = [table("cos"), table("sin")];
  const bias = b.input("bias", "float32", [batch, 1, time, total]);
  const before = past === undefined ? undefined : declareCache(b, c, { batch, past });
  const attend = (layer: number, heads: Heads) =>
    attendGrown(b, model, heads, { cos, sin, bias }, before?.(layer));
  return { batch, time, attend };
}

export function publishCache(b: GraphBuilder, present: ReadonlyMap<number, Cache>): void {
  for (const [i, { key, value }] of present) {
    b.output(`present.${i}.key`, key);
    b.output(`present.${i}.value`, value);
  }
}

/** Declares "past.{layer}.key|value" [batch, kvHeads, past, headDim] of the layers that are asked for. */
export function declareCache(
  b: GraphBuilder,
  c: DecoderConfig,
  { batch, past }: { batch: number; past: Dim },
): (layer: number) => Cache {
  const declared = new Map<number, Cache>();
  const half = (layer: number, side: string) =>
    b.input(`past.${layer}.${side}`, "float32", [batch, c.kvHeads, past, c.headDim]);
  return (layer) => {
    const known = declared.get(layer) ?? { key: half(layer, "key"), value: half(layer, "value") };
    declared.set(layer, known);
    return known;
  };
}

/** Token embeddings: ids [batch, time] int64 -> [rows, dModel]. */
export const embed = (b: GraphBuilder, { config: c }: Decoder, ids: Tensor, frame: Frame): Tensor =>
  b.scope("embed", () => {
    const found = rowsAt(b, ids, "model.embed_tokens.weight", [c.vocabulary, c.dModel]);
    return b.Reshape(found, [rowsOf(frame), c.dModel]);
  });

/**
 * Returns the residual stream behind the last layer that ran, and behind each by layer: [rows, dModel]; and by layer the cache
 * with the past in front: [batch, kvHeads, past + time, headDim].
 */
export function layers(
  b: GraphBuilder,
  model: Decoder,
  hidden: Tensor,
  frame: Frame,
  { from = 0, to = model.config.layers }: { from?: number; to?: number } = {},
) {
  const present = new Map<number, Cache>();
  const states = new Map<number, Tensor>();
  let x = hidden;
  let y: Tensor | undefined;
  for (let i = from; i < to; i++) {
    const layer = `model.layers.${i}`;
    const norm = (name: string, before: Tensor, added?: Tensor) =>
      addNorm(b, before, added, { weight: `${layer}.${name}.weight`, model, frame });
    y = b.scope(`layers.${i}`, () => {
      const into = b.scope("attn", () => norm("input_layernorm", x, y));
      if (y) states.set(i - 1, into.sum);
      const { projected, cache } = attention(b, model, i, into.normed, frame);
      present.set(i, cache);
      const { sum, normed } = b.scope("mlp", () => norm("post_attention_layernorm", into.sum, projected));
      x = sum;
      return feedForward(b, model, i, normed, frame);
    });
  }
  if (y) states.set(to - 1, (x = b.Add(x, y)));
  return { hidden: x, states, present };
}

/** x + y (x if y is missing) and its norm: rows [rows, dModel]. */
function addNorm(
  b: GraphBuilder,
  x: Tensor,
  y: Tensor | undefined,
  { weight, model: { config: c }, frame }: { weight: string; model: Decoder; frame: Frame },
): { sum: Tensor; normed: Tensor } {
  const scale = () => b.weight(weight, [c.dModel]);
  if (y && frame.fused) return b.SkipSimplifiedLayerNormalization(x, y, scale(), c.epsilon);
  const sum = y ? b.Add(x, y) : x;
  return { sum, normed: b.SimplifiedLayerNormalization(sum, scale(), c.epsilon) };
}

/** Final norm and head: rows [n, dModel] -> logits [n, vocabulary]. */
export const head = (b: GraphBuilder, { config: c }: Decoder, rows: Tensor): Tensor =>
  b.scope("head", () => {
    const normed = finalNorm(b, c, rows);
    const name = c.tied ? "model.embed_tokens.weight" : "lm_head.weight";
    return times(b, normed, name, [c.vocabulary, c.dModel]);
  });

export const finalNorm = (b: GraphBuilder, c: DecoderConfig, rows: Tensor): Tensor =>
  b.SimplifiedLayerNormalization(rows, b.weight("model.norm.weight", [c.dModel]), c.epsilon);

/*
 *  norm(x) ── q, k, v ── heads ── (head norm) ── rotate ──┐
 *                                  past k, v ── concat ───┤
 *                        softmax(q k^T / sqrt(hd) + bias) v ── o_proj
 */
function attention(b: GraphBuilder, model: Decoder, i: number, normed: Tensor, frame: Frame) {
  const { config: c, family } = model;
  const layer = `model.layers.${i}`;
  const { batch, time } = frame;
  return b.scope("attn", () => {
    const { query, key, value } = family.project(b, c, layer, normed);
    const split = (rows: Tensor, heads: number) => b.Reshape(rows, [batch, time, heads, c.headDim]);
    const ready = (rows: Tensor, heads: number, norm: string) => {
      const own = split(rows, heads);
      const scale = () => b.weight(`${layer}.self_attn.${norm}.weight`, [c.headDim]);
      return family.headNorm ? b.SimplifiedLayerNormalization(own, scale(), c.epsilon) : own;
    };
    const { mixed, cache } = frame.attend(i, {
      query: ready(query, c.heads, "q_norm"),
      key: ready(key, c.kvHeads, "k_norm"),
      value: split(value, c.kvHeads),
    });
    const projected = times(b, mixed, `${layer}.self_attn.o_proj.weight`, [c.dModel, c.heads * c.headDim]);
    return { projected, cache };
  });
}

/** {@link Frame.attend} in operators that have gradients, over a past that the window makes longer. */
export function attendGrown(
  b: GraphBuilder,
  { config: c }: Decoder,
  { query, key, value }: Heads,
  at: Positions,
  past: Cache | undefined,
) {
  const rotated = (heads: Tensor) => rotate(b, b.Transpose(heads, [0, 2, 1, 3]), c, at); // [batch, heads, time, headDim]
  const q = b.Mul(rotated(query), b.float(1 / Math.sqrt(c.headDim)));
  const own = { key: rotated(key), value: b.Transpose(value, [0, 2, 1, 3]) };
  const behind = (side: keyof Cache) => (past ? b.Concat([past[side], own[side]], 2) : own[side]);
  const cache = { key: behind("key"), value: behind("value") };
  return { mixed: attend(b, c, q, cache, at), cache };
}

/** x cos + swap(x) sin, where swap exchanges the halves of the rotated dimensions (rope.ts folds the sign into sin). */
function rotate(b: GraphBuilder, x: Tensor, { headDim, rotaryDim }: DecoderConfig, { cos, sin }: Positions) {
  const half = rotaryDim / 2;
  const rest = rotaryDim < headDim ? [b.Slice(x, 3, rotaryDim, headDim)] : [];
  const swapped = b.Concat([b.Slice(x, 3, half, rotaryDim), b.Slice(x, 3, 0, half), ...rest], 3);
  return b.Add(b.Mul(x, cos), b.Mul(swapped, sin));
}

/** Attention of q [batch, heads, time, headDim] over the cache; groups of query heads share one key head. */
function attend(b: GraphBuilder, c: DecoderConfig, q: Tensor, { key, value }: Cache, { bias }: Positions) {
  const [batch, time] = [Number(q.shape[0]), q.shape[2]!];
  const group = c.heads / c.kvHeads;
  const total = key.shape[2]!;
  const grouped = [batch, c.kvHeads, scaleDim(group, time)] as const;
  const queries = b.Reshape(q, [...grouped, c.headDim]);
  const scores = b.MatMul(queries, b.Transpose(key, [0, 1, 3, 2])); // [batch, kvHeads, group * time, total]
  const weights = b.Softmax(b.Add(b.Reshape(scores, [batch, c.heads, time, total]), bias), -1);
  const mixed = b.MatMul(b.Reshape(weights, [...grouped, total]), value);
  const heads = b.Transpose(b.Reshape(mixed, [batch, c.heads, time, c.headDim]), [0, 2, 1, 3]);
  return b.Reshape(heads, [rowsOf({ batch, time }), c.heads * c.headDim]);
}

/** W_d (silu(gate) * up) of normed rows, with the frame's hook around W_d. */
function feedForward(b: GraphBuilder, model: Decoder, i: number, normed: Tensor, frame: Frame): Tensor {
  const { config: c, family } = model;
  const layer = `model.layers.${i}`;
  return b.scope("mlp", () => {
    const [gate, up] = family.gateUp(b, c, layer, normed);
    const a = b.Mul(b.Mul(gate, b.Sigmoid(gate)), up); // [rows, dFf]
    const y = times(b, a, `${layer}.mlp.down_proj.weight`, [c.dModel, c.dFf]); // [rows, dModel]
    return frame.onDown?.(i, a, y) ?? y;
  });
}
