/** @file What the arrows run on: a model, a store, the parameters, and the ways to report and to stop. */

import type { Engine } from "../engine/engine.ts";
import type { AbortSignalLike } from "../lib/assert.ts";
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
  readonly signal?: AbortSignalLike;
}
