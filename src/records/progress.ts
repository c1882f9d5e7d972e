/** @file What the arrows say while they work. */

import type { LayerIndex } from "./ids.ts";

/** The stages of memorising, in running order. */
export type MemorizeStage = "read" | "anchors" | "layers" | "budget" | "questions" | "routing" | "encode";

/** One line of progress: `done` of `total` (null while unknown) items of a stage. */
export interface Progress {
  readonly stage: MemorizeStage;
  readonly done: number;
  readonly total: number | null;
  readonly note?: string;
  /** While facts are encoded. */
  readonly encode?: EncodeState;
}

/** The running batch, for a live curve and a forecast. */
export interface EncodeState {
  readonly layer: LayerIndex;
  /** Which batch of the run this is, from 1; refinement counts as a batch of its own. */
  readonly batch: number;
  /** Facts that are stepped together. */
  readonly facts: number;
  /** Mean loss of Eq. 3 before each step of this batch so far. */
  readonly losses: readonly number[];
  /** Null until the first facts are done. */
  readonly factsPerSecond: number | null;
  readonly secondsLeft: number | null;
}
