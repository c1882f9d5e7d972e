/** @file What is kept where refinement does harm. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { bundled, type Opened } from "../engine/testing/models.ts";
import { PAPER } from "../records/params.ts";
import { encodeAll, facts } from "./testing/facts.ts";

let opened: Opened;
beforeAll(async () => {
  opened = await bundled();
}, 120_000);
afterAll(async () => {
  await opened.engine.dispose();
  await opened.device.dispose();
});

it("stores what the guided steps had where refinement lost it, and under the paper's preset what it ended with", async () => {
  // Too few steps to be exact, at rates at which the next one makes some facts worse: which, is the weights' affair.
  const fidelity = async (keepBetter: boolean) => {
    const found: number[] = [];
    for (const learningRate of [1, 4, 6]) {
      const params = { ...PAPER, encodeBatch: 8, steps: 3, refine: 1, learningRate, keepBetter };
      const encoded = await encodeAll(opened.engine, facts([1], 8), params);
      found.push(...encoded.map(({ report }) => report.fidelity));
    }
    return found;
  };
  const [last, better] = [await fidelity(false), await fidelity(true)];
  for (const [i, value] of better.entries()) expect(value).toBeGreaterThanOrEqual(last[i]!);
  expect(better).not.toEqual(last);
});
