/** @file Progress of runs, deletions and questions. */

import type { LayerIndex } from "./ids.ts";

/** The stages of memorising, in running order. */
export const MEMORIZE_STAGES = [
  "read",
  "anchors",
  "layers",
  "budget",
  "questions",
  "routing",
  "encode",
  "readBack",
] as const;
export type MemorizeStage = (typeof MEMORIZE_STAGES)[number];

/** How far a run is as a whole. */
export interface RunShare {
  /** 0 to 1; it never goes back. */
  readonly share: number;
  /** Null while nothing is known. */
  readonly secondsLeft: number | null;
}

/** One line of progress: `done` of `total` (null while unknown) items of a stage. */
export interface Progress {
  readonly stage: MemorizeStage;
  readonly done: number;
  readonly total: number | null;
  readonly note?: string;
  /** While facts are encoded. */
  readonly encode?: EncodeState;
  /** If the time of the run can be estimated. */
  readonly run?: RunShare;
}

/**
 * Progress of a deletion: facts that were recalled before and after it, and under the soft read the new verdicts of the other
 * facts of their layers.
 */
export interface DeletionProgress {
  readonly stage: "before" | "after" | "others";
  readonly done: number;
  readonly total: number;
}

/** Progress of a question: the answer so far. */
export interface AskProgress {
  readonly text: string;
}

/** The running batch, for a live curve. */
export interface EncodeState {
  readonly layer: LayerIndex;
  /** Which batch of the run this is, from 1; refinement counts as a batch of its own. */
  readonly batch: number;
  /** Facts that are stepped together. */
  readonly facts: number;
  /** Mean loss of Eq. 3 before each step of this batch so far. */
  readonly losses: readonly number[];
  /** Share of the stage's work that is done, 0 to 1; steps of parts that are not finished count. */
  readonly share: number;
}
