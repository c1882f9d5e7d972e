/** @file Reads inner values of sequences: activations, residual states, and the logit lens after every layer. */

import { assert } from "../lib/assert.ts";
import { largest } from "../lib/stats.ts";
import type { LensReading, LensRequest, TokenScore } from "./engine.ts";
import { checkWindow } from "./greedy.ts";
import { activations, LENS, STATE_ROWS, STATES, states } from "./roles.ts";
import type { DeviceTensor } from "../runtime/device.ts";
import { byLength, disposeAll, type Runner } from "./runner.ts";

/** a(ℓ) at every position. @throws when the sequence does not fit the window, or there is no such layer */
export async function readActivations(
  runner: Runner,
  ids: readonly number[],
  layer: number,
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  checkSequence(runner, ids);
  checkLayer(runner, layer);
  const feeds = runner.tokens([ids], { pads: [0], past: 0, length: ids.length });
  const data = await runner.read(activations(layer), `activation.${layer}`, feeds, signal);
  const width = runner.config.dFf;
  return ids.map((_, t) => data.slice(t * width, (t + 1) * width));
}

/** h(layer) at every token, [row][tokens, dModel]. @throws if a row is empty or too long, or there is no such layer */
export async function readStates(
  runner: Runner,
  rows: readonly (readonly number[])[],
  layer: number,
  signal?: AbortSignal,
): Promise<Float32Array[]> {
  checkLayer(runner, layer);
  for (const row of rows) {
    assert(row.length > 0, () => "engine: a row without tokens has no states");
    checkWindow(runner, row.length, "a row of tokens");
  }
  const width = runner.config.dModel;
  return byLength(rows, STATE_ROWS, async (group) => {
    const { feeds, pads, columns } = runner.wholeRows(group, STATE_ROWS);
    const data = await runner.read(states(STATE_ROWS, layer), "hidden", feeds, signal);
    return group.map((_, i) => data.slice((i * columns + pads[i]!) * width, (i + 1) * columns * width));
  });
}

/** The lens after every layer, [layer][at]. @throws when the sequence, a position, a layer or the injection does not fit */
export async function lens(
  runner: Runner,
  request: LensRequest,
  signal?: AbortSignal,
): Promise<LensReading[][]> {
  const { ids, at, injection } = request;
  checkSequence(runner, ids);
  for (const { position } of at)
    if (!(position >= 0 && position < ids.length))
      throw new Error(`engine: there is no position ${position} in a sequence of ${ids.length} tokens`);
  if (injection) checkLayer(runner, injection.layer);
  const layers = request.layers ?? Array.from({ length: runner.config.layers }, (_, layer) => layer);
  for (const layer of layers) checkLayer(runner, layer);
  const feeds = {
    ...runner.tokens([ids], { pads: [0], past: 0, length: ids.length }),
    ...runner.injections([injection], ids.length, injection?.position),
  };
  const outputs = await runner.run(STATES, feeds, signal);
  const readings: LensReading[][] = [];
  try {
    for (const layer of layers)
      readings.push(await readState(runner, outputs[`state.${layer}`]!, request, signal));
  } finally {
    disposeAll(outputs);
  }
  return readings;
}

/** One layer at a time: with a large vocabulary the logits of all layers do not fit in memory. */
async function readState(
  runner: Runner,
  tensor: DeviceTensor,
  { at, top }: LensRequest,
  signal: AbortSignal | undefined,
): Promise<LensReading[]> {
  const state = (await tensor.read()) as Float32Array;
  const { dModel, vocabulary } = runner.config;
  const rows = new Float32Array(at.length * dModel);
  for (const [i, { position }] of at.entries())
    rows.set(state.subarray(position * dModel, (position + 1) * dModel), i * dModel);
  const feeds = { hidden: runner.floats(rows, [at.length, dModel]) };
  const logits = await runner.read(LENS, "logits", feeds, signal);
  return at.map(({ tokens }, i) =>
    readLogits(logits.subarray(i * vocabulary, (i + 1) * vocabulary), tokens, top),
  );
}

export function readLogits(logits: Float32Array, asked: readonly number[], count: number): LensReading {
  const most = logits.reduce((most, x) => Math.max(most, x), -Infinity);
  const normaliser = most + Math.log(logits.reduce((sum, x) => sum + Math.exp(x - most), 0));
  const score = (id: number): TokenScore => ({
    id,
    logit: logits[id]!,
    logProbability: logits[id]! - normaliser,
  });
  const rank = (id: number) => logits.reduce((n, x) => n + Number(x > logits[id]!), 1);
  return {
    top: largest(logits, count).map(score),
    asked: asked.map((id) => ({ ...score(id), rank: rank(id) })),
  };
}

function checkSequence(runner: Runner, ids: readonly number[]): void {
  assert(ids.length > 0, () => "engine: an empty sequence has no states");
  checkWindow(runner, ids.length, "the sequence");
}

function checkLayer({ config }: Runner, layer: number): void {
  if (!(Number.isInteger(layer) && layer >= 0 && layer < config.layers))
    throw new Error(`engine: there is no layer ${layer} in a model of ${config.layers}, counted from 0`);
}
