/** @file A probe's plan: kept in its cell, and handed to the memorise run when its layers were taken. */

import { afterEach, beforeEach, expect, it } from "vitest";
import { layerIndex } from "../../records/ids.ts";
import type { LayerPlan } from "../../records/plan.ts";
import type { MemorizeArgument } from "../../service/types.ts";
import { createHarness, recorded, type Harness } from "../testing/harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = createHarness();
  harness.engine.probe = async () => PLAN;
  await harness.app.actions.start();
});
afterEach(() => {
  harness.close();
});

const PLAN: LayerPlan = {
  layers: [layerIndex(3)],
  choices: [
    {
      layer: layerIndex(3),
      exactRate: 1,
      fidelity: 1,
      cost: 0.5,
      rank: 1,
      chosen: true,
      why: "rank 1 of K = 1",
    },
  ],
};

it("a plan is the probe cell's output, and the layers that were taken go to the engine", async () => {
  const asked: MemorizeArgument[] = [];
  harness.engine.memorize = async (argument) => {
    asked.push(argument);
    return recorded("memorize");
  };
  const { actions } = harness.app;
  const cells = () => harness.state().open[harness.state().currentId!]!.notebook.cells;
  const probe = actions.addCell("probe")!;
  expect(await actions.runCell(probe)).toBe(true);
  expect(cells().find(({ id }) => id === probe)!.output).toMatchObject(PLAN);

  const memorize = cells().find(({ kind }) => kind === "memorize")!.id;
  await actions.runCell(memorize);
  expect(asked[0]).not.toHaveProperty("layers");
  actions.setInput(memorize, "memorize", (input) => ({ ...input, layers: PLAN.layers }));
  await actions.runCell(memorize);
  expect(asked[1]).toMatchObject({ layers: [3] });
});
