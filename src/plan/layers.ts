/** @file Eq. 2, and which K layers form the tuple it runs over. */

import { assert } from "../lib/assert.ts";
import type { Fact, PlannedFact } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { MethodParams } from "../records/params.ts";
import { probedOf, slotOf, type LayerChoice, type LayerPlan, type LayerProbe } from "../records/plan.ts";

/** Eq. 2: fact j of anchor e goes to λ at (ι(e) + j) mod K, with j from 0 (κ shows it from 1). */
export function assignLayers(
  facts: readonly Fact[],
  layers: readonly LayerIndex[],
  { layersFrom }: Pick<MethodParams, "layersFrom">,
): PlannedFact[] {
  assert(facts.length === 0 || layers.length > 0, () => `plan: ${facts.length} facts and no storage layer`);
  return facts.map((fact) => ({ fact, layer: layers[slotOf(fact, layers.length, layersFrom)]! }));
}

/**
 * Chooses at most K layers by exact rate, fidelity, work, then lower layer, of those with an exact fact and with `share` of
 * the best rate. @throws without a probe, if a layer occurs twice, or if K is below 1
 */
export function chooseLayers(probes: readonly LayerProbe[], count: number, share = 0): LayerPlan {
  assert(probes.length > 0, () => "plan: no layer was probed; probe the model first");
  if (!(Number.isInteger(count) && count >= 1))
    throw new Error(`plan: K is ${count}, expected a whole number of at least 1`);
  const twice = probes.find(({ layer }, i) => probes.findIndex((other) => other.layer === layer) < i);
  assert(!twice, () => `plan: layer ${twice?.layer} was probed twice`);
  const validated = probes.filter(({ exactRate }) => exactRate > 0).length;
  const least = share * Math.max(0, ...probes.map(({ exactRate }) => exactRate).filter(Number.isFinite));
  const choices = probes.toSorted(compare).map((probe, i): LayerChoice => {
    const chosen =
      i < count &&
      Number.isFinite(probe.fidelity) &&
      (probe.exactRate > 0 || validated === 0) &&
      probe.exactRate >= least;
    return { ...probe, rank: i + 1, chosen, why: reason(probe, i + 1, count, chosen, validated, least) };
  });
  const layers = choices.filter(({ chosen }) => chosen).map(({ layer }) => layer);
  assert(layers.length > 0, () => "plan: the probe gave no usable number for any layer");
  return { layers: layers.toSorted((a, b) => a - b), choices };
}

function compare(a: LayerProbe, b: LayerProbe): number {
  const score = (value: number): number => (Number.isFinite(value) ? value : -1);
  return (
    score(b.exactRate) - score(a.exactRate) ||
    score(b.fidelity) - score(a.fidelity) ||
    (a.work ?? 0) - (b.work ?? 0) ||
    a.layer - b.layer
  );
}

function reason(
  probe: LayerProbe,
  rank: number,
  count: number,
  chosen: boolean,
  validated: number,
  least: number,
): string {
  const measured = `exact ${percent(probe.exactRate)} of ${probedOf(probe)}, fidelity ${percent(probe.fidelity)}${effort(probe)}`;
  if (chosen && validated === 0)
    return `rank ${rank}: ${measured}; no layer was exact, so the nearest stand in`;
  if (chosen) return `rank ${rank} of K = ${count}: ${measured}`;
  if (!Number.isFinite(probe.fidelity)) return "left out: the probe gave no number here";
  if (probe.exactRate > 0 && probe.exactRate < least)
    return `left out: rank ${rank}, below the ${percent(least)} that this preset asks for; ${measured}`;
  if (probe.exactRate > 0 || rank > count) return `left out: rank ${rank}, beyond K = ${count}; ${measured}`;
  return `left out: no probe fact was exact here; ${measured}`;
}

const effort = ({ work, cost, recorded }: LayerProbe): string =>
  `, ${work === undefined ? `cost ${short(cost)}` : `${short(work)} layers run a fact`}${recorded ? ", recorded where the model was made" : ""}`;

const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;
const short = (value: number): string =>
  Number.isFinite(value) ? String(Number(value.toPrecision(3))) : "unknown";
