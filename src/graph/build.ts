/** @file The builder: one checked method per ONNX operator. Nodes are named by scope, operator, and a counter. */

import { assert, present } from "../lib/assert.ts";
import { BLOCK, blocksOf, levelBytes, paddedColumns, zeroLevel } from "../lib/blocks.ts";
import type { LevelBits, Precision } from "../lib/precision.ts";
import type { AttributesOf, Constant, Dim, DType, Graph, Node, Op, Rounds, Shape, Tensor } from "./ir.ts";
import { outputsOf, showShape } from "./ir.ts";
import { infer, TO_END } from "./ops/infer.ts";

/** A matrix [N, K] in blocks (lib/blocks.ts). "blocks" and "rows" are the same bytes in two shapes, each a separate input. */
interface BlockedMatrix {
  readonly shape: readonly [number, number];
  readonly bits: LevelBits;
  readonly scales: Tensor; // [N, blocks of a row]
  /** [N, blocks of a row, bytes of a block] */
  readonly blocks: () => Tensor;
  /** [N, bytes of a row] */
  readonly rows: () => Tensor;
}

export interface Cache {
  readonly key: Tensor;
  readonly value: Tensor;
}

export const blockedName = (weight: string, part: "blocks" | "rows" | "scales"): string =>
  `${weight}/${part}`;

/** 256 MB: a head of 150,000 words is made float32 in three to ten slices. */
export const WHOLE_UP_TO = 2 ** 26;

export class GraphBuilder {
  readonly #inputs: Tensor[] = [];
  readonly #weights = new Map<string, Tensor>();
  readonly #blocked = new Map<Tensor, BlockedMatrix>();
  readonly #constants = new Map<string, Constant>();
  readonly #nodes: Node[] = [];
  readonly #outputs: { name: string; tensor: Tensor }[] = [];
  readonly #names = new Map<string, number>();
  #scope = "";

  /** @param wholeUpTo largest number of weights that a graph makes float32 at once */
  constructor(
    readonly name: string,
    readonly precision: Precision = "f32",
    readonly wholeUpTo: number = WHOLE_UP_TO,
  ) {}

  // ----- Values that come from outside -----

  input(name: string, dtype: DType, shape: Shape): Tensor {
    this.#claim(name);
    const tensor = { name, dtype, shape };
    this.#inputs.push(tensor);
    return tensor;
  }

  /** A weight of the frozen model by its input's name, as it is stored; declared once, on first use. */
  weight(name: string, shape: Shape, dtype: DType = "float32"): Tensor {
    const known = this.#weights.get(name);
    if (known) {
      if (showShape(known.shape) !== showShape(shape))
        throw new Error(
          `graph ${this.name}: weight ${name} is used as ${showShape(shape)} and ${showShape(known.shape)}`,
        );
      return known;
    }
    this.#claim(name);
    const tensor: Tensor = { name, dtype, shape };
    this.#weights.set(name, tensor);
    return tensor;
  }

  blocked(name: string, shape: readonly [number, number], bits: LevelBits): BlockedMatrix {
    const [n, k] = shape;
    const row = levelBytes(k, bits);
    const part = (which: "blocks" | "rows", dims: Shape) =>
      this.weight(blockedName(name, which), dims, "uint8");
    const matrix: BlockedMatrix = {
      shape,
      bits,
      scales: this.weight(blockedName(name, "scales"), [n, blocksOf(k)]),
      rows: () => part("rows", [n, row]),
      blocks: () => {
        const blocks = part("blocks", [n, blocksOf(k), row / blocksOf(k)]);
        this.#blocked.set(blocks, matrix);
        return blocks;
      },
    };
    return matrix;
  }

  /** Ranges of the rows of a matrix, each of at most {@link wholeUpTo} weights. */
  slices([n, k]: readonly [number, number]): readonly (readonly [from: number, to: number])[] {
    const each = Math.ceil(n / Math.ceil((n * k) / this.wholeUpTo));
    return Array.from({ length: Math.ceil(n / each) }, (_, i) => [i * each, Math.min(n, (i + 1) * each)]);
  }

  /** Slices of the matrix of these "blocks" in float32, [to - from, K]. Gathered if 4-bit: onnxruntime-node has no uint4. */
  *dequantised(blocks: Tensor): Generator<{ from: number; to: number; rows: Tensor }> {
    const { shape, bits, scales, rows } = present(
      this.#blocked.get(blocks),
      () => `graph ${this.name}: ${blocks.name} is not a matrix in blocks of this graph`,
    );
    const [n, k] = shape;
    for (const [from, to] of this.slices(shape)) {
      const whole =
        bits === 4 || to - from < n
          ? this.GatherBlockQuantized(rows(), this.#counting(from, to), scales, bits)
          : this.DequantizeLinear(rows(), scales, this.#filled(zeroLevel(bits), [n, blocksOf(k)]));
      yield { from, to, rows: paddedColumns(k) === k ? whole : this.Slice(whole, 1, 0, k) };
    }
  }

  float(value: number | Float32Array, shape: Shape = []): Tensor {
    return this.#constant("float32", typeof value === "number" ? new Float32Array([value]) : value, shape);
  }

  int64(values: readonly number[], shape: Shape = [values.length]): Tensor {
    return this.#constant("int64", BigInt64Array.from(values, BigInt), shape);
  }

  int32(values: Int32Array, shape: Shape): Tensor {
    return this.#constant("int32", values, shape);
  }

  output(name: string, tensor: Tensor): void {
    this.#claim(name);
    this.#outputs.push({ name, tensor });
  }

  scope<T>(path: string, body: () => T): T {
    return this.at(`${this.#scope}/${path}`, body);
  }

  at<T>(path: string, body: () => T): T {
    const outer = this.#scope;
    this.#scope = path;
    try {
      return body();
    } finally {
      this.#scope = outer;
    }
  }

  get nodes(): readonly Node[] {
    return this.#nodes;
  }

  /** The graph without nodes, inputs and weights that no output needs; with `rounds` in rounds. @throws without an output */
  finish(rounds?: Rounds): Graph {
    assert(this.#outputs.length > 0, () => `graph ${this.name}: declares no output`);
    const needed = new Set<Tensor>(this.#outputs.map((o) => o.tensor));
    const isNeeded = (node: Node) => outputsOf(node).some((t) => needed.has(t));
    for (const node of this.#nodes.toReversed())
      if (isNeeded(node)) for (const t of node.inputs) needed.add(t);
    return {
      name: this.name,
      // An unused input would be downloaded from the GPU at every run, so it is not declared either.
      inputs: this.#inputs.filter((t) => needed.has(t)),
      weights: [...this.#weights.values()].filter((t) => needed.has(t)),
      constants: [...this.#constants.values()].filter((c) => needed.has(c.tensor)),
      nodes: this.#nodes.filter(isNeeded),
      outputs: this.#outputs,
      ...(rounds && { rounds }),
    };
  }

  // ----- Elementwise -----

  Add = (a: Tensor, b: Tensor) => this.#node("Add", [a, b], null);
  Sub = (a: Tensor, b: Tensor) => this.#node("Sub", [a, b], null);
  Mul = (a: Tensor, b: Tensor) => this.#node("Mul", [a, b], null);
  Div = (a: Tensor, b: Tensor) => this.#node("Div", [a, b], null);
  Max = (a: Tensor, b: Tensor) => this.#node("Max", [a, b], null);
  Min = (a: Tensor, b: Tensor) => this.#node("Min", [a, b], null);
  Neg = (x: Tensor) => this.#node("Neg", [x], null);
  Exp = (x: Tensor) => this.#node("Exp", [x], null);
  Log = (x: Tensor) => this.#node("Log", [x], null);
  Sqrt = (x: Tensor) => this.#node("Sqrt", [x], null);
  Reciprocal = (x: Tensor) => this.#node("Reciprocal", [x], null);
  Sigmoid = (x: Tensor) => this.#node("Sigmoid", [x], null);
  Equal = (a: Tensor, b: Tensor) => this.#node("Equal", [a, b], null);
  Greater = (a: Tensor, b: Tensor) => this.#node("Greater", [a, b], null);
  GreaterOrEqual = (a: Tensor, b: Tensor) => this.#node("GreaterOrEqual", [a, b], null);
  Less = (a: Tensor, b: Tensor) => this.#node("Less", [a, b], null);
  LessOrEqual = (a: Tensor, b: Tensor) => this.#node("LessOrEqual", [a, b], null);
  And = (a: Tensor, b: Tensor) => this.#node("And", [a, b], null);
  Not = (x: Tensor) => this.#node("Not", [x], null);
  Where = (condition: Tensor, a: Tensor, b: Tensor) => this.#node("Where", [condition, a, b], null);
  Cast = (x: Tensor, to: DType) => (x.dtype === to ? x : this.#node("Cast", [x], { to }));
  /** The value of x, through which no gradient flows. */
  StopGradient = (x: Tensor) => this.#node("StopGradient", [x], null);

  // ----- Reductions (reduced axes stay as 1) -----

  ReduceSum = (x: Tensor, axes: readonly number[]) => this.#node("ReduceSum", [x], { axes });
  ReduceMean = (x: Tensor, axes: readonly number[]) => this.#node("ReduceMean", [x], { axes });
  ReduceMax = (x: Tensor, axes: readonly number[]) => this.#node("ReduceMax", [x], { axes });
  /** Index of the first maximum along `axis` (int64), the axis removed. */
  ArgMax = (x: Tensor, axis: number) => this.#node("ArgMax", [x], { axis, keepdims: 0 });

  // ----- Movement -----

  /** At most one extent of `to` may be one that cannot be copied from the same axis of x. */
  Reshape = (x: Tensor, to: Shape) =>
    showShape(x.shape) === showShape(to) ? x : this.#node("Reshape", [x], { to });
  Transpose = (x: Tensor, perm: readonly number[]) => this.#node("Transpose", [x], { perm });
  Concat = (inputs: readonly Tensor[], axis: number) => this.#node("Concat", inputs, { axis });
  /** x[start:end] along `axis`; `as` names the extent if it cannot be computed. */
  Slice = (x: Tensor, axis: number, start: number, end: number = TO_END, as?: Dim) =>
    this.#node("Slice", [x], as === undefined ? { axis, start, end } : { axis, start, end, as });
  /** x[start:end] along `axis` where the bounds are int64 tensors [1]. */
  SliceBetween = (x: Tensor, axis: number, start: Tensor, end: Tensor, as: Dim) =>
    this.#node("SliceBetween", [x, start, end], { axis, as });
  /** Zeros around x: `pads` holds all begins, then all ends. */
  Pad = (x: Tensor, pads: readonly number[]) => this.#node("Pad", [x], { pads });
  Expand = (x: Tensor, like: Tensor) => this.#node("Expand", [x, like], null);
  /** Extents start..end of x as an int64 vector. */
  Shape = (x: Tensor, start = 0, end = x.shape.length) => this.#node("Shape", [x], { start, end });
  Gather = (data: Tensor, indices: Tensor, axis: number) => this.#node("Gather", [data, indices], { axis });
  GatherElements = (data: Tensor, indices: Tensor, axis: number) =>
    this.#node("GatherElements", [data, indices], { axis });
  ScatterElements = (
    data: Tensor,
    indices: Tensor,
    updates: Tensor,
    axis: number,
    reduction: "none" | "add",
  ) => this.#node("ScatterElements", [data, indices, updates], { axis, reduction });

  // ----- Products and normalisation -----

  MatMul = (a: Tensor, b: Tensor) => this.#node("MatMul", [a, b], null);
  Gemm = (a: Tensor, b: Tensor, { transA = 0, transB = 0 } = {}) =>
    this.#node("Gemm", [a, b], { transA, transB });
  /** a W^T of a float32 by a matrix [N, K] in blocks: a [..., K] -> [..., N]. */
  MatMulNBits = (a: Tensor, { shape: [N, K], bits, blocks, scales }: BlockedMatrix) =>
    this.#node("MatMulNBits", [a, blocks(), scales], { K, N, bits, blockSize: BLOCK });
  /** Rows of a matrix in blocks, as float32 with the last block's filling: [...indices, padded columns]. */
  GatherBlockQuantized = (rows: Tensor, indices: Tensor, scales: Tensor, bits: LevelBits) =>
    this.#node("GatherBlockQuantized", [rows, indices, scales], { bits, blockSize: BLOCK });
  /** (x - zeros) * scales, each for the columns of a block. */
  DequantizeLinear = (x: Tensor, scales: Tensor, zeros: Tensor) =>
    this.#node("DequantizeLinear", [x, scales, zeros], { axis: 1, blockSize: BLOCK });
  Softmax = (x: Tensor, axis: number) => this.#node("Softmax", [x], { axis });
  /** RMS norm: x / sqrt(mean(x^2) + epsilon) * scale over the last axis (ORT's name for it). */
  SimplifiedLayerNormalization = (x: Tensor, scale: Tensor, epsilon: number) =>
    this.#node("SimplifiedLayerNormalization", [x, scale], { axis: -1, epsilon });

  // ----- Fused, without gradients: for steps that only say what comes next -----

  /** x + skip [rows, width], and its RMS norm. */
  SkipSimplifiedLayerNormalization = (x: Tensor, skip: Tensor, scale: Tensor, epsilon: number) => {
    const { output, more } = this.#apply("SkipSimplifiedLayerNormalization", [x, skip, scale], { epsilon });
    return { normed: output, sum: more[0]! };
  };
  /** Heads x [batch, time, heads * headDim] rotated by row positions[b, t] (int64) of cos and sin [count, headDim / 2]. */
  RotaryEmbedding = (x: Tensor, positions: Tensor, cos: Tensor, sin: Tensor) =>
    this.#node("RotaryEmbedding", [x, positions, cos, sin], null);
  /**
   * Attention of query [batch, time, heads * headDim] over the new key and value and the filled columns of the pasts [batch,
   * kvHeads, length, headDim]: seen[b] + 1 of row b (int32 [batch]), `total` of the longest (int32 []). Returns the pasts with
   * the new columns.
   */
  GroupQueryAttention = (
    query: Tensor,
    { key, value }: Cache,
    past: Cache,
    { seen, total }: { readonly seen: Tensor; readonly total: Tensor },
    attributes: AttributesOf<"GroupQueryAttention">,
  ) => {
    const inputs = [query, key, value, past.key, past.value, seen, total];
    const { output, more } = this.#apply("GroupQueryAttention", inputs, attributes);
    return { mixed: output, present: { key: more[0]!, value: more[1]! } };
  };

  // ----- Inside -----

  #node<O extends Op>(op: O, inputs: readonly Tensor[], attributes: AttributesOf<O>): Tensor {
    return this.#apply(op, inputs, attributes).output;
  }

  #apply<O extends Op>(op: O, inputs: readonly Tensor[], attributes: AttributesOf<O>): Node {
    const name = this.#address(op);
    const { more: others = [], ...first } = infer(name, op, inputs, attributes);
    const output = { name: `${name}/output_0`, ...first };
    const more = others.map((other, i) => ({ name: `${name}/output_${i + 1}`, ...other }));
    const node = { op, name, inputs, output, more, attributes } as unknown as Node;
    this.#nodes.push(node);
    return node;
  }

  #filled(value: number, shape: readonly [number, number]): Tensor {
    const data = new Uint8Array(shape[0] * shape[1]).fill(value);
    return this.#constant("uint8", data, shape, () => `every ${value}`);
  }

  #counting(from: number, to: number): Tensor {
    const data = Int32Array.from({ length: to - from }, (_, i) => from + i);
    return this.#constant("int32", data, [to - from], () => `from ${from}`);
  }

  #constant(dtype: DType, data: Constant["data"], shape: Shape, what: () => string = () => data.join(",")) {
    const count = shape.reduce<number>((n, dim) => n * Number(dim), 1);
    if (count !== data.length)
      throw new Error(
        `graph ${this.name}: a constant of shape ${showShape(shape)} needs ${count} values, got ${data.length}`,
      );
    const key = `${dtype}${showShape(shape)}:${what()}`;
    const known = this.#constants.get(key);
    if (known) return known.tensor;
    const tensor: Tensor = { name: `/constants/${dtype}/${this.#constants.size}`, dtype, shape };
    this.#constants.set(key, { tensor, data });
    return tensor;
  }

  #address(op: Op): string {
    const base = `${this.#scope}/${op}`;
    const seen = this.#names.get(base) ?? 0;
    this.#names.set(base, seen + 1);
    return seen === 0 ? base : `${base}_${seen}`;
  }

  #claim(name: string): void {
    assert(
      !this.#names.has(name),
      () => `graph ${this.name}: the name ${name} is taken; inputs, weights and outputs need their own`,
    );
    this.#names.set(name, 1);
  }
}
