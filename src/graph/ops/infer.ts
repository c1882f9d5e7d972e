/** @file Shape and dtype of every operator's output, checked with messages that name node and shapes. */

import { assert, present } from "../../lib/assert.ts";
import { blocksOf, levelBytes, paddedColumns } from "../../lib/blocks.ts";
import {
  addDims,
  ARITHMETIC,
  COMPARISONS,
  each,
  FUNCTIONS,
  sameShape,
  showShape,
  type AttributesOf,
  type Dim,
  type DType,
  type Op,
  type Shape,
  type Tensor,
} from "../ir.ts";

interface Inferred {
  readonly dtype: DType;
  readonly shape: Shape;
  readonly more?: readonly Inferred[];
}

type Rule<A> = (at: string, inputs: readonly Tensor[], attributes: A) => Inferred;

const fail = (at: string, message: string): never => {
  throw new Error(`graph: ${at}: ${message}`);
};

/** Numpy broadcasting; a named extent only matches itself or 1. */
export function broadcast(at: string, a: Shape, b: Shape): Shape {
  const rank = Math.max(a.length, b.length);
  const dim = (shape: Shape, i: number): Dim => shape[i - rank + shape.length] ?? 1;
  return Array.from({ length: rank }, (_, i) => {
    const [x, y] = [dim(a, i), dim(b, i)];
    if (x === y || y === 1) return x;
    if (x === 1) return y;
    return fail(at, `cannot broadcast ${showShape(a)} with ${showShape(b)}: extents ${x} and ${y} differ`);
  });
}

const input = (at: string, inputs: readonly Tensor[], i: number): Tensor =>
  present(inputs[i], () => `graph: ${at}: input ${i} is missing`);

function sameType(at: string, inputs: readonly Tensor[]): DType {
  const [first] = inputs;
  for (const t of inputs)
    assert(
      t.dtype === first!.dtype,
      () => `graph: ${at}: ${t.name} is ${t.dtype}, ${first!.name} is ${first!.dtype}; cast one of them`,
    );
  return first!.dtype;
}

function expectTensor(at: string, { name, dtype, shape }: Tensor, type: DType, expected: Shape): void {
  if (dtype !== type || !sameShape(shape, expected))
    fail(at, `${name} is ${dtype} ${showShape(shape)}, expected ${type} ${showShape(expected)}`);
}

export function axisOf(at: string, axis: number, shape: Shape): number {
  const wrapped = axis < 0 ? axis + shape.length : axis;
  if (!(wrapped >= 0 && wrapped < shape.length))
    throw new Error(`graph: ${at}: axis ${axis} is outside ${showShape(shape)}`);
  return wrapped;
}

const binary: Rule<null> = (at, [a, b]) => ({
  dtype: sameType(at, [a!, b!]),
  shape: broadcast(at, a!.shape, b!.shape),
});
const comparison: Rule<null> = (at, inputs) => ({ ...binary(at, inputs, null), dtype: "bool" });
const logical: Rule<null> = (at, inputs) => {
  for (const t of inputs) if (t.dtype !== "bool") fail(at, `${t.name} is ${t.dtype}, expected bool`);
  const [a, b = a] = inputs;
  return { dtype: "bool", shape: broadcast(at, a!.shape, b!.shape) };
};
const unary: Rule<null> = (at, inputs) => {
  const { dtype, shape } = input(at, inputs, 0);
  return { dtype, shape };
};

const reduce: Rule<AttributesOf<"ReduceSum">> = (at, inputs, { axes }) => {
  const { dtype, shape } = input(at, inputs, 0);
  const reduced = new Set(axes.map((axis) => axisOf(at, axis, shape)));
  return { dtype, shape: shape.map((dim, i) => (reduced.has(i) ? 1 : dim)) };
};

/** Number of elements as a known factor and the names it multiplies: [2, "4*time", 8] is 64 and "time". */
function elements(shape: Shape): { factor: number; names: string } {
  const parts = shape.map((dim): [number, string?] => {
    if (typeof dim === "number") return [dim];
    const [, n, sum, name] = /^(\d+)\*(?:\(([^()]*)\)|([^+-]*))$/.exec(dim) ?? [];
    return n === undefined ? [1, dim] : [Number(n), sum ?? name!];
  });
  return {
    factor: parts.reduce((product, [n]) => product * n, 1),
    names: parts
      .flatMap(([, name]) => name ?? [])
      .sort()
      .join(" * "),
  };
}

const transpose: Rule<AttributesOf<"Transpose">> = (at, [x], { perm }) => {
  const sorted = [...perm].sort((p, q) => p - q);
  if (!(perm.length === x!.shape.length && sorted.every((axis, i) => axis === i)))
    throw new Error(`graph: ${at}: [${perm.join(", ")}] does not permute the axes of ${showShape(x!.shape)}`);
  return { dtype: x!.dtype, shape: perm.map((axis) => x!.shape[axis]!) };
};

/** Largest int64 that a JS number holds exactly: "to the end" for Slice. */
export const TO_END = Number.MAX_SAFE_INTEGER;

/** Extent of start..end of `dim`; of an unknown one as far as it follows from the bounds. */
function sliceExtent(dim: Dim, start: number, end: number): Dim | undefined {
  if (typeof dim === "number") {
    const clamp = (i: number) => Math.min(Math.max(i < 0 ? i + dim : i, 0), dim);
    return clamp(end) - clamp(start);
  }
  if (end === TO_END) return start < 0 ? -start : addDims(dim, -start);
  if (start >= 0 && end < 0) return addDims(dim, end - start);
  return start < 0 === end < 0 ? end - start : undefined;
}

const slice: Rule<AttributesOf<"Slice">> = (at, [x], { axis, start, end, as }) => {
  const along = axisOf(at, axis, x!.shape);
  const dim = x!.shape[along]!;
  const what = `slice ${start}..${end} of ${showShape(x!.shape)} along axis ${axis}`;
  const found = sliceExtent(dim, start, end);
  if (typeof dim === "number" && as !== undefined && as !== found)
    fail(at, `${what} has extent ${found}, not ${as}`);
  const extent = as ?? found ?? fail(at, `${what} has no known extent; name it`);
  if (typeof extent === "number" && extent <= 0) fail(at, `${what} is empty`);
  return { dtype: x!.dtype, shape: x!.shape.map((d, i) => (i === along ? extent : d)) };
};

function checkIndices(at: string, indices: Tensor): void {
  if (indices.dtype !== "int64" && indices.dtype !== "int32")
    fail(at, `indices ${indices.name} are ${indices.dtype}, expected int32 or int64`);
}

/** Element-wise indices: one per element of the output (or update), inside data's shape on every other axis. */
function checkElementIndices(at: string, data: Tensor, indices: Tensor, axis: number): void {
  checkIndices(at, indices);
  const along = axisOf(at, axis, data.shape);
  const inside = (dim: Dim, i: number): boolean => {
    const room = data.shape[i]!;
    const fits = typeof dim === "number" && (typeof room === "string" || dim < room);
    return i === along || dim === room || fits;
  };
  const [own, outer] = [showShape(indices.shape), showShape(data.shape)];
  if (indices.shape.length !== data.shape.length || !indices.shape.every(inside))
    fail(at, `indices ${own} are not within ${outer} except along axis ${axis}`);
}

const norm: Rule<AttributesOf<"SimplifiedLayerNormalization">> = (at, [x, scale]) => {
  const width = x!.shape.at(-1);
  if (scale!.shape.length !== 1 || scale!.shape[0] !== width)
    fail(at, `scale ${showShape(scale!.shape)} does not fit the last axis of ${showShape(x!.shape)}`);
  return { dtype: sameType(at, [x!, scale!]), shape: x!.shape };
};

function checkBlocked(at: string, levels: Tensor, shape: Shape, scales: Tensor, blocks: number): void {
  expectTensor(at, levels, "uint8", shape);
  expectTensor(at, scales, "float32", [shape[0]!, blocks]);
}

/** The closed table: an operator without a row does not compile. */
const rules: { readonly [O in Op]: Rule<AttributesOf<O>> } = {
  ...each(ARITHMETIC, binary),
  ...each(COMPARISONS, comparison),
  ...each(FUNCTIONS, unary),
  Reciprocal: unary,
  And: logical,
  Not: logical,
  StopGradient: unary,
  Where: (at, [c, a, b]) => ({
    dtype: sameType(at, [a!, b!]),
    shape: broadcast(at, logical(at, [c!], null).shape, broadcast(at, a!.shape, b!.shape)),
  }),
  Cast: (_, [x], { to }) => ({ dtype: to, shape: x!.shape }),
  ReduceSum: reduce,
  ReduceMean: reduce,
  ReduceMax: reduce,
  ArgMax: (at, [x], { axis, keepdims }) => {
    const along = axisOf(at, axis, x!.shape);
    const shape = x!.shape.flatMap((dim, i) => (i !== along ? [dim] : keepdims ? [1] : []));
    return { dtype: "int64", shape };
  },
  Reshape: (at, [x], { to }) => {
    const [from, into] = [elements(x!.shape), elements(to)];
    const show = ({ factor, names }: typeof from) => (names === "" ? `${factor}` : `${factor} * ${names}`);
    const [before, after] = [
      `${showShape(x!.shape)} (${show(from)} elements)`,
      `${showShape(to)} (${show(into)})`,
    ];
    // Different names may still be the same extents.
    if (from.names === into.names && from.factor !== into.factor)
      fail(at, `cannot reshape ${before} to ${after}`);
    return { dtype: x!.dtype, shape: to };
  },
  Transpose: transpose,
  Concat: (at, inputs, { axis }) => {
    const dtype = sameType(at, inputs);
    const first = inputs[0]!.shape;
    const along = axisOf(at, axis, first);
    for (const { shape, name } of inputs)
      for (const [i, dim] of shape.entries())
        if (i !== along && dim !== first[i])
          fail(at, `cannot join ${name} ${showShape(shape)} to ${showShape(first)} along axis ${axis}`);
    const extent = inputs.map((t) => t.shape[along]!).reduce(addDims);
    return { dtype, shape: first.map((dim, i) => (i === along ? extent : dim)) };
  },
  Slice: slice,
  SliceBetween: (at, [x, ...bounds], { axis, as }) => {
    for (const bound of bounds) expectTensor(at, bound, "int64", [1]);
    const along = axisOf(at, axis, x!.shape);
    return { dtype: x!.dtype, shape: x!.shape.map((dim, i) => (i === along ? as : dim)) };
  },
  Pad: (at, [x], { pads }) => {
    const rank = x!.shape.length;
    if (!(pads.length === 2 * rank && pads.every((p) => p >= 0)))
      throw new Error(`graph: ${at}: needs ${2 * rank} pads >= 0, got [${pads.join(", ")}]`);
    const shape = x!.shape.map((dim, i) => {
      const extra = pads[i]! + pads[i + rank]!;
      return extra === 0 ? dim : addDims(dim, extra);
    });
    return { dtype: x!.dtype, shape };
  },
  Expand: (at, [x, like]) => ({ dtype: x!.dtype, shape: broadcast(at, x!.shape, like!.shape) }),
  Shape: (_at, _inputs, { start, end }) => ({ dtype: "int64", shape: [end - start] }),
  Gather: (at, [data, indices], { axis }) => {
    const along = axisOf(at, axis, data!.shape);
    checkIndices(at, indices!);
    const shape = [...data!.shape.slice(0, along), ...indices!.shape, ...data!.shape.slice(along + 1)];
    return { dtype: data!.dtype, shape };
  },
  GatherElements: (at, [data, indices], { axis }) => {
    checkElementIndices(at, data!, indices!, axis);
    return { dtype: data!.dtype, shape: indices!.shape };
  },
  ScatterElements: (at, [data, indices, updates], { axis }) => {
    checkElementIndices(at, data!, indices!, axis);
    if (!sameShape(indices!.shape, updates!.shape))
      fail(at, `updates ${showShape(updates!.shape)} need one index each, got ${showShape(indices!.shape)}`);
    return { dtype: sameType(at, [data!, updates!]), shape: data!.shape };
  },
  MatMul: (at, [a, b]) => {
    const dtype = sameType(at, [a!, b!]);
    assert(a!.shape.length >= 2 && b!.shape.length >= 2, () => `graph: ${at}: both inputs need two axes`);
    const [inner, other] = [a!.shape.at(-1)!, b!.shape.at(-2)!];
    if (inner !== other)
      fail(at, `cannot multiply ${showShape(a!.shape)} by ${showShape(b!.shape)}: ${inner} is not ${other}`);
    const batch = broadcast(at, a!.shape.slice(0, -2), b!.shape.slice(0, -2));
    return { dtype, shape: [...batch, a!.shape.at(-2)!, b!.shape.at(-1)!] };
  },
  Gemm: (at, [a, b], { transA, transB }) => {
    const dtype = sameType(at, [a!, b!]);
    assert(
      a!.shape.length === 2 && b!.shape.length === 2,
      () => `graph: ${at}: Gemm takes matrices, got ${showShape(a!.shape)} and ${showShape(b!.shape)}`,
    );
    const [m, k] = transA ? [a!.shape[1]!, a!.shape[0]!] : [a!.shape[0]!, a!.shape[1]!];
    const [k2, n] = transB ? [b!.shape[1]!, b!.shape[0]!] : [b!.shape[0]!, b!.shape[1]!];
    if (k !== k2)
      fail(at, `cannot multiply ${showShape(a!.shape)} by ${showShape(b!.shape)}: ${k} is not ${k2}`);
    return { dtype, shape: [m, n] };
  },
  MatMulNBits: (at, [a, blocks, scales], { K, N, bits }) => {
    const count = blocksOf(K);
    checkBlocked(at, blocks!, [N, count, levelBytes(K, bits) / count], scales!, count);
    const given = `${a!.dtype} ${showShape(a!.shape)}`;
    if (a!.dtype !== "float32" || a!.shape.at(-1) !== K)
      fail(at, `cannot multiply ${given} by a matrix [${N}, ${K}] in blocks, transposed`);
    return { dtype: "float32", shape: [...a!.shape.slice(0, -1), N] };
  },
  GatherBlockQuantized: (at, [rows, indices, scales], { bits, blockSize }) => {
    checkIndices(at, indices!);
    const blocks = Number(scales!.shape[1]);
    checkBlocked(at, rows!, [rows!.shape[0]!, levelBytes(blocks * blockSize, bits)], scales!, blocks);
    return { dtype: "float32", shape: [...indices!.shape, blocks * blockSize] };
  },
  DequantizeLinear: (at, [x, scales, zeros]) => {
    const columns = Number(x!.shape[1]);
    checkBlocked(at, x!, [x!.shape[0]!, paddedColumns(columns)], scales!, blocksOf(columns));
    expectTensor(at, zeros!, "uint8", scales!.shape);
    return { dtype: "float32", shape: x!.shape };
  },
  Softmax: (at, [x], { axis }) => {
    axisOf(at, axis, x!.shape);
    return { dtype: x!.dtype, shape: x!.shape };
  },
  SimplifiedLayerNormalization: norm,
  GroupQueryAttention: (at, [query, key, value, pastKey, pastValue, seen, total], { heads, kvHeads }) => {
    const dtype = sameType(at, [query!, key!, value!, pastKey!, pastValue!]);
    const [batch, time, width] = query!.shape;
    const headDim = Number(width) / heads;
    for (const own of [key!, value!]) expectTensor(at, own, dtype, [batch!, time!, kvHeads * headDim]);
    const length = pastKey!.shape[2] ?? 0;
    for (const past of [pastKey!, pastValue!])
      expectTensor(at, past, dtype, [batch!, kvHeads, length, headDim]);
    expectTensor(at, seen!, "int32", [batch!]);
    expectTensor(at, total!, "int32", []);
    const cache = { dtype, shape: pastKey!.shape };
    return { dtype, shape: query!.shape, more: [cache, cache] };
  },
  RotaryEmbedding: (at, [x, positions, cos, sin]) => {
    const [batch, time, width] = x!.shape;
    const half = Number(cos!.shape[1]);
    const tables = `${showShape(cos!.shape)} and ${showShape(sin!.shape)}`;
    if (cos!.shape.length !== 2 || !sameShape(cos!.shape, sin!.shape))
      fail(at, `tables ${tables} must both be [count, headDim / 2]`);
    if (x!.shape.length !== 3 || Number(width) % (2 * half) !== 0)
      fail(at, `${showShape(x!.shape)} is not [batch, time, heads * ${2 * half}]`);
    expectTensor(at, positions!, "int64", [batch!, time!]);
    return { dtype: sameType(at, [x!, cos!, sin!]), shape: x!.shape };
  },
  SkipSimplifiedLayerNormalization: (at, [x, skip, scale]) => {
    if (!sameShape(x!.shape, skip!.shape))
      fail(at, `cannot add ${showShape(skip!.shape)} to ${showShape(x!.shape)}: the shapes must be alike`);
    sameType(at, [x!, skip!]);
    const { dtype, shape } = norm(at, [x!, scale!], { axis: -1, epsilon: 0 });
    return { dtype, shape, more: [{ dtype, shape }] };
  },
};

/** Dtype and shape of the outputs of `op` at address `at`. Throws an Error naming node, shapes and the reason. */
export function infer<O extends Op>(
  at: string,
  op: O,
  inputs: readonly Tensor[],
  attributes: AttributesOf<O>,
): Inferred {
  for (const i of inputs.keys()) input(at, inputs, i);
  return rules[op](at, inputs, attributes);
}
