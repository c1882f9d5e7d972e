/** @file The graph as data: tensors, nodes, and the closed list of operators. */

import type { LevelBits } from "../lib/precision.ts";

export const ELEMENT_BYTES = { float32: 4, float16: 2, int32: 4, int64: 8, uint8: 1, bool: 1 } as const;
export type DType = keyof typeof ELEMENT_BYTES;

/** A known extent, or the name of one that is only known at run time ("time", "past+time"). */
export type Dim = number | string;
export type Shape = readonly Dim[];

export interface Tensor {
  readonly name: string;
  readonly dtype: DType;
  readonly shape: Shape;
}

interface Blocks {
  readonly bits: LevelBits;
  readonly blockSize: number;
}

interface OpAttributes {
  ArgMax: { readonly axis: number; readonly keepdims: number };
  Cast: { readonly to: DType };
  Concat: { readonly axis: number };
  DequantizeLinear: { readonly axis: number; readonly blockSize: number };
  Gather: { readonly axis: number };
  GatherBlockQuantized: Blocks;
  GatherElements: { readonly axis: number };
  Gemm: { readonly transA: number; readonly transB: number };
  GroupQueryAttention: { readonly heads: number; readonly kvHeads: number; readonly scale: number };
  MatMulNBits: { readonly K: number; readonly N: number } & Blocks;
  Pad: { readonly pads: readonly number[] };
  ReduceMax: { readonly axes: readonly number[] };
  ReduceMean: { readonly axes: readonly number[] };
  ReduceSum: { readonly axes: readonly number[] };
  Reshape: { readonly to: Shape };
  ScatterElements: { readonly axis: number; readonly reduction: "none" | "add" };
  Shape: { readonly start: number; readonly end: number };
  SimplifiedLayerNormalization: { readonly axis: number; readonly epsilon: number };
  SkipSimplifiedLayerNormalization: { readonly epsilon: number };
  Slice: { readonly axis: number; readonly start: number; readonly end: number; readonly as?: Dim };
  SliceBetween: { readonly axis: number; readonly as: Dim };
  Softmax: { readonly axis: number };
  Transpose: { readonly perm: readonly number[] };
}

/** Elementwise operators of two tensors of one type, of two tensors with a bool result, and of one tensor. */
export const ARITHMETIC = ["Add", "Sub", "Mul", "Div", "Max", "Min"] as const;
export const COMPARISONS = ["Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual"] as const;
export const FUNCTIONS = ["Neg", "Exp", "Log", "Sqrt", "Sigmoid"] as const;

/** Every operator of the builder. StopGradient (Identity) and SliceBetween (Slice with tensor bounds) are ours. */
export type Op =
  | keyof OpAttributes
  | (typeof ARITHMETIC | typeof COMPARISONS | typeof FUNCTIONS)[number]
  | ("Reciprocal" | "And" | "Not" | "Where" | "StopGradient" | "Expand" | "MatMul" | "RotaryEmbedding");

export const each = <O extends Op, V>(ops: readonly O[], value: V): Record<O, V> =>
  Object.fromEntries(ops.map((op) => [op, value])) as Record<O, V>;

export type AttributesOf<O extends Op> = O extends keyof OpAttributes ? OpAttributes[O] : null;

export interface Node<O extends Op = Op> {
  readonly op: O;
  /** An address such as /model/layers.0/attn/q_proj/Gemm. */
  readonly name: string;
  readonly inputs: readonly Tensor[];
  readonly output: Tensor;
  /** Outputs behind the first, of the fused operators that have some. */
  readonly more: readonly Tensor[];
  readonly attributes: AttributesOf<O>;
}

export interface Constant {
  readonly tensor: Tensor;
  readonly data: Float32Array | BigInt64Array | Int32Array | Uint8Array;
}

export interface Graph {
  readonly name: string;
  readonly inputs: readonly Tensor[];
  /** Inputs that carry the frozen model's weights; one in blocks comes as two or three (build.ts). */
  readonly weights: readonly Tensor[];
  readonly constants: readonly Constant[];
  readonly nodes: readonly Node[];
  readonly outputs: readonly { readonly name: string; readonly tensor: Tensor }[];
  readonly rounds?: Rounds;
}

/**
 * The tensors that go from round to round. The caller feeds "rounds", int64 [1], in place of the input "round", int64 []; the
 * output "more", bool [1], decides whether another round follows.
 */
export interface Rounds {
  /** Each input is fed for the first round and takes the output of the round before; that of the last is published. */
  readonly carried: readonly { readonly input: string; readonly output: string }[];
  /** Outputs that are published of all rounds, on a new first axis. */
  readonly collected: readonly string[];
}

export const showShape = (shape: Shape): string => `[${shape.join(", ")}]`;

export const outputsOf = ({ output, more }: Node): readonly Tensor[] => [output, ...more];

/** a + b of extents: numbers add, names join as "past+time", and "time-1" + 1 is "time" again. */
export function addDims(a: Dim, b: Dim): Dim {
  if (typeof a === "number") return typeof b === "number" ? a + b : addDims(b, a);
  if (typeof b === "string") return `${a}+${b}`;
  if (b === 0) return a;
  const [, base, sign, offset] = /^(.*)([+-])(\d+)$/.exec(a) ?? [undefined, a, "+", "0"];
  const sum = Number(`${sign}${offset}`) + b;
  return sum === 0 ? base! : `${base}${sum < 0 ? "-" : "+"}${Math.abs(sum)}`;
}

/** n * d of extents: "4*time" for a named one, "4*(time-1)" for a sum (or "4*time-1" + 1 would become "4*time"). */
export function scaleDim(n: number, dim: Dim): Dim {
  if (typeof dim === "number") return n * dim;
  return n === 1 ? dim : `${n}*${/[+-]/.test(dim) ? `(${dim})` : dim}`;
}

export const sameShape = (a: Shape, b: Shape): boolean =>
  a.length === b.length && a.every((dim, i) => dim === b[i]);
