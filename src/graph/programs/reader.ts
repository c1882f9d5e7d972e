/**
 * @file The reader: scores of all spans that may answer a question (trained by tools/demo-model/reader.py), from the model's
 * first layers and a small transformer. Names of its weights begin with {@link READER}.
 */

import type { GraphBuilder } from "../build.ts";
import type { Graph, Shape, Tensor } from "../ir.ts";
import { builderFor, declareFrame, embed, layers, type Decoder } from "../models/decoder.ts";

interface ReaderSizes {
  readonly width: number;
  readonly depth: number;
  readonly heads: number;
  /** Layers of the model whose output it reads, ascending; 0 is the embedding. */
  readonly reads: readonly number[];
  /** Distances of tokens beyond this many are alike. */
  readonly reach: number;
  /** Size of the product of a span's first and last token. */
  readonly pair: number;
  readonly features: readonly string[];
}

export interface ReadOptions {
  readonly name: string;
  readonly sentences: number;
  /** Tokens that the question is padded to, on the right; at most `sentenceTokens`. */
  readonly questionTokens: number;
  /** Tokens that every sentence is padded to, on the right. */
  readonly sentenceTokens: number;
}

export const READER = "reader.";
export const ASK_KINDS = 14;
const EPSILON = 1e-6;

/** Kinds of relations between two tokens: clipped distances in one text, question to sentence, sentence to question. */
const relationsOf = (reach: number): number => 2 * reach + 3;

/**
 * With R sentences, Q and S tokens of question and sentence, T = Q + S: inputs "ids" [1 + R, S] int64 (the question first),
 * "features" [R, T, features], "ask" [1] int64, "rank" [R, 1] (log p), "relation" [T·T] int64, "mask" [R, 1, 1, T] (0 for a
 * token), and the frame of 1 + R rows. Output "scores" [R, S, S] by first and last token; declining has 0.
 */
export function readSpans(
  model: Decoder,
  sizes: ReaderSizes,
  { name, sentences: R, questionTokens: Q, sentenceTokens: S }: ReadOptions,
): Graph {
  const { width, depth, features, pair } = sizes;
  const T = Q + S;
  const b = builderFor(name, model);
  const weight = (called: string, shape: Shape): Tensor => b.weight(READER + called, shape);
  const linear = (x: Tensor, called: string, from: number, to: number): Tensor =>
    b.Add(b.Gemm(x, weight(`${called}.weight`, [to, from]), { transB: 1 }), weight(`${called}.bias`, [to]));
  return b.scope("reader", () => {
    const states = readStates(b, model, sizes, 1 + R, S);
    const read = b.Reshape(linear(states, "states", Number(states.shape[1]), width), [1 + R, S, width]);
    const zeros = b.float(new Float32Array(R), [R, 1, 1]);
    const question = b.Add(b.Slice(b.Slice(read, 0, 0, 1), 1, 0, Q), zeros); // the same for every sentence
    const both = b.Concat([question, b.Slice(read, 0, 1, 1 + R)], 1); // [R, T, width]
    const told = b.Gemm(
      b.Reshape(b.input("features", "float32", [R, T, features.length]), [R * T, features.length]),
      weight("features", [features.length, width]),
    );
    const ask = b.Gather(weight("ask", [ASK_KINDS, width]), b.input("ask", "int64", [1]), 0);
    const relation = b.input("relation", "int64", [T * T]);
    const mask = b.input("mask", "float32", [R, 1, 1, T]);
    let x = b.Add(b.Add(b.Reshape(both, [R * T, width]), told), ask);
    for (let i = 0; i < depth; i++) x = block(b, x, i, sizes, { R, T, relation, mask, weight, linear });
    const out = b.SimplifiedLayerNormalization(x, weight("norm", [width]), EPSILON);
    const tokens = b.Reshape(out, [R, T, width]);
    const rows = b.Reshape(b.Slice(tokens, 1, Q, T), [R * S, width]);
    const edges = b.Reshape(linear(rows, "edges", width, 2), [R, S, 2]);
    const ends = b.Reshape(linear(rows, "pair", width, 2 * pair), [R, S, 2 * pair]);
    const product = b.MatMul(
      b.Slice(ends, 2, 0, pair),
      b.Transpose(b.Slice(ends, 2, pair, 2 * pair), [0, 2, 1]),
    );
    const opening = b.Reshape(b.Slice(tokens, 1, 0, 1), [R, width]);
    const whole = b.Add(
      linear(opening, "whole", width, 1),
      b.Mul(b.input("rank", "float32", [R, 1]), weight("rank", [1])),
    );
    const first = b.Slice(edges, 2, 0, 1); // [R, S, 1]
    const last = b.Transpose(b.Slice(edges, 2, 1, 2), [0, 2, 1]); // [R, 1, S]
    const span = b.Add(b.Add(first, last), b.Mul(product, b.float(1 / Math.sqrt(pair))));
    b.output("scores", b.Add(span, b.Reshape(whole, [R, 1, 1])));
    return b.finish();
  });
}

/** Normed outputs of the layers that are read, side by side: [batch * time, reads * dModel]. */
function readStates(b: GraphBuilder, model: Decoder, { reads }: ReaderSizes, batch: number, time: number) {
  const { dModel } = model.config;
  const frame = declareFrame(b, model, { batch, time });
  const embedded = embed(b, model, b.input("ids", "int64", [batch, time]), frame);
  const { states } = layers(b, model, embedded, frame, { to: Math.max(...reads) });
  const ones = b.float(new Float32Array(dModel).fill(1), [dModel]);
  const normed = reads.map((layer) =>
    b.SimplifiedLayerNormalization(layer === 0 ? embedded : states.get(layer - 1)!, ones, EPSILON),
  );
  return normed.length === 1 ? normed[0]! : b.Concat(normed, 1);
}

interface Shared {
  readonly R: number;
  readonly T: number;
  readonly relation: Tensor;
  readonly mask: Tensor;
  readonly weight: (called: string, shape: Shape) => Tensor;
  readonly linear: (x: Tensor, called: string, from: number, to: number) => Tensor;
}

/** Attention over question and sentence and a feed-forward network, each on normed input and added: rows [R * T, width]. */
function block(
  b: GraphBuilder,
  x: Tensor,
  i: number,
  { width, heads, reach }: ReaderSizes,
  { R, T, relation, mask, weight, linear }: Shared,
): Tensor {
  const at = `blocks.${i}`;
  const size = width / heads;
  const norm = (rows: Tensor, called: string): Tensor =>
    b.SimplifiedLayerNormalization(rows, weight(`${at}.${called}`, [width]), EPSILON);
  const qkv = b.Transpose(
    b.Reshape(linear(norm(x, "norm1"), `${at}.qkv`, width, 3 * width), [R, T, 3, heads, size]),
    [2, 0, 3, 1, 4],
  );
  const part = (n: number): Tensor => b.Reshape(b.Slice(qkv, 0, n, n + 1), [R, heads, T, size]);
  const table = b.Gather(weight(`${at}.relation`, [relationsOf(reach), heads]), relation, 0); // [T * T, heads]
  const bias = b.Transpose(b.Reshape(table, [1, T, T, heads]), [0, 3, 1, 2]);
  const scores = b.Mul(b.MatMul(part(0), b.Transpose(part(1), [0, 1, 3, 2])), b.float(1 / Math.sqrt(size)));
  const weights = b.Softmax(b.Add(b.Add(scores, bias), mask), -1);
  const mixed = b.Reshape(b.Transpose(b.MatMul(weights, part(2)), [0, 2, 1, 3]), [R * T, width]);
  const attended = b.Add(x, linear(mixed, `${at}.out`, width, width));
  const up = linear(norm(attended, "norm2"), `${at}.up`, width, 2 * width);
  return b.Add(attended, linear(b.Mul(up, b.Sigmoid(up)), `${at}.down`, 2 * width, width));
}
