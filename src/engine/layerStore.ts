/** @file One layer's stored keys and residuals on the device: their similarities, and the soft read of Eq. 4. */

import { assert } from "../lib/assert.ts";
import type { LayerStore, RecallPrompt, SoftRecall } from "./engine.ts";
import { checkWindow } from "./greedy.ts";
import { chunks } from "../lib/group.ts";
import { RECALL_ROWS, similarity as similarityProgram, soft } from "./roles.ts";
import { disposeAll, fillRows, numbers, pasts, type Feeds, type Runner } from "./runner.ts";

/** Uploads a layer's store: row-major keys [entries, dFf] (unit rows), residuals [entries, dModel]. */
export function openLayer(
  runner: Runner,
  layer: number,
  keys: Float32Array,
  residuals: Float32Array,
): LayerStore {
  const { dFf, dModel } = runner.config;
  const entries = keys.length / dFf;
  assert(
    Number.isInteger(entries) && entries > 0 && residuals.length === entries * dModel,
    () =>
      `engine: layer ${layer}: ${keys.length} key and ${residuals.length} residual values are not the same number of rows of ${dFf} and ${dModel}`,
  );
  const store = {
    keys: runner.floats(keys, [entries, dFf], "store"),
    residuals: runner.floats(residuals, [entries, dModel], "store"),
  };
  return {
    layer,
    entries,
    similarity: (queries) => similarity(runner, store, entries, queries),
    softRecall: (prompt, tokens, beta, theta) =>
      softRecall(runner, { layer, store, entries, beta, theta }, prompt, tokens),
    dispose: () => disposeAll(store),
  };
}

async function similarity(
  runner: Runner,
  { keys }: Feeds,
  entries: number,
  queries: readonly Float32Array[],
): Promise<Float32Array[]> {
  const { dFf } = runner.config;
  const session = await runner.session(similarityProgram(RECALL_ROWS));
  const found: Float32Array[] = [];
  for (const group of chunks(queries, RECALL_ROWS)) {
    const data = new Float32Array(RECALL_ROWS * dFf);
    for (const [row, query] of fillRows(group, RECALL_ROWS).entries()) data.set(query, row * dFf);
    const feeds = { queries: runner.floats(data, [RECALL_ROWS, dFf]) };
    const outputs = await session.run({ ...feeds, keys: keys! });
    const values = (await outputs["similarity"]!.read()) as Float32Array;
    for (const row of group.keys()) found.push(values.slice(row * entries, (row + 1) * entries));
    disposeAll(feeds, outputs);
  }
  return found;
}

interface SoftRead {
  readonly layer: number;
  readonly store: Feeds;
  readonly entries: number;
  readonly beta: number;
  readonly theta: number;
}

/** One fact's own generation pass with the read hooked in at every position, as the paper does it. */
async function softRecall(
  runner: Runner,
  { layer, store, entries, beta, theta }: SoftRead,
  { ids, keyPosition }: RecallPrompt,
  tokens: number,
): Promise<SoftRecall> {
  checkWindow(runner, ids.length + tokens, "a fact with its recall prompt");
  const length = ids.length + tokens;
  const read = {
    beta: runner.floats(new Float32Array([beta]), [1]),
    theta: runner.floats(new Float32Array([theta]), [1]),
  };
  const run = async (row: readonly number[], past: number, cache: Feeds) => {
    const feeds = runner.tokens([row], { pads: [0], past, length });
    const outputs = await runner.forward(soft(layer, past > 0), { ...feeds, ...read, ...store, ...cache });
    disposeAll(feeds, cache);
    return outputs;
  };
  const openPositions: number[] = [];
  const decoded: number[] = [];
  let outputs = await run(ids, 0, {});
  const similarity = ((await outputs["similarity"]!.read()) as Float32Array).slice(
    keyPosition * entries,
    (keyPosition + 1) * entries,
  );
  for (let past = 0; ;) {
    const gates = await numbers(outputs["gate"]!);
    openPositions.push(...gates.flatMap((open, t) => (open === 1 ? [past + t] : [])));
    past += gates.length;
    const [next] = await numbers(outputs["next"]!);
    decoded.push(next!);
    const cache = pasts(outputs);
    for (const [key, tensor] of Object.entries(outputs)) if (!key.startsWith("present.")) tensor.dispose();
    if (decoded.length >= tokens) {
      disposeAll(cache, read);
      return { tokens: decoded, similarity, openPositions };
    }
    outputs = await run([next!], past, cache);
  }
}
