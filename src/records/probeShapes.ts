/** @file What records of a probe (plan.ts) must look like, wherever they are read from. */

import * as v from "valibot";
import { count, countUpTo, number, record, text } from "../lib/check.ts";
import type { LayerIndex } from "./ids.ts";
import type { LayerProbe, LengthProbe, PartPlan, RecordedProbe } from "./plan.ts";

export const layerProbeFields = {
  layer: count<LayerIndex>(),
  exactRate: number(),
  fidelity: number(),
  cost: number(),
  work: v.optional(number()),
  recorded: v.optional(v.literal(true)),
};
export const layerProbe = record<LayerProbe>(layerProbeFields);

const lengthProbe = record<LengthProbe>({
  longest: countUpTo(1024),
  exactRate: number(),
  vectors: number(),
  steps: number(),
});

export const partPlan = record<PartPlan>({ longest: countUpTo(1024), tried: v.array(lengthProbe) });

export const recordedProbe = record<RecordedProbe>({
  sha256: text(),
  encode: text(),
  machine: text(),
  layers: v.array(layerProbe),
  parts: partPlan,
});
