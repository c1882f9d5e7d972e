/** @file The states that the learned start reads: those of the inspection program, whoever shares the run. */

import { afterAll, beforeAll, expect, it } from "vitest";
import { STATES } from "./roles.ts";
import { disposeAll, freeing } from "./runner.ts";
import { type Opened } from "./testing/models.ts";
import { bundled, leavesNothing } from "./testing/useBundled.ts";

let opened: Opened;
beforeAll(async () => void (opened = await bundled()));
afterAll(() => leavesNothing(opened));

const worst = (a: Float32Array, b: Float32Array): number =>
  Math.max(...a.map((x, i) => Math.abs(x - b[i]!)), Math.abs(a.length - b.length));

/** What inspection says of one row. */
async function inspected(ids: readonly number[], layer: number): Promise<Float32Array> {
  const { runner } = opened.engine;
  const { layers, dModel } = runner.config;
  const feeds = {
    ...runner.tokens([ids], { pads: [0], past: 0, length: ids.length }),
    delta: runner.floats(new Float32Array(dModel), [1, dModel]),
    at: runner.floats(new Float32Array(ids.length * layers), [1, ids.length, layers]),
  };
  const outputs = await freeing(feeds, () => runner.forward(STATES, feeds));
  const state = (await outputs[`state.${layer}`]!.read()) as Float32Array;
  disposeAll(outputs);
  return state;
}

it("are the residual stream after the layer, for rows of any length in any company", async () => {
  const { engine } = opened;
  const rows = ["Mary moved to the garden.", "a comfortable home and", "Emma"].map((text) =>
    engine.encode(text),
  );
  for (const layer of [0, 2]) {
    const together = await engine.readStates([...rows, ...rows.map((row) => row.slice(0, 2))], layer);
    for (const [i, row] of rows.entries()) {
      expect(together[i]).toHaveLength(row.length * engine.model.dModel);
      expect(worst(together[i]!, await inspected(row, layer))).toBeLessThan(1e-3);
    }
  }
});

it("refuse a layer that is not there and a row without tokens", async () => {
  await expect(opened.engine.readStates([[1]], 99)).rejects.toThrow(
    `there is no layer 99 in a model of ${opened.engine.model.layers}`,
  );
  await expect(opened.engine.readStates([[]], 0)).rejects.toThrow(/a row without tokens/);
});
