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
  // Too few steps to be exact, and a rate at which the next one makes some facts worse.
  const params = { ...PAPER, encodeBatch: 8, steps: 2, refine: 1, learningRate: 2 };
  const fidelity = async (keepBetter: boolean) =>
    (await encodeAll(opened.engine, facts([1], 8), { ...params, keepBetter })).map(({ report }) => report.fidelity);
  const [last, better] = [await fidelity(false), await fidelity(true)];
  for (const [i, value] of better.entries()) expect(value).toBeGreaterThanOrEqual(last[i]!);
  expect(better).not.toEqual(last);
}); // prettier-ignore
