/** @file The layer plan of a model: every candidate layer probed, the best K chosen, with reasons. */

import { candidateLayers, probeLayers } from "../memory/probe.ts";
import { chooseLayers, type LayerPlan, type LayerProbe } from "../plan/layers.ts";
import type { FlowContext } from "./context.ts";

/** Runs the held-out recall probe over all candidate layers and chooses `params.layers` of them. */
export async function planLayers({
  engine,
  params,
  now,
  onProgress,
  signal,
}: FlowContext): Promise<LayerPlan> {
  const layers = candidateLayers(engine.model.layers);
  const results: LayerProbe[] = [];
  for await (const result of probeLayers(engine, layers, params, now, signal)) {
    results.push(result);
    const note = `layer ${result.layer}: exact ${Math.round(result.exactRate * 100)} %, fidelity ${result.fidelity.toFixed(2)}`;
    onProgress?.({ stage: "layers", done: results.length, total: layers.length, note });
  }
  return chooseLayers(results, Math.min(params.layers, layers.length), params.layerShare);
}
