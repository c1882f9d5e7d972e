/** @file One layer's stored keys and residuals on the device: their similarities, and the soft read of Eq. 4. */

import { assert } from "../lib/assert.ts";
import type { LayerMemory, RecallPrompt, SoftReadParams, SoftRecall } from "./engine.ts";
import { checkWindow } from "./greedy.ts";
import { chunks } from "../lib/group.ts";
import { countOf, unpackRows, type Rows } from "../lib/vectorForms.ts";
import { queryRows, similarity as similarityProgram, soft } from "./roles.ts";
import { disposeAll, fillRows, freeing, numbers, pasts, type Feeds, type Runner } from "./runner.ts";
import type { DeviceTensor } from "../runtime/device.ts";

/** See {@link Engine.openLayer}; packed keys are compared many queries at a time, since they are unpacked each time. */
export function openLayer(
  runner: Runner,
  layer: number,
  keys: Rows,
  residuals: () => Float32Array,
  centre: Float32Array = new Float32Array(runner.config.dFf),
): LayerMemory {
  const { dFf, dModel } = runner.config;
  const entries = countOf(keys) / dFf;
  if (!(Number.isInteger(entries) && entries > 0))
    throw new Error(
      `engine: layer ${layer}: ${countOf(keys)} key values, expected one or more rows of ${dFf}`,
    );
  assert(
    centre.length === dFf,
    () => `engine: layer ${layer}: a centre of ${centre.length} values, expected ${dFf} as its keys have`,
  );
  const vectors: Feeds = { centre: runner.floats(centre, [1, dFf], "vectors") };
  const upload = (values: Float32Array): void =>
    void (vectors["keys"] = runner.floats(values, [entries, dFf], "vectors"));
  // The functions below must not refer to uploaded keys: they would be in memory twice.
  const packed = keys instanceof Float32Array ? null : keys;
  if (keys instanceof Float32Array) upload(keys);
  const withResiduals = (): Feeds => {
    const values = vectors["residuals"] ? null : residuals();
    if (values !== null && values.length !== entries * dModel)
      throw new Error(
        `engine: layer ${layer}: ${entries * dFf} key and ${values!.length} residual values are not the same number of rows of ${dFf} and ${dModel}`,
      );
    if (packed && !vectors["keys"]) upload(unpackRows(packed, dFf));
    if (values) vectors["residuals"] = runner.floats(values, [entries, dModel], "vectors");
    return vectors;
  };
  return {
    layer,
    entries,
    similarity: (queries, signal) => {
      const rows = queryRows(entries, packed !== null);
      const compare = (own: DeviceTensor): Promise<Float32Array[]> =>
        similarity(runner, { keys: own, centre: vectors["centre"]! }, rows, queries, signal);
      return packed ? runner.unpacked(packed, dFf, compare) : compare(vectors["keys"]!);
    },
    // All parameters of the method may come as `read`: one of them is named "vectors".
    softRecall: async (prompt, tokens, { beta, theta }, signal) => {
      const open = { layer, vectors: withResiduals(), entries, beta, theta };
      return softRecall(runner, open, prompt, tokens, signal);
    },
    dispose: () => {
      disposeAll(vectors);
      if (packed) runner.freeUnpacked();
    },
  };
}

interface OpenLayer {
  readonly vectors: Feeds;
  readonly entries: number;
}

async function similarity(
  runner: Runner,
  stored: { readonly keys: DeviceTensor; readonly centre: DeviceTensor },
  rows: number,
  queries: readonly Float32Array[],
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const { dFf } = runner.config;
  const [entries] = stored.keys.dims as [number];
  const found: Float32Array[] = [];
  for (const group of chunks(queries, rows)) {
    const data = new Float32Array(rows * dFf);
    for (const [row, query] of fillRows(group, rows).entries()) data.set(query, row * dFf);
    const feeds = { queries: runner.floats(data, [rows, dFf]) };
    const values = await runner.read(similarityProgram(rows), "similarity", feeds, signal, stored);
    for (const row of group.keys()) found.push(values.subarray(row * entries, (row + 1) * entries));
  }
  return found;
}

async function softRecall(
  runner: Runner,
  { layer, vectors, entries, beta, theta }: OpenLayer & SoftReadParams & { readonly layer: number },
  { ids, keyPosition }: RecallPrompt,
  tokens: number,
  signal: AbortSignal | undefined,
): Promise<SoftRecall> {
  checkWindow(runner, ids.length + tokens, "a fact with its recall prompt");
  const length = ids.length + tokens;
  const read = {
    beta: runner.floats(new Float32Array([beta]), [1]),
    theta: runner.floats(new Float32Array([theta]), [1]),
  };
  const run = (row: readonly number[], past: number, before: Feeds) => {
    const feeds = runner.tokens([row], { pads: [0], past, length });
    const all = { ...feeds, ...read, ...vectors, ...pasts(before) };
    return freeing({ ...feeds, ...before }, () => runner.forward(soft(layer, past > 0), all, signal));
  };
  const openPositions: number[] = [];
  const decoded: number[] = [];
  let outputs: Feeds = {};
  try {
    outputs = await run(ids, 0, outputs);
    const similarities = (await outputs["similarity"]!.read()) as Float32Array;
    const similarity = similarities.slice(keyPosition * entries, (keyPosition + 1) * entries);
    for (let past = 0; ;) {
      const gates = await numbers(outputs["gate"]!);
      openPositions.push(...gates.flatMap((open, t) => (open === 1 ? [past + t] : [])));
      past += gates.length;
      const [next] = await numbers(outputs["next"]!);
      decoded.push(next!);
      if (decoded.length >= tokens) return { tokens: decoded, similarity, openPositions };
      outputs = await run([next!], past, outputs);
    }
  } finally {
    disposeAll(outputs, read);
  }
}
