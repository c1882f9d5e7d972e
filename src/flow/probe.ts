/** @file The layer plan of a model: every candidate layer probed, the best K chosen, with reasons. */

import { assert } from "../lib/assert.ts";
import { candidateLayers, probeLayers } from "../memory/probe.ts";
import { chooseLayers } from "../plan/layers.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { FlowContext } from "./context.ts";
import type { LayerPlan } from "../records/plan.ts";

/**
 * Runs the held-out recall probe over all candidate layers, or over `only`, and chooses `params.layers` of them.
 * Layers that `context.probed` knows are not probed again.
 * @throws when a layer of `only` cannot store facts
 */
export async function planLayers(context: FlowContext, only?: readonly LayerIndex[]): Promise<LayerPlan> {
  const { engine, params, now, onProgress, signal, probed = [] } = context;
  const layers = only ? checkedLayers(engine, only) : candidateLayers(engine.model.layers);
  const results = probed.filter(({ layer }) => layers.includes(layer));
  const left = layers.filter((layer) => !results.some((known) => known.layer === layer));
  let note = left.length === 0 ? "probed before" : `probing layer ${left[0]}`;
  const report = () => onProgress?.({ stage: "layers", done: results.length, total: layers.length, note });
  if (left.length === 0) report();
  for await (const result of probeLayers(engine, left, params, now, { signal, onStep: report })) {
    results.push(result);
    note = `layer ${result.layer}: exact ${Math.round(result.exactRate * 100)} %, fidelity ${result.fidelity.toFixed(2)}`;
    report();
  }
  return chooseLayers(results, Math.min(params.layers, layers.length), params.layerShare);
}

/** `layers` in ascending order. @throws when there is none, one is given twice, or one cannot store facts */
export function checkedLayers(
  { model }: Pick<FlowContext["engine"], "model">,
  layers: readonly LayerIndex[],
): LayerIndex[] {
  const candidates = candidateLayers(model.layers);
  const wrong = layers.find((layer, i) => !candidates.includes(layer) || layers.indexOf(layer) < i);
  assert(
    layers.length > 0 && wrong === undefined,
    () =>
      `flow: storage layers ${layers.join(" ") || "(none)"}: ${wrong ?? "nothing"} given; ${model.name} stores facts at ` +
      `layers ${candidates[0]} to ${candidates.at(-1)}, each named once`,
  );
  return layers.toSorted((a, b) => a - b);
}
