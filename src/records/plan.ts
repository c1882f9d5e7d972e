/** @file Fact[] -> Budget, LayerPlan -> MemoryPlan: everything decided before the first vector is encoded. */

import { sha256Hex } from "../lib/hash.ts";
import type { StageRates } from "./cost.ts";
import type { Fact, PlannedFact } from "./fact.ts";
import type { FactId, LayerIndex } from "./ids.ts";
import type { SourceInfo } from "./memory.ts";
import type { MethodParams } from "./params.ts";
import type { ExtractionCounts } from "./trace.ts";

/** Eq. 1 and its inputs, as shown to the user before any work starts. */
export interface Budget {
  /** B = min(m̂ n_anc, K C); K C counts vectors, and vectors already stored are subtracted. */
  readonly facts: number;
  readonly anchors: number;
  readonly depth: number;
  readonly layers: number;
  readonly capacity: number;
  /** Vectors the memory held before; absent if it was empty. */
  readonly stored?: number;
  /** Average number of vectors per fact; absent if it is one. */
  readonly vectorsPerFact?: number;
  /** Which arm of the minimum binds. */
  readonly bound: "information" | "capacity";
  /**
   * m = ⌊B / n_anc⌋ (at most m̂) when every anchor fits, 1 when only the leading B anchors stay; more where what anchors with
   * fewer facts leave is given to the others.
   */
  readonly perAnchor: number;
  /** Whether spare room was given to other anchors; absent if not. */
  readonly spareRoom?: boolean;
}

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

/** Result of the held-out recall probe at one layer. */
export interface LayerProbe {
  readonly layer: LayerIndex;
  /** Share of the probe facts that came back exactly, 0 to 1. */
  readonly exactRate: number;
  /** Mean token F1 of the decoded probe facts, 0 to 1. */
  readonly fidelity: number;
  /** Seconds per fact on the device that probed it: what the layer costs. */
  readonly cost: number;
  /** Layers that are run to encode a probe fact, all steps together; unlike `cost` independent of the clock. Absent if not measured. */
  readonly work?: number;
  /** Of a {@link RecordedProbe}: `cost` is of another machine. */
  readonly recorded?: true;
  readonly n?: number;
}

/** Number of facts behind a probe's exact rate; eight by default. */
export const probedOf = ({ n = 8 }: { readonly n?: number | undefined }): number => n;

/** One probed layer with its rank among all. */
export interface LayerChoice extends LayerProbe {
  /** From 1, best first. */
  readonly rank: number;
  readonly chosen: boolean;
  /** The reason, as a sentence. */
  readonly why: string;
}

/** Cost of storing values in parts of at most some length. */
export interface LengthProbe {
  /** The longest part, in tokens. */
  readonly longest: number;
  /** Share of the values that came back exactly, 0 to 1. */
  readonly exactRate: number;
  /** Vectors that a value took on average, with those of parts that had to be halved. */
  readonly vectors: number;
  /** Steps that a token of a value went through on average, those in vain among them. */
  readonly steps: number;
  readonly n?: number;
}

/** Time and storage in proportion: steps times vectors. */
export const lengthCost = ({ steps, vectors }: LengthProbe): number => steps * vectors;

/** The longest part before a probe has found it. */
export const UNPROBED_TOKENS = 14;

/** The longest part that a probe chose for a model, and every length that it tried, in the order of trying. */
export interface PartPlan {
  readonly longest: number;
  readonly tried: readonly LengthProbe[];
}

/** L of Eq. 2 in ascending layer order, and every probed layer, best first. */
export interface LayerPlan {
  readonly layers: readonly LayerIndex[];
  readonly choices: readonly LayerChoice[];
  /** Present if part lengths were probed too. */
  readonly parts?: PartPlan;
}

/**
 * What was probed of a model when it was made, kept in its folder: a run need not find it again. It holds for the model
 * of this identity and for the parameters that `encode` names (keyOf of the stage).
 */
export interface RecordedProbe {
  readonly sha256: string;
  readonly encode: string;
  /** The machine it was recorded on. */
  readonly machine: string;
  readonly layers: readonly LayerProbe[];
  readonly parts: PartPlan;
  /** Rates of a run on that machine. */
  readonly cost?: StageRates;
}

/** A fact that cannot be stored, and why. */
export interface SkippedFact {
  readonly value: string;
  readonly why: string;
}

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
