/** @file What a run has to do, and what doing such things took: plan/cost.ts makes a forecast of the two. */

import type { LayerIndex } from "./ids.ts";
import type { AdamStart } from "./memory.ts";
import type { MemorizeStage } from "./progress.ts";

/** So many parts of one length that are to be encoded at one layer. */
export interface PartCount {
  readonly layer: LayerIndex;
  readonly tokens: number;
  readonly count: number;
  /** Of them, those that are expected to begin at a learned start; absent: none. */
  readonly learned?: number;
}

/** What a run does, in what its time goes by. */
export interface Workload {
  /** Of the texts that are read. */
  readonly characters: number;
  /** Candidates whose anchor the model is asked for. */
  readonly proposals: number;
  /** Layers that are probed. */
  readonly probes: readonly LayerIndex[];
  /** Facts for which the model writes questions. */
  readonly questions: number;
  /** Tokens of the texts whose vectors routing needs. */
  readonly embedded: number;
  /** Vectors whose parts the memory's own read is asked for in the end; none where that is top-1. */
  readonly readBack: number;
  readonly parts: readonly PartCount[];
}

/** Seconds by stage; a stage that is not in it has nothing to do, or is not known. */
export type StageSeconds = Readonly<Partial<Record<MemorizeStage, number>>>;

/** What so many units of something came to in all. */
export interface Rate {
  readonly total: number;
  readonly units: number;
}

/**
 * read: seconds per character; anchors: per candidate; layers: per probed layer, by its reach; questions: per fact;
 * routing: per token; readBack: per vector. Encoding: step, seconds per token, step and reach; part, seconds beside the steps per part that was tried;
 * tries, token-steps of all tries per token-step of those that were kept; slots, tokens that the batches computed per
 * token-step of all tries.
 */
export const RATES = [
  "read",
  "anchors",
  "layers",
  "questions",
  "routing",
  "readBack",
  "step",
  "part",
  "tries",
  "slots",
] as const;
export type RateName = (typeof RATES)[number];

/** How parts of one length, with one start, came out. */
export interface LengthRow {
  readonly tokens: number;
  /** Absent in what older builds kept, which did not tell starts apart: it counts as zero. */
  readonly started?: AdamStart;
  readonly parts: number;
  /** Of all of them together. */
  readonly steps: number;
  readonly exact: number;
}

/** What runs and trials with one model, on one backend, with one set of parameters, took. */
export interface CostModel {
  readonly rates: Readonly<Partial<Record<RateName, Rate>>>;
  readonly lengths: readonly LengthRow[];
}
