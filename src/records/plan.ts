/** @file Fact[] -> Budget, LayerPlan -> MemoryPlan: everything decided before the first vector is encoded. */

import * as v from "valibot";
import { count, countWithin, list, listUpTo, number, object, text, type Infer } from "../lib/check.ts";
import { sha256Hex } from "../lib/hash.ts";
import { stageRates } from "./cost.ts";
import type { Fact, PlannedFact } from "./fact.ts";
import type { FactId, LayerIndex } from "./ids.ts";
import type { SourceInfo } from "./memory.ts";
import type { MethodParams } from "./params.ts";
import type { ExtractionCounts } from "./trace.ts";

export type Budget = Infer<typeof budget>;
export const budget = object({
  /** B = min(m̂ n_anc, K C); K C counts vectors, and vectors already stored are subtracted. */
  facts: number(),
  anchors: number(),
  depth: number(),
  layers: number(),
  capacity: number(),
  stored: v.optional(number()),
  vectorsPerFact: v.optional(number()),
  bound: v.picklist(["information", "capacity"]),
  /** m = ⌊B / n_anc⌋ (at most m̂) if every anchor fits, otherwise 1; more if spare room is shared. */
  perAnchor: number(),
  spareRoom: v.optional(v.boolean()),
});

export const roomFor = ({
  layers,
  capacity,
  stored = 0,
  vectorsPerFact = 1,
}: Pick<Budget, "layers" | "capacity" | "stored" | "vectorsPerFact">): number =>
  Math.floor(Math.max(0, layers * capacity - stored) / vectorsPerFact);

/** The place in λ that Eq. 2 gives a fact, of `count`. By words, ι(e) is 32 bits of their SHA-256. */
export function slotOf(
  { anchor, anchorOrder, index }: Pick<Fact, "anchor" | "anchorOrder" | "index">,
  count: number,
  layersFrom: MethodParams["layersFrom"],
): number {
  const order = layersFrom === "order" ? anchorOrder : Number.parseInt(sha256Hex(anchor).slice(0, 8), 16);
  return (order + index - 1) % count;
}

const probed = countWithin(1, 4096);
const longest = countWithin(1, 1024);
const MOST_TRIED = 64;
const MOST_LAYERS = 1024;

export type LayerProbe = Infer<typeof layerProbe>;
const layerProbeFields = {
  layer: count<LayerIndex>(),
  exactRate: number(),
  fidelity: number(),
  cost: number(),
  /** Layers that are run to encode a probe fact, all steps together. Absent if not measured. */
  work: v.optional(number()),
  /** Of a {@link RecordedProbe}: `cost` is of another machine. */
  recorded: v.optional(v.literal(true)),
  n: v.optional(probed),
};
export const layerProbe = object(layerProbeFields);

export const probedOf = ({ n = 8 }: { readonly n?: number | undefined }): number => n;

export type LayerChoice = Infer<typeof layerChoice>;
const layerChoice = object({
  ...layerProbeFields,
  rank: number(),
  chosen: v.boolean(),
  why: text(),
});

const isShare = (value: number): boolean => value >= 0 && value <= 1;

export type LengthProbe = Infer<typeof lengthProbe>;
const lengthProbe = v.pipe(
  object({
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
);

export const lengthCost = ({ steps, vectors }: LengthProbe): number => steps * vectors;

export const UNPROBED_TOKENS = 14;

export type PartPlan = Infer<typeof partPlan>;
export const partPlan = object({ longest, tried: listUpTo(lengthProbe, MOST_TRIED) });

export type LayerPlan = Infer<typeof layerPlan>;
export const layerPlan = object({
  layers: list(number<LayerIndex>()),
  choices: list(layerChoice),
  parts: v.optional(partPlan),
});

/** The probe of a model, recorded in its folder. It holds for this identity and for the parameters that `encode` names. */
export type RecordedProbe = Infer<typeof recordedProbe>;
export const recordedProbe = object({
  sha256: text(),
  encode: text(),
  machine: text(),
  layers: v.pipe(
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
  ),
  parts: partPlan,
  cost: v.optional(stageRates),
});

export type SkippedFact = Infer<typeof skippedFact>;
export const skippedFact = object({ value: text(), why: text() });

export interface MemoryPlan {
  readonly sources: readonly SourceInfo[];
  readonly extraction: readonly ExtractionCounts[];
  readonly known: readonly string[];
  readonly extracted: number;
  readonly skipped: readonly SkippedFact[];
  readonly budget: Budget;
  readonly layers: readonly LayerIndex[];
  readonly layerPlan: LayerPlan | null;
  readonly partTokens: number | null;
  /** Facts that the budget kept, in source order, with ι and j as the memory counts them. */
  readonly retained: readonly Fact[];
  readonly evicted: ReadonlySet<FactId>;
  readonly resumed: readonly Fact[];
  readonly planned: readonly PlannedFact[];
}
