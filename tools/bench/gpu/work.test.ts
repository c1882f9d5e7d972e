/** @file The counting behind the limits, against the graphs that are run. */

import { expect, it } from "vitest";
import { encode, prefill } from "../../../src/engine/roles.ts";
import type { Graph } from "../../../src/graph/ir.ts";
import { parseConfig } from "../../../src/graph/models/config.ts";
import { familyOf } from "../../../src/graph/models/families.ts";
import { forward } from "../../../src/graph/programs/forward.ts";
import { MODEL_SHAPES, type ModelShape } from "../../modelShapes.ts";
import { ModelWork } from "./work.ts";

const RATES = { bytesPerSecond: 1, flopsPerSecond: 1, uploadBytesPerSecond: 1 };

/** Operations of the products with a weight among their inputs, which in float32 are MatMul and Gemm. */
function productsOf(graph: Graph, named: Record<string, number>): number {
  const size = (dim: number | string): number => (typeof dim === "number" ? dim : named[dim]!);
  const weights = new Set(graph.weights);
  const made = new Map(graph.nodes.map((node) => [node.output, node]));
  /** Whether a tensor is a weight, turned or split perhaps. */
  const ofWeight = (tensor: Graph["weights"][number]): boolean => {
    if (weights.has(tensor)) return true;
    const node = made.get(tensor);
    return (
      node !== undefined && ["Transpose", "Slice", "Reshape"].includes(node.op) && ofWeight(node.inputs[0]!)
    );
  };
  let flops = 0;
  for (const { op, inputs, output } of graph.nodes) {
    if (op !== "MatMul" && op !== "Gemm") continue;
    const weight = inputs.find(ofWeight);
    if (!weight) continue;
    const [n, k] = weight.shape.map(size) as [number, number];
    const rows = output.shape.map(size).reduce((a, b) => a * b, 1) / size(output.shape.at(-1)!);
    flops += 2 * rows * n * k;
  }
  return flops;
}

const decoderOf = (shape: ModelShape) => {
  const config = parseConfig(MODEL_SHAPES[shape]);
  return { config, family: familyOf(config.architecture) };
};

for (const shape of ["tiny", "qwen3-0.6b", "phi3.5-mini"] as const) {
  it(`counts the products of an encoding step of ${shape} as its graph has them`, () => {
    const decoder = decoderOf(shape);
    const options = { layer: 1, beta1: 0.9, beta2: 0.999 };
    const [batch, suffix, targets] = [8, 6, 16];
    const columns = { time: suffix - 1 + targets, past: 24 };
    const counted = productsOf(encode(batch, suffix, options, columns).build(decoder), {});
    const pass = { tokens: batch * columns.time, predicted: batch * targets };
    const { flops } = new ModelWork(decoder.config, "f32", RATES).work({
      ...pass,
      layers: decoder.config.layers - options.layer - 1,
    });
    // Backwards as much again, for δ alone: no weight has a gradient.
    expect(counted).toBe(2 * flops);
  });

  it(`counts the products of reading a prompt with ${shape} as its graph has them`, () => {
    const decoder = decoderOf(shape);
    const counted = productsOf(forward(decoder, prefill(1)), { time: 256 });
    const { flops } = new ModelWork(decoder.config, "f32", RATES).work({ tokens: 256, predicted: 1 });
    expect(counted).toBe(flops);
  });
}

it("takes for each pass what takes longer, and a step twice what is above its layer", () => {
  const { config } = decoderOf("tiny");
  const bound = (flopsPerSecond: number, bytesPerSecond: number) =>
    new ModelWork(config, "q8", { ...RATES, flopsPerSecond, bytesPerSecond });
  const pass = { tokens: 10, predicted: 1 };
  const { flops, bytes } = bound(1, 1).work(pass);
  expect(bound(1, Infinity).seconds(pass, pass)).toBe(2 * flops);
  expect(bound(Infinity, 1).seconds(pass)).toBe(bytes);
  const half = bound(1, Infinity).seconds({ ...pass, layers: 2 });
  expect(bound(1, Infinity).step({ ...pass, layer: 1 })).toBe(2 * half);
});
