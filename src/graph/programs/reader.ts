/**
 * @file The reader: scores of all spans that may answer a question (trained by tools/demo-model/reader.py), from a small BERT
 * (Devlin et al., arXiv:1810.04805). Names of its weights begin with {@link READER}.
 */

import { assert } from "../../lib/assert.ts";
import { GraphBuilder } from "../build.ts";
import type { Graph, Shape, Tensor } from "../ir.ts";

interface ReaderSizes {
  readonly width: number;
  readonly layers: number;
  readonly heads: number;
  /** Width of the feed-forward network. */
  readonly inner: number;
  /** Size of the product of a span's first and last token. */
  readonly pair: number;
}

export const READER = "reader.";
const EPSILON = 1e-12;

interface Network {
  readonly b: GraphBuilder;
  readonly linear: (x: Tensor, called: string, from: number, to: number) => Tensor;
  /** Layer norm of rows [rows, width]. */
  readonly norm: (x: Tensor, called: string) => Tensor;
}

/**
 * With R rows (a question and a sentence) of T tokens, W = width: inputs "embedded" [R, T, W] (the sum of each token's embeddings) and "mask"
 * [R, 1, 1, T] (0 for a token). Output "scores" [R, T, T] by first and last token; declining has 0.
 */
export function readSpans(
  sizes: ReaderSizes,
  { name, rows: R, tokens: T }: { readonly name: string; readonly rows: number; readonly tokens: number },
): Graph {
  const { width: W, pair } = sizes;
  assert(W % sizes.heads === 0, () => `graph ${name}: ${sizes.heads} heads do not share a width of ${W}`);
  const b = new GraphBuilder(name);
  const network = networkOf(b, W);
  const { linear, norm } = network;
  return b.scope("reader", () => {
    const mask = b.input("mask", "float32", [R, 1, 1, T]);
    let x = norm(b.Reshape(b.input("embedded", "float32", [R, T, W]), [R * T, W]), "norm");
    for (let i = 0; i < sizes.layers; i++) x = layer(network, x, `layers.${i}`, sizes, { R, T, mask });
    const edges = b.Reshape(linear(x, "edges", W, 2), [R, T, 2]);
    const ends = b.Reshape(linear(x, "pair", W, 2 * pair), [R, T, 2 * pair]);
    const product = b.MatMul(
      b.Slice(ends, 2, 0, pair),
      b.Transpose(b.Slice(ends, 2, pair, 2 * pair), [0, 2, 1]),
    );
    const opening = b.Reshape(b.Slice(b.Reshape(x, [R, T, W]), 1, 0, 1), [R, W]);
    const whole = linear(opening, "whole", W, 1);
    const first = b.Slice(edges, 2, 0, 1); // [R, T, 1]
    const last = b.Transpose(b.Slice(edges, 2, 1, 2), [0, 2, 1]); // [R, 1, T]
    const span = b.Add(b.Add(first, last), b.Mul(product, b.float(1 / Math.sqrt(pair))));
    b.output("scores", b.Add(span, b.Reshape(whole, [R, 1, 1])));
    return b.finish();
  });
}

function networkOf(b: GraphBuilder, width: number): Network {
  const weight = (called: string, shape: Shape): Tensor => b.weight(READER + called, shape);
  const bias = (called: string, size: number): Tensor => weight(`${called}.bias`, [size]);
  return {
    b,
    linear: (x, called, from, to) =>
      b.Add(b.Gemm(x, weight(`${called}.weight`, [to, from]), { transB: 1 }), bias(called, to)),
    norm: (x, called) =>
      b.Add(
        b.SimplifiedLayerNormalization(
          b.Sub(x, b.ReduceMean(x, [1])),
          weight(`${called}.weight`, [width]),
          EPSILON,
        ),
        bias(called, width),
      ),
  };
}

/** Attention over question and sentence and a feed-forward network; each is added and then normed: rows [R * T, width]. */
function layer(
  { b, linear, norm }: Network,
  x: Tensor,
  at: string,
  { width, heads, inner }: ReaderSizes,
  { R, T, mask }: { readonly R: number; readonly T: number; readonly mask: Tensor },
): Tensor {
  const size = width / heads;
  const split = b.Reshape(linear(x, `${at}.qkv`, width, 3 * width), [R, T, 3, heads, size]);
  const qkv = b.Transpose(split, [2, 0, 3, 1, 4]);
  const part = (n: number): Tensor => b.Reshape(b.Slice(qkv, 0, n, n + 1), [R, heads, T, size]);
  const scores = b.Mul(b.MatMul(part(0), b.Transpose(part(1), [0, 1, 3, 2])), b.float(1 / Math.sqrt(size)));
  const weights = b.Softmax(b.Add(scores, mask), -1);
  const mixed = b.Reshape(b.Transpose(b.MatMul(weights, part(2)), [0, 2, 1, 3]), [R * T, width]);
  const attended = norm(b.Add(x, linear(mixed, `${at}.out`, width, width)), `${at}.norm1`);
  const up = linear(attended, `${at}.up`, width, inner);
  const gelu = b.Mul(up, b.Sigmoid(b.Mul(up, b.float(GELU))));
  return norm(b.Add(attended, linear(gelu, `${at}.down`, inner, width)), `${at}.norm2`);
}

/** x · sigmoid(1.702 x) is nearly GELU (Hendrycks and Gimpel, arXiv:1606.08415). */
const GELU = 1.702;
