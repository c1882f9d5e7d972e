/** @file What is known of costs never stands in a run's way. */

import { expect, it } from "vitest";
import { fakeEngine, fakeValues } from "../../engine/testing/fakeEngine.ts";
import { NOTHING_KNOWN } from "../../plan/cost.ts";
import { SHARP } from "../../records/params.ts";
import { createCosts } from "./costs.ts";

const { engine } = fakeEngine(fakeValues());

it("what cannot be read is as good as unknown, and what cannot be written fails no run", async () => {
  const costs = createCosts({
    readCost: () => Promise.reject(new Error("store: the cost of runs: rates.step is missing")),
    writeCost: () => Promise.reject(new Error("the disk is full")),
  });
  expect(await costs.known(engine, SHARP)).toBe(NOTHING_KNOWN);
  await expect(costs.learn(engine, SHARP, NOTHING_KNOWN)).resolves.toBeUndefined();
});
