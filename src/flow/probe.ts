/** @file The layer plan of a model: every candidate layer probed, the best K chosen, with reasons. */

import * as v from "valibot";
import { assert } from "../lib/assert.ts";
import { count, number, record } from "../lib/check.ts";
import { candidateLayers, probeLayers } from "../memory/probe.ts";
import { chooseLayers } from "../plan/layers.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { FlowContext } from "./context.ts";
import { keyOf } from "../records/params.ts";
import type { LayerPlan, LayerProbe } from "../records/plan.ts";
import { keep, lookUp, type Wanted } from "./remembered.ts";

/**
 * Runs the held-out recall probe over all candidate layers, or over `only`, and chooses `params.layers` of them.
 * Layers that `context.probed` knows are not probed again.
 * @throws when a layer of `only` cannot store facts
 */
export async function planLayers(context: FlowContext, only?: readonly LayerIndex[]): Promise<LayerPlan> {
  const { engine, params, now, onProgress, signal } = context;
  const probed = await knownProbes(context);
  const layers = only ? checkedLayers(engine, only) : candidateLayers(engine.model.layers);
  const results = probed.filter(({ layer }) => layers.includes(layer));
  const left = layers.filter((layer) => !results.some((known) => known.layer === layer));
  let note = left.length === 0 ? "probed before" : `probing layer ${left[0]}`;
  const report = () => onProgress?.({ stage: "layers", done: results.length, total: layers.length, note });
  if (left.length === 0) report();
  for await (const result of probeLayers(engine, left, params, now, { signal, onStep: report })) {
    results.push(result);
    await keep(context, KIND, [{ ...wantedProbe(context, result.layer), value: result }]);
    note = `layer ${result.layer}: exact ${Math.round(result.exactRate * 100)} %, fidelity ${result.fidelity.toFixed(2)}`;
    report();
  }
  return chooseLayers(results, Math.min(params.layers, layers.length), params.layerShare);
}

const KIND = "probe";
const probe = record<LayerProbe>({
  layer: count(),
  exactRate: number(),
  fidelity: number(),
  cost: number(),
  work: v.optional(number()),
});

/** What is known of the layers: from before this run, and by the cache. */
export async function knownProbes(
  context: Pick<FlowContext, "engine" | "cache" | "params" | "probed">,
): Promise<readonly LayerProbe[]> {
  const { engine, probed = [] } = context;
  const others = candidateLayers(engine.model.layers).filter(
    (layer) => !probed.some((known) => known.layer === layer),
  );
  const wanted = others.map((layer) => wantedProbe(context, layer));
  return [...probed, ...(await lookUp(context, KIND, wanted, probe)).map(({ value }) => value)];
}

const wantedProbe = ({ params }: Pick<FlowContext, "params">, layer: LayerIndex): Wanted => ({
  content: [keyOf(params, "encode"), layer],
  traces: [],
});

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
