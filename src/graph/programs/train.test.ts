/** @file A step made for one shape gives the bits of the step for any. */

import { expect, it } from "vitest";
import type { Graph } from "../ir.ts";
import { compile, type Value } from "../testing/run.ts";
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
