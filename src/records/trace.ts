/** @file Measurements of single facts for figures. figures/gates.ts derives gates and weights for other θ and β from them. */

import * as v from "valibot";
import { list, number, object, text, type Infer } from "../lib/check.ts";
import type { CharOffset, DocumentId, FactId, LayerIndex } from "./ids.ts";
import type { CandidateReason } from "./source.ts";

/** A token with the text it adds to those before it; "" for one that only ends or begins. */
export interface TokenText {
  readonly id: number;
  readonly text: string;
}

export interface TracePass {
  /** The input of the model: the prompt, then all decoded tokens but the last. Position = index. */
  readonly fed: readonly TokenText[];
  /** s_i of Eq. 4a at every position, row-major [fed, store]. For these tokens it holds at every θ and β. */
  readonly similarity: ArrayLike<number>;
  readonly decoded: readonly TokenText[];
  readonly text: string;
  readonly openPositions: readonly number[];
}

export interface RecallTrace {
  readonly id: FactId;
  readonly key: string;
  /** ℓ: where δ is added. */
  readonly layer: LayerIndex;
  readonly theta: number;
  readonly beta: number;
  readonly promptTokens: number;
  readonly keyPosition: number;
  readonly store: readonly { readonly id: FactId; readonly key: string }[];
  readonly value: readonly TokenText[] | null;
  readonly soft: TracePass;
  readonly top1: TracePass;
}

export interface Standing {
  readonly logit: number;
  readonly logProbability: number;
  readonly rank: number;
}

export interface LensLayer {
  readonly layer: LayerIndex;
  readonly right: Standing;
  readonly chosen: Standing;
  readonly top: readonly (TokenText & { readonly logProbability: number })[];
}

/** One decoded token: what was right there, what the model chose with δ, and both with and without δ by layer. */
interface LensStep {
  readonly right: TokenText;
  readonly chosen: TokenText;
  readonly withDelta: readonly LensLayer[];
  readonly withoutDelta: readonly LensLayer[];
}

export interface LensTrace extends Pick<RecallTrace, "id" | "key" | "layer"> {
  readonly steps: readonly LensStep[];
}

/** ρ(κ) as the model reads it, with the room that a value takes behind it. */
export interface PromptTokens {
  readonly text: string;
  readonly tokens: readonly TokenText[];
  readonly keyPosition: number;
  readonly valueTokens: number;
  readonly room: number;
}

export interface SentenceVerdict {
  readonly start: CharOffset;
  readonly end: CharOffset;
  readonly reasons: readonly CandidateReason[];
  readonly dropped: DropReason | null;
  readonly sample: string;
}

export type DropReason = "heading or page furniture" | "fewer than two words" | "no factual signal";

const OUTCOMES = ["model", "rule", "rejected"] as const;

export interface AnchorVerdict {
  readonly start: CharOffset;
  readonly anchor: string;
  readonly outcome: (typeof OUTCOMES)[number];
  readonly proposal: string | null;
  readonly why: string | null;
  readonly sample: string;
}

export interface ExtractionTrace {
  readonly title: string;
  readonly characters: number;
  readonly sentences: readonly SentenceVerdict[];
  readonly anchors: readonly AnchorVerdict[];
}

export type ExtractionCounts = Infer<typeof extractionCounts>;
export const extractionCounts = object({
  id: text<DocumentId>(),
  title: text(),
  characters: number(),
  /** Equal parts of the text, first to last; a sentence counts where it starts. */
  parts: list(object({ sentences: number(), candidates: number(), byModel: number(), byRule: number() })),
  filter: list(object({ verdict: v.picklist(["kept", "dropped"]), why: text(), sentences: number() })),
  anchors: list(object({ outcome: v.picklist(OUTCOMES), why: v.nullable(text()), anchors: number() })),
});
