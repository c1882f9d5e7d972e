/** @file Candidate[] -> Anchor[] -> Fact[] -> LayerPlan. Notation of the paper: e, j, v, o, κ, ℓ. */

import type { CharOffset, DocumentId, FactId, LayerIndex } from "./ids.ts";
import type { Candidate } from "./source.ts";

/** Where an anchor came from: the model's valid proposal, or the deterministic span. */
export type AnchorSource = "model" | "rule";

/** e for one candidate, with what became of the model's proposal. */
export interface Anchor {
  readonly candidate: Candidate;
  /** A verbatim substring of the sentence. */
  readonly text: string;
  readonly source: AnchorSource;
  /** The model's own words where they were not used, and why; absent in rule-only mode. */
  readonly rejected?: { readonly proposal: string; readonly why: string };
}

/** The record (e, j, v, o) of the paper. */
export interface Fact {
  readonly id: FactId;
  readonly documentId: DocumentId;
  /** e: the routing target; one spelling for all facts of the anchor. */
  readonly anchor: string;
  /** ι(e): zero-based extraction order of the anchor, for Eq. 2. */
  readonly anchorOrder: number;
  /** j: one-based index among the facts of the anchor as shown in κ ("Sandra (1)"), in source order. */
  readonly index: number;
  /** v: the verbatim sentence. */
  readonly value: string;
  /** o: where the sentence starts in the document. */
  readonly offset: CharOffset;
  /** Whether the model's own proposal was accepted (ranks anchors when n_anc > B). */
  readonly validated: boolean;
}

/** κ(e, j), e.g. "Sandra (1)". */
export interface FactKey {
  readonly anchor: string;
  readonly index: number;
}

/** A fact with its storage layer of Eq. 2. */
export interface PlannedFact {
  readonly fact: Fact;
  readonly layer: LayerIndex;
}

/** Eq. 1 and its inputs, as shown to the user before any work starts. */
export interface Budget {
  /** B = min(m̂ n_anc, K C), less what is stored already of K C. */
  readonly facts: number;
  readonly anchors: number;
  readonly depth: number;
  readonly layers: number;
  readonly capacity: number;
  /** Facts the memory held before; absent when it was empty. */
  readonly stored?: number;
  /** Which arm of the minimum binds. */
  readonly bound: "information" | "capacity";
  /** m = ⌊B / n_anc⌋ (at most m̂) when every anchor fits, 1 when only the leading B anchors stay. */
  readonly perAnchor: number;
}
