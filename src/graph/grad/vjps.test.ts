/** @file Every row of the VJP table against central differences in random directions. */

import { describe, expect, it } from "vitest";
import { GraphBuilder } from "../build.ts";
import type { Op, Tensor } from "../ir.ts";
import { blockedValues, compile, f32, i64, random, type Value } from "../testing/run.ts";
import { gradients } from "./backward.ts";
import { vjps } from "./vjps.ts";

/** Inputs x (differentiated), constants c (fed, not differentiated), and y = build(x, c). */
interface Case {
  readonly x: readonly (readonly number[])[];
  readonly c?: readonly Value[];
  readonly build: (b: GraphBuilder, x: readonly Tensor[], c: readonly Tensor[]) => Tensor;
  readonly wholeUpTo?: number;
  /** Fed under their names. */
  readonly weights?: Record<string, Value>;
  /** Moves the random inputs into the operator's domain. */
  readonly domain?: (value: number, index: number, input: number) => number;
}

const positive = (v: number) => Math.abs(v) + 0.5;
/** Distinct values well apart, so that a small step never changes which one is larger. */
const spread = (v: number, i: number, input: number) => v * 0.05 + ((i * 7) % 11) * 0.4 - 2 + input * 0.2;

const elementwise = (
  op: "Neg" | "Exp" | "Log" | "Sqrt" | "Reciprocal" | "Sigmoid",
  domain?: Case["domain"],
): Case[] => [{ x: [[2, 3]], build: (b, [x]) => b[op](x!), ...(domain ? { domain } : {}) }];
const pair = (op: "Add" | "Sub" | "Mul" | "Div" | "Max" | "Min", domain?: Case["domain"]): Case[] =>
  [
    [
      [2, 3],
      [2, 3],
    ],
    [[2, 3], [3]],
    [
      [2, 1, 3],
      [4, 1],
    ],
    [[1], [2, 2]],
  ].map((x) => ({
    x,
    build: (b, [p, q]) => b[op](p!, q!),
    ...(domain ? { domain } : {}),
  }));

/** Closed: an operator without cases (or the statement that it has no gradient) does not compile. */
const cases: { readonly [O in Op]: readonly Case[] | "nondifferentiable" | "refused" } = {
  Add: pair("Add"),
  Sub: pair("Sub"),
  Mul: pair("Mul"),
  Div: pair("Div", positive),
  Max: pair("Max", spread),
  Min: pair("Min", spread),
  Neg: elementwise("Neg"),
  Exp: elementwise("Exp"),
  Log: elementwise("Log", positive),
  Sqrt: elementwise("Sqrt", positive),
  Reciprocal: elementwise("Reciprocal", positive),
  Sigmoid: elementwise("Sigmoid"),
  Equal: "nondifferentiable",
  Greater: "nondifferentiable",
  GreaterOrEqual: "nondifferentiable",
  Less: "nondifferentiable",
  LessOrEqual: "nondifferentiable",
  And: "nondifferentiable",
  Not: "nondifferentiable",
  Where: [
    { x: [[2, 3], [3]], domain: spread, build: (b, [p, q]) => b.Where(b.Less(p!, b.float(0)), p!, q!) },
  ],
  Cast: [
    { x: [[2, 3]], build: (b, [x]) => b.Mul(b.Cast(b.Greater(x!, b.float(9)), "float32"), b.Exp(x!)) },
    { x: [[4]], build: (b, [x]) => b.Cast(b.Mul(x!, x!), "float32") },
  ],
  ReduceSum: [
    { x: [[2, 3, 2]], build: (b, [x]) => b.ReduceSum(b.Mul(x!, x!), [1]) },
    // The gradient of the sum is short along axis 1; it must be counted once per element of the broadcast.
    {
      x: [
        [2, 1],
        [2, 3],
      ],
      build: (b, [p, q]) => b.ReduceSum(b.Add(p!, b.Mul(q!, p!)), [1]),
    },
  ],
  ReduceMean: [{ x: [[2, 3, 2]], build: (b, [x]) => b.ReduceMean(b.Exp(x!), [0, 2]) }],
  ReduceMax: [{ x: [[2, 5]], domain: spread, build: (b, [x]) => b.ReduceMax(b.Mul(x!, b.float(2)), [1]) }],
  ArgMax: "nondifferentiable",
  Reshape: [{ x: [[2, 6]], build: (b, [x]) => b.Mul(b.Reshape(x!, [3, 4]), b.Reshape(b.Exp(x!), [3, 4])) }],
  Transpose: [{ x: [[2, 3, 4]], build: (b, [x]) => b.Transpose(b.Exp(x!), [2, 0, 1]) }],
  Concat: [
    {
      x: [
        [2, 3],
        [2, 1],
        [2, 2],
      ],
      build: (b, x) => b.Concat(x, 1),
    },
    {
      x: [
        [1, 3],
        [2, 3],
      ],
      build: (b, x) => b.Exp(b.Concat(x, 0)),
    },
  ],
  Slice: [
    { x: [[3, 5]], build: (b, [x]) => b.Exp(b.Slice(x!, 1, 1, 4)) },
    { x: [[3, 5]], build: (b, [x]) => b.Exp(b.Slice(x!, 0, -1)) },
  ],
  SliceBetween: "nondifferentiable",
  Pad: [{ x: [[2, 3]], build: (b, [x]) => b.Exp(b.Pad(x!, [0, 1, 2, 0])) }],
  Expand: [
    {
      x: [
        [1, 3],
        [2, 3],
      ],
      build: (b, [p, q]) => b.Mul(b.Expand(p!, q!), q!),
    },
  ],
  Shape: "nondifferentiable",
  Gather: [
    { x: [[5, 3]], c: [i64([2, 2], [4, 0, 4, 1])], build: (b, [x], [ids]) => b.Exp(b.Gather(x!, ids!, 0)) },
  ],
  GatherElements: [
    {
      x: [[2, 5]],
      c: [i64([2, 3], [1, 1, 4, 0, 3, 2])],
      build: (b, [x], [ids]) => b.Exp(b.GatherElements(x!, ids!, 1)),
    },
  ],
  ScatterElements: [
    {
      x: [
        [2, 4],
        [2, 2],
      ],
      c: [i64([2, 2], [1, 1, 3, 0])],
      build: (b, [d, u], [ids]) => b.Exp(b.ScatterElements(d!, ids!, u!, 1, "add")),
    },
    {
      x: [
        [2, 4],
        [2, 2],
      ],
      c: [i64([2, 2], [1, 2, 3, 0])],
      build: (b, [d, u], [ids]) => b.Exp(b.ScatterElements(d!, ids!, u!, 1, "none")),
    },
  ],
  MatMul: [
    {
      x: [
        [2, 3],
        [3, 4],
      ],
      build: (b, [p, q]) => b.MatMul(p!, q!),
    },
    {
      x: [
        [2, 1, 3, 2],
        [5, 2, 3],
      ],
      build: (b, [p, q]) => b.MatMul(p!, q!),
    },
  ],
  Gemm: [0, 1].flatMap((transA) =>
    [0, 1].map((transB) => ({
      x: [transA ? [3, 2] : [2, 3], transB ? [4, 3] : [3, 4]],
      build: (b: GraphBuilder, [p, q]: readonly Tensor[]) => b.Gemm(p!, q!, { transA, transB }),
    })),
  ),
  // One block that is full and one that is not; both forms of making the matrix whole, and slices of it.
  MatMulNBits: ([[8], [4], [8, 80], [4, 80]] as const).map(([bits, wholeUpTo]) => ({
    x: [[3, 40]],
    ...(wholeUpTo && { wholeUpTo }),
    weights: blockedValues("w", [5, 40], bits),
    build: (b: GraphBuilder, [a]: readonly Tensor[]) =>
      b.MatMulNBits(b.Exp(a!), b.blocked("w", [5, 40], bits)),
  })),
  GatherBlockQuantized: "nondifferentiable",
  DequantizeLinear: "nondifferentiable",
  Softmax: [{ x: [[2, 4]], build: (b, [x]) => b.Softmax(b.Mul(x!, b.float(2)), -1) }],
  SimplifiedLayerNormalization: [
    { x: [[2, 3, 6], [6]], build: (b, [x, w]) => b.SimplifiedLayerNormalization(x!, w!, 1e-5) },
  ],
  StopGradient: "nondifferentiable",
  GroupQueryAttention: "refused",
  RotaryEmbedding: "refused",
  SkipSimplifiedLayerNormalization: "refused",
};

const STEP = 2e-2;
const DIRECTIONS = 3;
const TOLERANCE = 4e-3;

async function check(
  { x: shapes, c = [], weights: fed = {}, build, domain = (v) => v, wholeUpTo }: Case,
  seed: number,
): Promise<void> {
  const b = new GraphBuilder("case", "f32", wholeUpTo);
  const x = shapes.map((shape, i) => b.input(`x${i}`, "float32", shape));
  const fixed = c.map((v, i) => b.input(`c${i}`, "int64", v.dims));
  const y = build(b, x, fixed);
  const weight = b.input("weight", "float32", y.shape);
  const product = b.Mul(y, weight);
  const loss = b.ReduceSum(
    product,
    product.shape.map((_, i) => i),
  );
  b.output("loss", loss);
  gradients(b, loss, x).forEach((g, i) => b.output(`g${i}`, g));
  const run = await compile(b.finish());
  const next = random(seed);
  const size = (dims: readonly number[]) => dims.reduce((n, d) => n * d, 1);
  const draw = (dims: readonly number[]) => Float32Array.from({ length: size(dims) }, () => next());
  const at = shapes.map((dims, input) => draw(dims).map((v, i) => domain(v, i, input)));
  const weights = f32(y.shape as number[], draw(y.shape as number[]));
  const feeds = (values: readonly Float32Array[]) => ({
    ...Object.fromEntries(values.map((data, i) => [`x${i}`, f32(shapes[i]!, data)])),
    ...Object.fromEntries(c.map((v, i) => [`c${i}`, v])),
    weight: weights,
    ...fed,
  });
  const here = await run(feeds(at));
  for (let d = 0; d < DIRECTIONS; d++) {
    const direction = shapes.map(draw);
    const shifted = (t: number) => at.map((v, i) => v.map((value, j) => value + t * direction[i]![j]!));
    const value = async (t: number) => Number((await run(feeds(shifted(t))))["loss"]!.data[0]);
    const [p1, m1, p2, m2] = [
      await value(STEP),
      await value(-STEP),
      await value(2 * STEP),
      await value(-2 * STEP),
    ];
    // Fourth-order central difference: exact up to the fifth derivative, so a large step beats float32 rounding.
    const numeric = (8 * (p1 - m1) - (p2 - m2)) / (12 * STEP);
    const analytic = direction.reduce(
      (sum, dir, i) => dir.reduce((s, v, j) => s + v * Number(here[`g${i}`]!.data[j]), sum),
      0,
    );
    expect(Math.abs(numeric - analytic)).toBeLessThan(TOLERANCE * Math.max(1, Math.abs(numeric)));
  }
  shapes.forEach((dims, i) => expect(here[`g${i}`]!.dims).toEqual(dims));
}

describe("VJP rules agree with central differences", () => {
  for (const op of Object.keys(vjps) as Op[]) {
    const listed = cases[op];
    if (listed === "nondifferentiable" || listed === "refused")
      it(`${op} is declared ${listed}`, () => expect(vjps[op]).toBe(listed));
    else
      it(op, async () => {
        expect(typeof vjps[op]).toBe("function");
        for (const [i, c] of listed.entries()) await check(c, 17 + i);
      });
  }
});

describe("gradients", () => {
  it("sums what flows through several paths", async () => {
    await check({ x: [[3, 3]], build: (b, [x]) => b.Add(b.MatMul(x!, x!), b.Mul(x!, b.Softmax(x!, -1))) }, 5);
  });

  it("stops at StopGradient", async () => {
    const b = new GraphBuilder("stop");
    const x = b.input("x", "float32", [2]);
    const loss = b.ReduceSum(b.Mul(x, b.StopGradient(x)), [0]);
    b.output("g", gradients(b, loss, [x])[0]!);
    const { g } = await (await compile(b.finish()))({ x: f32([2], [3, -4]) });
    expect([...(g!.data as Float32Array)]).toEqual([3, -4]);
  });

  it("builds nothing for inputs nobody asked about", () => {
    const b = new GraphBuilder("pruned");
    const x = b.input("x", "float32", [1, 4]);
    const w = b.input("w", "float32", [4, 4]);
    const loss = b.ReduceSum(b.Gemm(x, w, { transB: 1 }), [0, 1]);
    const forward = b.nodes.length;
    gradients(b, loss, [x]);
    const backward = b.nodes.slice(forward).map((n) => n.op);
    expect(backward).toEqual(["Expand", "Gemm"]);
  });

  it("works through extents that are known only at run time", async () => {
    const b = new GraphBuilder("dynamic");
    const x = b.input("x", "float32", [2, "time", 4]);
    const past = b.input("past", "float32", [2, "past", 4]);
    const joined = b.Concat([past, x], 1);
    const scores = b.MatMul(x, b.Transpose(joined, [0, 2, 1]));
    const y = b.Slice(b.MatMul(b.Softmax(scores, -1), joined), 1, 1);
    const loss = b.ReduceSum(b.Mul(y, y), [0, 1, 2]);
    b.output("loss", loss);
    b.output("g", gradients(b, loss, [x])[0]!);
    const run = await compile(b.finish());
    const next = random(3);
    const make = (n: number) => Float32Array.from({ length: n }, () => next());
    const [x0, past0, direction] = [make(24), make(16), make(24)];
    const at = async (t: number) =>
      run({
        x: f32(
          [2, 3, 4],
          x0.map((v, i) => v + t * direction[i]!),
        ),
        past: f32([2, 2, 4], past0),
      });
    const numeric =
      (Number((await at(1e-2))["loss"]!.data[0]) - Number((await at(-1e-2))["loss"]!.data[0])) / 2e-2;
    const g = (await at(0))["g"]!;
    const analytic = direction.reduce((s, v, i) => s + v * Number(g.data[i]), 0);
    expect(g.dims).toEqual([2, 3, 4]);
    expect(Math.abs(numeric - analytic)).toBeLessThan(1e-2 * Math.abs(numeric));
  });

  it("refuses to pass a fused operator, also by an output behind its first", () => {
    for (const of of ["normed", "sum"] as const) {
      const b = new GraphBuilder("fused");
      const x = b.input("x", "float32", [2, 4]);
      const both = b.SkipSimplifiedLayerNormalization(x, b.Exp(x), b.input("scale", "float32", [4]), 1e-6);
      const loss = b.ReduceSum(b.Add(x, both[of]), [0, 1]);
      expect(() => gradients(b, loss, [x])).toThrow(
        "graph: /SkipSimplifiedLayerNormalization: SkipSimplifiedLayerNormalization has no gradient; build the graph without fused operators",
      );
    }
  });

  it("names the loss and the input when they are not connected", () => {
    const b = new GraphBuilder("cut");
    const x = b.input("x", "float32", [2]);
    const y = b.input("y", "float32", [2]);
    const loss = b.ReduceSum(y, [0]);
    expect(() => gradients(b, loss, [x])).toThrow(/does not depend on x/);
  });
});
