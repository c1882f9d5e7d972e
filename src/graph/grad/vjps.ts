/** @file Reverse-mode rules in the builder's own calls, one row per operator. backward.ts sums, accumulates and prunes. */

import type { GraphBuilder } from "../build.ts";
import { COMPARISONS, each, sameShape, showShape, type AttributesOf, type Op, type Tensor } from "../ir.ts";
import { axisOf, TO_END } from "../ops/infer.ts";

/**
 * A rule: the gradients of the inputs, null for indices and conditions. `g`, of the output `y`, may broadcast along axes on
 * which it is constant; `whole()` has every element.
 */
export type Vjp<A> = (context: {
  readonly b: GraphBuilder;
  readonly at: string;
  readonly g: Tensor;
  readonly y: Tensor;
  readonly x: readonly Tensor[];
  readonly attributes: A;
  readonly whole: () => Tensor;
}) => readonly ((() => Tensor) | null)[];

type AnyVjp = Vjp<null>;

const last = (t: Tensor): number => t.shape.length - 1;

function swapLast(b: GraphBuilder, t: Tensor): Tensor {
  const perm = t.shape.map((_, i) => i);
  [perm[last(t)], perm[last(t) - 1]] = [last(t) - 1, last(t)];
  return b.Transpose(t, perm);
}

const gated = (b: GraphBuilder, g: Tensor, mask: Tensor): Tensor => b.Mul(g, b.Cast(mask, "float32"));

/** max(a, b) or min(a, b): the gradient goes to the winner (to a on a tie). */
const extremum =
  (wins: "GreaterOrEqual" | "LessOrEqual"): AnyVjp =>
  ({ b, g, x: [p, q] }) => [() => gated(b, g, b[wins](p!, q!)), () => gated(b, g, b.Not(b[wins](p!, q!)))];

const slice: Vjp<AttributesOf<"Slice">> = ({ b, at, x: [x], whole, attributes: { axis, start, end } }) => [
  () => {
    const along = axisOf(at, axis, x!.shape);
    const dim = x!.shape[along]!;
    const pads = new Array<number>(2 * x!.shape.length).fill(0);
    if (typeof dim === "number") {
      const clamp = (i: number) => Math.min(Math.max(i < 0 ? i + dim : i, 0), dim);
      pads[along] = clamp(start);
      pads[along + x!.shape.length] = dim - clamp(end);
    } else if (start >= 0 && end === TO_END) pads[along] = start;
    else
      throw new Error(
        `graph: ${at}: no gradient for ${start}..${end} of the unknown extent "${dim}": slice to its end, or fix it`,
      );
    return b.Pad(whole(), pads);
  },
];

const zerosLike = (b: GraphBuilder, x: Tensor): Tensor => b.Expand(single(b, 0, x), x);

export function single(b: GraphBuilder, value: number, x: Tensor): Tensor {
  const ones = x.shape.map(() => 1);
  return b.float(value, ones);
}

/** The rules. A gradient stops at "nondifferentiable"; a graph that needs a "refused" one is not built. */
export const vjps: { readonly [O in Op]: Vjp<AttributesOf<O>> | "nondifferentiable" | "refused" } = {
  // ----- Elementwise -----
  Add: ({ g }) => [() => g, () => g],
  Sub: ({ b, g }) => [() => g, () => b.Neg(g)],
  Mul: ({ b, g, x: [p, q] }) => [() => b.Mul(g, q!), () => b.Mul(g, p!)],
  Div: ({ b, g, y, x: [, q] }) => [() => b.Div(g, q!), () => b.Neg(b.Mul(g, b.Div(y, q!)))],
  Max: extremum("GreaterOrEqual"),
  Min: extremum("LessOrEqual"),
  Neg: ({ b, g }) => [() => b.Neg(g)],
  Exp: ({ b, g, y }) => [() => b.Mul(g, y)],
  Log: ({ b, g, x: [x] }) => [() => b.Div(g, x!)],
  Sqrt: ({ b, g, y }) => [() => b.Div(b.Mul(g, b.float(0.5)), y)],
  Reciprocal: ({ b, g, y }) => [() => b.Neg(b.Mul(g, b.Mul(y, y)))],
  Sigmoid: ({ b, g, y }) => [() => b.Mul(g, b.Mul(y, b.Sub(b.float(1), y)))],
  Where: ({ b, g, x: [c] }) => [null, () => b.Where(c!, g, b.float(0)), () => b.Where(c!, b.float(0), g)],
  Cast: ({ b, g, x: [x] }) => [() => b.Cast(g, x!.dtype)],
  ...each(COMPARISONS, "nondifferentiable" as const),
  ...each(["And", "Not", "StopGradient"], "nondifferentiable" as const),
  // ----- Reductions: a gradient that is constant along an axis stays small and broadcasts -----
  ReduceSum: ({ g }) => [() => g],
  ReduceMean: ({ b, at, g, x: [x], attributes: { axes } }) => [
    () => {
      const count = axes.reduce<number>((n, axis) => n * Number(x!.shape[axisOf(at, axis, x!.shape)]), 1);
      if (Number.isNaN(count))
        throw new Error(
          `graph: ${at}: the mean over an unknown extent of ${showShape(x!.shape)} has no gradient here`,
        );
      return b.Mul(g, b.float(1 / count));
    },
  ],
  ReduceMax: ({ b, g, y, x: [x] }) => [() => gated(b, g, b.Equal(x!, y))],
  ArgMax: "nondifferentiable",
  // ----- Movement -----
  Reshape: ({ b, x: [x], whole }) => [() => b.Reshape(whole(), x!.shape)],
  Transpose: ({ b, whole, attributes: { perm } }) => {
    const inverse = perm.map((_, i) => perm.indexOf(i));
    return [() => b.Transpose(whole(), inverse)];
  },
  /** Slices of g; a named extent can be skipped only as the first or as the last of two inputs. */
  Concat: ({ b, at, x, whole, attributes: { axis } }) => {
    const along = axisOf(at, axis, x[0]!.shape);
    const extent = (t: Tensor) => t.shape[along]!;
    return x.map((t, i) => () => {
      const before = x.slice(0, i).map(extent);
      if (before.every((d) => typeof d === "number")) {
        const start = before.reduce((n, d) => n + d, 0);
        const size = extent(t);
        if (typeof size === "number") return b.Slice(whole(), along, start, start + size);
        if (i === 0) return b.SliceBetween(whole(), along, b.int64([0]), b.Shape(t, along, along + 1), size);
        if (i === x.length - 1) return b.Slice(whole(), along, start, TO_END, size);
      }
      if (i === 1 && x.length === 2)
        return b.SliceBetween(whole(), along, b.Shape(x[0]!, along, along + 1), b.int64([TO_END]), extent(t));
      throw new Error(
        `graph: ${at}: no gradient for input ${i} of ${x.map((t) => showShape(t.shape)).join(", ")}: ` +
          "only the first or the last of two inputs may follow an extent that is not known",
      );
    });
  },
  Slice: slice,
  SliceBetween: "nondifferentiable",
  Pad: ({ b, x: [x], whole, attributes: { pads } }) => [
    () =>
      x!.shape.reduce<Tensor>((g, dim, i) => {
        const [before, after] = [pads[i]!, pads[i + x!.shape.length]!];
        return before + after === 0 ? g : b.Slice(g, i, before, after === 0 ? TO_END : -after, dim);
      }, whole()),
  ],
  Expand: ({ g }) => [() => g, null],
  Shape: "nondifferentiable",
  /** Rows of a table: repeated rows add up. Defined along axis 0, where embeddings gather. */
  Gather: ({ b, at, x: [data, indices], whole, attributes: { axis } }) => [
    () => {
      if (axis !== 0 || data!.shape.length !== 2)
        throw new Error(
          `graph: ${at}: Gather has a gradient along axis 0 of a matrix, not along ${axis} of ${showShape(data!.shape)}`,
        );
      const rows = b.Reshape(whole(), ["rows", data!.shape[1]!]);
      const spread = b.Expand(b.Reshape(indices!, ["rows", 1]), rows);
      return b.ScatterElements(zerosLike(b, data!), spread, rows, 0, "add");
    },
    null,
  ],
  GatherElements: ({ b, x: [data, at], whole, attributes }) => [
    () => b.ScatterElements(zerosLike(b, data!), at!, whole(), attributes.axis, "add"),
    null,
  ],
  /** With reduction "none" the overwritten elements of data get nothing. */
  ScatterElements: ({ b, x: [, indices, updates], whole, attributes: { axis, reduction } }) => [
    () =>
      reduction === "add"
        ? whole()
        : b.ScatterElements(whole(), indices!, zerosLike(b, updates!), axis, "none"),
    null,
    () => b.GatherElements(whole(), indices!, axis),
  ],
  // ----- Products and normalisation -----
  /** y = A B: dA = g B^T, dB = A^T g. */
  MatMul: ({ b, x: [p, q], whole }) => [
    () => b.MatMul(whole(), swapLast(b, q!)),
    () => b.MatMul(swapLast(b, p!), whole()),
  ],
  /** y = op(A) op(B); the four cases keep the weight in its stored layout. */
  Gemm: ({ b, x: [p, q], whole, attributes: { transA, transB } }) => [
    () =>
      transA
        ? b.Gemm(q!, whole(), { transA: transB, transB: 1 })
        : b.Gemm(whole(), q!, { transB: transB ? 0 : 1 }),
    () =>
      transB
        ? b.Gemm(whole(), p!, { transA: 1, transB: transA })
        : b.Gemm(p!, whole(), { transA: transA ? 0 : 1 }),
  ],
  /** y = A W^T with W in blocks: dA = g W. No kernel multiplies by blocks from this side; levels and scales have no gradient. */
  MatMulNBits: ({ b, x: [, blocks], whole }) => [
    () => {
      let sum: Tensor | undefined;
      for (const { from, to, rows } of b.dequantised(blocks!)) {
        const g = whole();
        const part = b.MatMul(to - from === g.shape.at(-1) ? g : b.Slice(g, -1, from, to), rows);
        sum = sum ? b.Add(sum, part) : part;
      }
      return sum!;
    },
    null,
    null,
  ],
  GatherBlockQuantized: "nondifferentiable",
  DequantizeLinear: "nondifferentiable",
  /** y = softmax(x): dx = y (g - sum(g y)). */
  Softmax: ({ b, g, y, attributes: { axis } }) => [
    () => {
      const gy = b.Mul(g, y);
      return b.Sub(gy, b.Mul(y, b.ReduceSum(gy, [axis])));
    },
  ],
  /**
   * y = x r w with r = 1 / sqrt(mean(x^2) + epsilon), h = g w: dx = r h - x r^3 mean(h x), dw = sum over rows of g x r. The
   * operator's own r is wrong on WebGPU.
   */
  SimplifiedLayerNormalization: ({ b, g, x: [x, w], attributes }) => {
    const axis = last(x!);
    const rstd = () =>
      b.Reciprocal(b.Sqrt(b.Add(b.ReduceMean(b.Mul(x!, x!), [axis]), b.float(attributes.epsilon))));
    return [
      () => {
        const r = rstd();
        const h = b.Mul(g, w!);
        const projection = b.ReduceMean(b.Mul(h, x!), [axis]);
        const cubed = b.Mul(b.Mul(r, r), r);
        return b.Sub(b.Mul(h, r), b.Mul(x!, b.Mul(cubed, projection)));
      },
      () => b.Mul(g, b.Mul(x!, rstd())),
    ];
  },
  // ----- Fused: for steps that only say what comes next -----
  GroupQueryAttention: "refused",
  RotaryEmbedding: "refused",
  SkipSimplifiedLayerNormalization: "refused",
};

/** g as large as y: rules that move or multiply need every element. */
export const wholeGradient = (b: GraphBuilder, g: Tensor, y: Tensor): Tensor =>
  sameShape(g.shape, y.shape) ? g : b.Expand(g, y);
