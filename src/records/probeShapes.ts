/** @file Checks of saved probe records (plan.ts). */

import * as v from "valibot";
import { count, countWithin, listUpTo, number, record, text, type Shape } from "../lib/check.ts";
import { stageRates } from "./cost.ts";
import type { LayerIndex } from "./ids.ts";
import type { LayerProbe, LengthProbe, PartPlan, RecordedProbe } from "./plan.ts";

/** More facts than any probe has. */
const MOST_PROBED = 4096;
const probed = countWithin(1, MOST_PROBED);

export const layerProbeFields = {
  layer: count<LayerIndex>(),
  exactRate: number(),
  fidelity: number(),
  cost: number(),
  work: v.optional(number()),
  recorded: v.optional(v.literal(true)),
  n: v.optional(probed),
};
export const layerProbe = record<LayerProbe>(layerProbeFields);

/** Tokens of the longest part. */
const LONGEST_PART = 1024;
/** A part has at least a token, and no length is tried twice over. */
const MOST_TRIED = 64;
const longest = countWithin(1, LONGEST_PART);

const isShare = (value: number): boolean => value >= 0 && value <= 1;

const lengthProbe = v.pipe(
  record<LengthProbe>({
    longest,
    exactRate: number(),
    vectors: number(),
    steps: number(),
    n: v.optional(probed),
  }),
  v.check(
    ({ exactRate, vectors, steps }) => isShare(exactRate) && vectors >= 0 && steps >= 0,
    "a share from 0 to 1, and vectors and steps of 0 or more",
  ),
) as unknown as Shape<LengthProbe>;

export const partPlan = record<PartPlan>({ longest, tried: listUpTo(lengthProbe, MOST_TRIED) });

/** More than any model has. */
const MOST_LAYERS = 1024;

/** Each layer once, with numbers that a probe can give: one that it cannot would choose where everything is stored. */
const recordedLayers = v.pipe(
  listUpTo(layerProbe, MOST_LAYERS),
  v.check((layers) => new Set(layers.map(({ layer }) => layer)).size === layers.length, "each layer once"),
  v.check(
    (layers) =>
      layers.every(
        ({ exactRate, fidelity, cost, work = 0 }) =>
          isShare(exactRate) && isShare(fidelity) && cost >= 0 && work >= 0,
      ),
    "shares from 0 to 1, and costs of 0 or more",
  ),
) as unknown as Shape<readonly LayerProbe[]>;

export const recordedProbe = record<RecordedProbe>({
  sha256: text(),
  encode: text(),
  machine: text(),
  layers: recordedLayers,
  parts: partPlan,
  cost: v.optional(stageRates),
});
