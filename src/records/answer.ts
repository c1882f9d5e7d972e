/** @file Question -> Route -> RecallKey[] -> GatedRead -> Reconstruction[] -> Answer. */

import type { CharOffset, FactId, LayerIndex } from "./ids.ts";
import type { QuestionParams } from "./params.ts";

/** Why an anchor was routed or left out. */
export type RouteVerdict =
  | "verbatim anchor in the question"
  | `within ${number} of the best`
  | "matched by a fact"
  | "nearest by cosine"
  | "has a rare word of the question"
  | "cut: a verbatim anchor restricts routing"
  | `cut: below ${number} of the best`
  | "cut: beyond the anchor limit";

/** One anchor's standing for a question. Ranks count from 1; null means not ranked by that side. */
export interface RoutedAnchor {
  readonly anchor: string;
  readonly denseRank: number | null;
  readonly denseScore: number | null;
  readonly lexicalRank: number | null;
  readonly lexicalScore: number | null;
  /** Reciprocal rank fusion: sum of 1 / (60 + rank). */
  readonly fused: number;
  readonly kept: boolean;
  readonly why: RouteVerdict;
}

/** The routing decision: the scored anchors, best first, and the facts to recall in fused-rank order. */
export interface Route {
  readonly question: string;
  readonly anchors: readonly RoutedAnchor[];
  /** Anchors with lower scores that were cut and are not listed; absent where all are, and in what older versions saved. */
  readonly more?: number;
  readonly facts: readonly FactId[];
}

/** A stored key that competed in the gated read. */
export interface Competitor {
  readonly id: FactId;
  /** s: which part of the fact; absent for the first, and in what older versions saved. */
  readonly part?: number;
  readonly similarity: number;
  /** α of Eq. 4b at β. */
  readonly weight: number;
}

/** The gated read at the recall-key token. */
export interface GatedRead {
  /** Best cosine similarity of the layer's store. */
  readonly similarity: number;
  /** g: similarity > θ. */
  readonly gateOpen: boolean;
  /** The entry with the largest weight, if the layer has any entry. */
  readonly winner: FactId | null;
  readonly competitors: readonly Competitor[];
  /** Positions (prompt and decode) where the gate opened; [key position] in top-1 mode. */
  readonly openPositions: readonly number[];
}

/** One part of a recalled fact: what its vector says. */
export interface ReconstructedPart {
  /** s, as in κ(e, j, s). */
  readonly part: number;
  readonly layer: LayerIndex;
  readonly tokens: readonly number[];
  /** The tokens as text, white space at its ends as it is. */
  readonly text: string;
  readonly read: GatedRead;
}

/** One recalled fact, its parts joined. */
export interface Reconstruction {
  readonly id: FactId;
  readonly key: string;
  readonly anchor: string;
  readonly index: number;
  readonly layer: LayerIndex;
  readonly offset: CharOffset;
  readonly tokens: readonly number[];
  readonly text: string;
  /** The read of its weakest part: a shut gate before an open one, then the lowest similarity. */
  readonly read: GatedRead;
  /** In the order of the value; absent where one vector holds it all. */
  readonly parts?: readonly ReconstructedPart[];
  /** Whether it came back word for word as it was stored; absent outside answers, and in what older versions saved. */
  readonly exact?: boolean;
}

/**
 * How far a short answer is borne out. "supported": its words stand in facts it cites, all exact, and the model is
 * sure enough of it. "inexact": the same, but a cited fact did not come back exactly. "indirect": the same as supported,
 * but a sentence it does not cite shares more with the question. "alone": the same as supported, of the nearest sentence
 * alone, as the model had no such answer among all (`askAlone`). "as said": the model's words, which nothing bears out and
 * which stand all the same since `bornOut` is off. "unsupported": sentences were recalled, and no short answer was found
 * in them. "not recalled": facts were routed, and no gate opened for them. "not in memory": nothing
 * was routed above its floor.
 */
export type Support =
  | "supported"
  | "inexact"
  | "indirect"
  | "alone"
  | "as said"
  | "unsupported"
  | "not recalled"
  | "not in memory";

/** A word of a question that no recalled sentence has, and how many stored facts have it. */
export interface UnmetWord {
  readonly word: string;
  readonly stored: number;
}

/** What became of one question, or of one part of a question that asks for several things. */
export interface PartAnswer {
  readonly question: string;
  /** The model's own words; empty where it was not asked. */
  readonly text: string;
  /** Keys κ of the recalled facts that hold these words. */
  readonly cited: readonly string[];
  readonly verdict: Support;
  /** The model's probability of its words, geometric mean over their tokens; null where it was not asked. */
  readonly probability: number | null;
  /** Recalled facts whose gates opened, nearest to the question first: what stands with the answer. */
  readonly evidence: readonly FactId[];
  readonly unmet: readonly UnmetWord[];
  /** Keys κ of recalled facts that the model's window had no room for; absent where all did fit. */
  readonly leftOut?: readonly string[];
}

/** The answer with all that led to it. */
export interface Answer {
  readonly question: string;
  readonly settings: QuestionParams;
  readonly route: Route;
  /** Every fact that was asked for, in source order; where its gate stayed shut the model was not told its text. */
  readonly recalled: readonly Reconstruction[];
  /** What is asked, one after the other; absent in what older versions saved (see `askedOf` in headline.ts). */
  readonly asked?: readonly PartAnswer[];
  /** The model's own words, of all parts. */
  readonly text: string;
  /** Keys κ of the recalled facts the answer rests on. */
  readonly cited: readonly string[];
  /** True when nothing was routed; older versions also said so when the model did. */
  readonly notInMemory: boolean;
  readonly milliseconds: { readonly route: number; readonly recall: number; readonly answer: number };
  /** True for a memory that keeps no words: what was recalled is shown, and not kept with the answer. */
  readonly wordless?: true;
}

/** How the gate stood when a deleted key was asked for; absent in what older versions saved. */
export interface CertifiedRead extends Pick<GatedRead, "similarity" | "gateOpen"> {
  /** κ of the fact whose key was nearest; null where the layer had none. */
  readonly nearest: string | null;
  /** Whether that was the fact that was asked for. */
  readonly own: boolean;
}

/** Proof of a deletion: what was asked before and after, and what did not change. */
export interface DeletionCertificate {
  readonly keys: readonly string[];
  readonly before: readonly { readonly key: string; readonly text: string; readonly read?: CertifiedRead }[];
  readonly after: readonly {
    readonly key: string;
    readonly text: string;
    /** After the deletion an open gate opened on the key of another fact. */
    readonly gateOpen: boolean;
    readonly read?: CertifiedRead;
  }[];
  /**
   * What was removed from the encoding cache, and how many traces of the facts (sentences, recall prompts, vectors) a
   * search of it found afterwards; absent where there was no cache, and in what older versions saved.
   */
  readonly cached?: { readonly removed: number; readonly left: number };
  /** Retained facts recalled before and after, and how many of their outputs differ token by token. */
  readonly compared: number;
  /** How many there are; those compared are evenly spread among them. Absent in what older versions saved. */
  readonly retained?: number;
  readonly changed: number;
}
