/** @file A step made for one shape gives the bits of the step for any. */

import { expect, it } from "vitest";
import { outputsOf, type Graph } from "../ir.ts";
import { compile, type Value } from "../testing/run.ts";
import { MODEL_SHAPES } from "../../../tools/modelShapes.ts";
import { parseConfig } from "../models/config.ts";
import { familyOf } from "../models/families.ts";
import { forward } from "./forward.ts";
import { encodeStep } from "./train.ts";
import { begun, FIXED_STEP, OPEN_STEP } from "../testing/step.ts";

const values = Object.fromEntries(
  [...FIXED_STEP.inputs, ...FIXED_STEP.weights].map((tensor): [string, Value] => [
    tensor.name,
    { dims: tensor.shape.map(Number), data: begun(tensor) },
  ]),
);

/** Steps of `graph`, each from the state that the one before it left. */
async function steps(graph: Graph, count: number): Promise<Record<string, Value>[]> {
  const run = await compile(graph);
  const found: Record<string, Value>[] = [];
  for (let state = {}; found.length < count;) {
    const out = await run({ ...values, ...state });
    found.push(out);
    state = { delta: out["delta.next"], m: out["m.next"], v: out["v.next"] };
  }
  return found;
}

it("a step made for one shape gives the bits of the step for any", async () => {
  const fixed = await steps(FIXED_STEP, 3);
  expect(fixed).toEqual(await steps(OPEN_STEP, 3));
  expect(new Set(fixed.map((step) => String(step["delta.next"]!.data))).size).toBe(3);
  expect(FIXED_STEP.inputs.every(({ shape }) => shape.every((dim) => typeof dim === "number"))).toBe(true);
});

it.each(
  (["qwen3-0.6b", "qwen3-4b", "llama3.1-8b"] as const).flatMap((shape) =>
    (["f16", "q8", "q4"] as const).map((precision) => [shape, precision] as const),
  ),
)("no tensor of a step or of a forward pass of %s in %s has over 256 MB", (shape, precision) => {
  const config = parseConfig(MODEL_SHAPES[shape]);
  const model = { config, family: familyOf(config.architecture), precision };
  const step = { name: "step", batch: 2, layer: config.layers - 2, suffix: 2, beta1: 0.9, beta2: 0.99 };
  for (const graph of [
    encodeStep(model, { ...step, columns: { time: 16, past: 32 } }),
    forward(model, { name: "next", batch: 1, head: "next" }),
  ]) {
    const sizes = graph.nodes
      .flatMap(outputsOf)
      .map(({ shape }) =>
        shape.reduce<number>((size, dim) => size * (typeof dim === "number" ? dim : 64), 4),
      );
    expect(Math.max(...sizes)).toBeLessThanOrEqual(2 ** 28);
    // The head is there.
    expect(Math.max(...sizes)).toBeGreaterThan(config.vocabulary);
  }
});
