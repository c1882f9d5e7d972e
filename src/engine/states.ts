/** @file The residual stream of token rows after one layer: what the learned start of an encoding reads of a value. */

import { assert } from "../lib/assert.ts";
import { checkWindow } from "./greedy.ts";
import { STATE_ROWS, states } from "./roles.ts";
import { byLength, disposeAll, fillRows, freeing, padLeft, type Runner } from "./runner.ts";

/**
 * h(layer) at every token of each row, [row][tokens, dModel] row-major; nothing stands before a row.
 * @throws when a row is empty or does not fit the window, or there is no such layer
 */
export async function readStates(
  runner: Runner,
  rows: readonly (readonly number[])[],
  layer: number,
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  assert(
    Number.isInteger(layer) && layer >= 0 && layer < runner.config.layers,
    () => `engine: there is no layer ${layer}; the model has ${runner.config.layers}`,
  );
  return byLength(rows, STATE_ROWS, (group) => readGroup(runner, group, layer, signal));
}

async function readGroup(
  runner: Runner,
  rows: readonly (readonly number[])[],
  layer: number,
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  for (const row of rows) {
    assert(row.length > 0, () => "engine: a row without tokens has no states");
    checkWindow(runner, row.length, "a row of tokens");
  }
  const width = runner.config.dModel;
  const members = fillRows(rows, STATE_ROWS);
  const columns = Math.max(...rows.map((row) => row.length));
  const { rows: padded, pads } = padLeft(members, columns);
  const feeds = runner.tokens(padded, { pads, past: 0, length: members.map((row) => row.length) });
  const outputs = await freeing(feeds, () => runner.forward(states(STATE_ROWS, layer), feeds, signal));
  const data = (await outputs["hidden"]!.read()) as Float32Array;
  disposeAll(outputs);
  return rows.map((_, i) => data.slice((i * columns + pads[i]!) * width, (i + 1) * columns * width));
}
