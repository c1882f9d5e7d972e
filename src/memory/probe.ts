/**
 * @file The held-out recall probe: which layers can store facts at all. Facts that no source contains are encoded
 * at every candidate layer and recalled; plan/layers.ts ranks the layers by what came back.
 */

import type { Engine } from "../engine/engine.ts";
import { mean } from "../lib/stats.ts";
import type { Fact } from "../records/fact.ts";
import { charOffset, documentId, factId, layerIndex, type LayerIndex } from "../records/ids.ts";
import type { EncodingReport } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import type { LayerProbe } from "../records/plan.ts";
import { encodeFacts } from "./encode.ts";

/** Invented, of several forms, and short enough for small models. */
const PROBE_FACTS: readonly (readonly [anchor: string, value: string])[] = [
  ["Ondine", "Ondine went back to the cellar."],
  ["Tobias", "Tobias picked up the lantern there."],
  ["Marisol", "Marisol gave the compass to Edwin."],
  ["Hollis", "Hollis works as a tailor in Ghent."],
  ["Project Larch", "The code of Project Larch is QX-417."],
  ["Coastal Guild", "The Coastal Guild was founded in 1873."],
  ["Ravi Stone", "Ravi Stone cannot eat mushrooms."],
  ["pantry", "The pantry is east of the library."],
];

/** Probes `layers` one after another and reports each as it is done. */
export async function* probeLayers(
  engine: Engine,
  layers: readonly LayerIndex[],
  params: MethodParams,
  now: () => number,
  { signal, onStep }: { readonly signal?: AbortSignal | undefined; readonly onStep?: () => void } = {},
): AsyncGenerator<LayerProbe> {
  for (const layer of layers) {
    const started = now();
    const reports: EncodingReport[] = [];
    const planned = probeFacts().map((fact) => ({ fact, layer }));
    const options = { ...(signal ? { signal } : {}), ...(onStep ? { onProgress: onStep } : {}) };
    for await (const entries of encodeFacts(engine, planned, probing(params), options))
      reports.push(...entries.map((entry) => entry.report));
    yield {
      layer,
      exactRate: mean(reports.map(({ exact }) => Number(exact))),
      fidelity: mean(reports.map(({ fidelity }) => fidelity)),
      cost: (now() - started) / 1000 / reports.length,
      work: mean(reports.map(({ steps }) => steps)) * (engine.model.layers - layer),
    };
  }
}

/**
 * Steps a layer has for the probe where facts stop as they become exact: a layer that can store a fact is done in a
 * few, and one that cannot would use up all of them only to say so. A fact that needs more counts as not exact.
 */
const PROBE_STEPS = 20;

/** The parameters with all probe facts in one batch, and a bound on what a layer without success may cost. */
function probing(params: MethodParams): MethodParams {
  const batched = { ...params, encodeBatch: Math.max(params.encodeBatch, PROBE_FACTS.length) };
  return params.earlyStop
    ? { ...batched, steps: Math.min(params.steps + params.refine, PROBE_STEPS), refine: 0 }
    : batched;
}

/** All layers a model offers. δ added at the last layer reaches the head at the key token only, and cannot steer. */
export function candidateLayers(layers: number): LayerIndex[] {
  return Array.from({ length: Math.max(layers - 1, 1) }, (_, i) => layerIndex(i));
}

/** Eight facts that no source contains, in nobody's memory. */
export function probeFacts(): Fact[] {
  const document = documentId("probe");
  return PROBE_FACTS.map(([anchor, value], i) => ({
    id: factId(document, charOffset(i)),
    documentId: document,
    anchor,
    anchorOrder: i,
    index: 1,
    value,
    offset: charOffset(i),
  }));
}
