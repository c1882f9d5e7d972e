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

/** Eq. 1 and its inputs, as shown to the user before any work starts. */
export type Budget = Infer<typeof budget>;
export const budget = object({
  /** B = min(m̂ n_anc, K C); K C counts vectors, and vectors already stored are subtracted. */
  facts: number(),
  anchors: number(),
  depth: number(),
  layers: number(),
  capacity: number(),
  /** Vectors the memory held before; absent if it was empty. */
  stored: v.optional(number()),
  /** Average number of vectors per fact; absent if it is one. */
  vectorsPerFact: v.optional(number()),
  /** Which arm of the minimum binds. */
  bound: v.picklist(["information", "capacity"]),
  /**
   * m = ⌊B / n_anc⌋ (at most m̂) if every anchor fits, 1 if only the leading B anchors stay; more if the room that anchors
   * with fewer facts leave is given to the others.
   */
  perAnchor: number(),
  /** Whether spare room was given to other anchors; absent if not. */
  spareRoom: v.optional(v.boolean()),
});

/** Number of facts that fit the remaining room of K C vectors. */
export const roomFor = ({
  layers,
  capacity,
  stored = 0,
  vectorsPerFact = 1,
}: Pick<Budget, "layers" | "capacity" | "stored" | "vectorsPerFact">): number =>
  Math.floor(Math.max(0, layers * capacity - stored) / vectorsPerFact);

/**
 * The place in λ that Eq. 2 gives a fact, of `count`. ι(e) is the place of its anchor among all, or a number that follows
 * from the anchor's words alone: 32 bits of their SHA-256, which no other anchor moves.
 */
export function slotOf(
  { anchor, anchorOrder, index }: Pick<Fact, "anchor" | "anchorOrder" | "index">,
  count: number,
  layersFrom: MethodParams["layersFrom"],
): number {
  const order = layersFrom === "order" ? anchorOrder : Number.parseInt(sha256Hex(anchor).slice(0, 8), 16);
  return (order + index - 1) % count;
}

/** Bounds of recorded probes: more than any probe or model has. */
const probed = countWithin(1, 4096);
const longest = countWithin(1, 1024);
const MOST_TRIED = 64;
const MOST_LAYERS = 1024;

/** Result of the held-out recall probe at one layer. */
export type LayerProbe = Infer<typeof layerProbe>;
const layerProbeFields = {
  layer: count<LayerIndex>(),
  /** Share of the probe facts that came back exactly, 0 to 1. */
  exactRate: number(),
  /** Mean token F1 of the decoded probe facts, 0 to 1. */
  fidelity: number(),
  /** Seconds per fact on the device that probed it. */
  cost: number(),
  /** Layers that are run to encode a probe fact, all steps together. Absent if not measured. */
  work: v.optional(number()),
  /** Of a {@link RecordedProbe}: `cost` is of another machine. */
  recorded: v.optional(v.literal(true)),
  n: v.optional(probed),
};
export const layerProbe = object(layerProbeFields);

/** Number of facts behind a probe's exact rate; eight by default. */
export const probedOf = ({ n = 8 }: { readonly n?: number | undefined }): number => n;

/** One probed layer with its rank among all. */
export type LayerChoice = Infer<typeof layerChoice>;
const layerChoice = object({
  ...layerProbeFields,
  /** From 1, best first. */
  rank: number(),
  chosen: v.boolean(),
  /** The reason, as a sentence. */
  why: text(),
});

const isShare = (value: number): boolean => value >= 0 && value <= 1;

/** Cost of storing values in parts of at most some length. */
export type LengthProbe = Infer<typeof lengthProbe>;
const lengthProbe = v.pipe(
  object({
    /** The longest part, in tokens. */
    longest,
    /** Share of the values that came back exactly, 0 to 1. */
    exactRate: number(),
    /** Vectors per value on average, with those of parts that had to be halved. */
    vectors: number(),
    /** Steps per token of a value on average, failed attempts included. */
    steps: number(),
    n: v.optional(probed),
  }),
  v.check(
    ({ exactRate, vectors, steps }) => isShare(exactRate) && vectors >= 0 && steps >= 0,
    "a share from 0 to 1, and vectors and steps of 0 or more",
  ),
);

/** Time and storage in proportion: steps times vectors. */
export const lengthCost = ({ steps, vectors }: LengthProbe): number => steps * vectors;

/** The longest part before a probe has found it. */
export const UNPROBED_TOKENS = 14;

/** The longest part that a probe chose for a model, and every length that it tried, in the order of trying. */
export type PartPlan = Infer<typeof partPlan>;
export const partPlan = object({ longest, tried: listUpTo(lengthProbe, MOST_TRIED) });

/** L of Eq. 2 in ascending layer order, and every probed layer, best first. */
export type LayerPlan = Infer<typeof layerPlan>;
export const layerPlan = object({
  layers: list(number<LayerIndex>()),
  choices: list(layerChoice),
  /** Present if part lengths were probed too. */
  parts: v.optional(partPlan),
});

/**
 * The probe of a model, recorded when it was made and kept in its folder. It holds for the model of this identity and for
 * the parameters that `encode` names (keyOf of the stage).
 */
export type RecordedProbe = Infer<typeof recordedProbe>;
export const recordedProbe = object({
  sha256: text(),
  encode: text(),
  /** The machine it was recorded on. */
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
  /** Rates of a run on that machine. */
  cost: v.optional(stageRates),
});

/** A fact that cannot be stored, and why. */
export type SkippedFact = Infer<typeof skippedFact>;
export const skippedFact = object({ value: text(), why: text() });

/** The plan of a memorise run: the texts read, the facts kept, and the layer of each. */
export interface MemoryPlan {
  /** The sources read for it. */
  readonly sources: readonly SourceInfo[];
  /** How each of them was read, in counts. */
  readonly extraction: readonly ExtractionCounts[];
  /** Titles of documents that are in the memory already, or were given twice: they are not read again. */
  readonly known: readonly string[];
  /** Extracted facts before the budget, without the skipped ones. */
  readonly extracted: number;
  readonly skipped: readonly SkippedFact[];
  /** If nothing new was read, the budget of the existing memory. */
  readonly budget: Budget;
  readonly layers: readonly LayerIndex[];
  /** Null if the layers were not probed for this plan. */
  readonly layerPlan: LayerPlan | null;
  /** The longest part of a value, in tokens; null where a value is one vector. */
  readonly partTokens: number | null;
  /** Facts that the budget kept, in source order, with ι and j as the memory counts them. */
  readonly retained: readonly Fact[];
  /** Stored facts that make room for these, where retention depth holds over the whole memory. */
  readonly evicted: ReadonlySet<FactId>;
  /** Facts that an interrupted run left to be encoded. */
  readonly resumed: readonly Fact[];
  /** Both, anchor by anchor, each with its layer of Eq. 2. */
  readonly planned: readonly PlannedFact[];
}
