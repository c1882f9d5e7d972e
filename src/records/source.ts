/** @file What reading a text gives: Document -> Sentence[] -> Candidate[]. */

import type { CharOffset, DocumentId } from "./ids.ts";

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

/** Why the filter kept a sentence; the strict one knows no "relation", and only that of all sentences "other". */
export const CANDIDATE_REASONS = ["entity", "numeral", "identifier", "relation", "other"] as const;
export type CandidateReason = (typeof CANDIDATE_REASONS)[number];

export const reasonBit = (reason: CandidateReason): number => 1 << CANDIDATE_REASONS.indexOf(reason);

/** Where the sentences of a text are: sentence i is `text.slice(starts[i], ends[i])`; they are in order, none overlap. */
export interface TextMarks {
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly kinds: Uint8Array<ArrayBuffer>;
}

export interface Candidate {
  readonly sentence: Sentence;
  readonly reasons: readonly CandidateReason[];
}
