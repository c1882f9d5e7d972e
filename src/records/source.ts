/** @file What reading a text gives: Document -> Sentence[] -> Candidate[]. */

import type { CharOffset, DocumentId } from "./ids.ts";

/** A text as handed in, before anything is thrown away. */
export interface Document {
  readonly id: DocumentId;
  readonly title: string;
  /** Exactly the characters that every offset counts. */
  readonly text: string;
}

/** One sentence; `text === document.text.slice(start, end)` always holds. */
export interface Sentence {
  readonly documentId: DocumentId;
  readonly index: number;
  readonly text: string;
  readonly start: CharOffset;
  readonly end: CharOffset;
}

/** Why the filter kept a sentence; "relation" exists in the wide filter only. */
export type CandidateReason = "entity" | "numeral" | "identifier" | "relation";

/** A sentence that carries a factual signal. */
export interface Candidate {
  readonly sentence: Sentence;
  readonly reasons: readonly CandidateReason[];
}
