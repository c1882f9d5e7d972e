/** @file What the arrows run on: a model, a store, the parameters, and the ways to report and to stop. */

import type { Engine } from "../engine/engine.ts";
import type { LayerProbe } from "../plan/layers.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { MethodParams } from "../records/params.ts";
import type { Store } from "../store/port.ts";

/** The stages of memorising, in running order. */
export type Stage = "read" | "anchors" | "layers" | "budget" | "questions" | "routing" | "encode";

/** One line of progress: `done` of `total` (null while unknown) items of a stage. */
export interface Progress {
  readonly stage: Stage;
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

export interface FlowContext {
  readonly engine: Engine;
  readonly store: Store;
  readonly params: MethodParams;
  /** Milliseconds from any fixed origin (performance.now). */
  readonly now: () => number;
  /** The wall clock as ISO text, for records. */
  readonly date: () => string;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
  /** Storage layers that a new memory takes as given, without a probe; a memory that exists keeps its own. */
  readonly layers?: readonly LayerIndex[];
  /** What an earlier probe of this model on this backend found: it is not made again. */
  readonly probed?: readonly LayerProbe[];
}
