/** @file Candidate[] -> Anchor[] -> Fact[]. Notation of the paper: e, j, v, o, κ, ℓ. */

import type { CharOffset, DocumentId, FactId, LayerIndex } from "./ids.ts";
import prompts from "./prompts.json" with { type: "json" };
import type { Candidate } from "./source.ts";

type AnchorSource = "model" | "rule";

export interface Anchor {
  readonly candidate: Candidate;
  readonly text: string;
  readonly source: AnchorSource;
  readonly rejected?: { readonly proposal: string; readonly why: string };
}

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
  /** o: offset of the sentence in the document. */
  readonly offset: CharOffset;
}

export interface ExtractedFact extends Fact {
  readonly validated: boolean;
}

/** κ(e, j, s): what addresses a stored vector. A value that one vector holds has the first part alone: κ(e, j). */
export interface FactKey extends Pick<Fact, "anchor" | "index"> {
  readonly part?: number;
}

/** κ as people and the model read it, e.g. "Sandra (1)", its second part "Sandra (1.2)". */
export const keyText = ({ anchor, index, part = 1 }: FactKey): string =>
  (part === 1 ? prompts.key : prompts.partKey)
    .replace("{part}", String(part))
    .replace("{index}", String(index))
    .replace("{anchor}", () => anchor);

export const factKey = ({ anchor, index }: FactKey): string => keyText({ anchor, index });

export interface PlannedFact {
  readonly fact: Fact;
  readonly layer: LayerIndex;
}

/** UTF-16 units. Every recall prompt contains an anchor, and prompts in one batch are as long as the longest. */
export const LONGEST_ANCHOR = 1000;
