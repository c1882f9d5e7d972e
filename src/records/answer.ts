/** @file Question -> Route -> RecallKey[] -> GatedRead -> Reconstruction[] -> Answer. */

import type { CharOffset, FactId, LayerIndex } from "./ids.ts";
import type { QuestionParams } from "./params.ts";

/** Why an anchor was routed or left out. */
export type RouteVerdict =
  | "verbatim anchor in the question"
  | `within ${number} of the best`
  | "matched by a fact"
  | "nearest by cosine"
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

/** The routing decision: every scored anchor, and the facts to recall in fused-rank order. */
export interface Route {
  readonly question: string;
  readonly anchors: readonly RoutedAnchor[];
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
}

/** The answer with all that led to it. */
export interface Answer {
  readonly question: string;
  readonly settings: QuestionParams;
  readonly route: Route;
  /** Every fact that was asked for, in source order; where its gate stayed shut the model was not told its text. */
  readonly recalled: readonly Reconstruction[];
  readonly text: string;
  /** Keys κ of the recalled facts the answer rests on. */
  readonly cited: readonly string[];
  /** True when nothing was routed or the model said so. */
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
  /** Retained entries recalled before and after, and how many of their outputs differ token by token. */
  readonly compared: number;
  readonly changed: number;
}
