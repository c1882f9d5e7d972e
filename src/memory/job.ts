/** @file One part of a fact on its way through encoding, and the fact that it is of. */

import type { AdamState, KeyReading } from "../engine/engine.ts";
import type { PlannedFact } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { AdamStart, MemoryEntry } from "../records/memory.ts";
import type { StartFeatures } from "./learnedStart.ts";
import type { Part } from "./parts.ts";

/** A fact of which some parts are encoded. */
export interface Whole {
  readonly planned: PlannedFact;
  readonly entries: MemoryEntry[];
  /** Parts that are not encoded yet. */
  open: number;
  /** The highest s in use. */
  parts: number;
  /** How often what could not be said alone was tried behind what precedes it. */
  mended: number;
  /** Steps of tries of which no vector stands. */
  givenUp: number;
}

/** One part of a fact on its way. */
export interface Job extends Part {
  readonly whole: Whole;
  readonly layer: LayerIndex;
  /** Layers where it stayed inexact. */
  readonly tried: readonly LayerIndex[];
  /** Times it was given another address. */
  readonly moves: number;
  /** Entries whose place it takes if it is exact. */
  readonly joins: readonly MemoryEntry[];
  reading: KeyReading | undefined;
  state: AdamState | undefined;
  started: AdamStart;
  /** What the learned start reads of it; absent where nothing is learnt. */
  features: StartFeatures | undefined;
  steps: number;
  losses: number[];
  /** Every target was the argmax at the last look. */
  hit: boolean;
}

/** A job that has not begun. */
export const makeJob = (
  whole: Whole,
  part: Part,
  layer: LayerIndex,
  tried: readonly LayerIndex[] = [],
): Job => ({
  ...part,
  whole,
  layer,
  tried,
  moves: 0,
  joins: [],
  reading: undefined,
  state: undefined,
  started: "zero",
  features: undefined,
  steps: 0,
  losses: [],
  hit: false,
});
