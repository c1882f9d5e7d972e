import type { LayerIndex } from "./ids.ts";

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

export interface RunShare {
  readonly share: number;
  readonly secondsLeft: number | null;
  /** Seconds between which the time left probably is, as long as the estimate is uncertain. */
  readonly between?: readonly [least: number, most: number];
  /** Why the time left grew by more than half, for some seconds afterwards. */
  readonly reason?: string;
}

export interface Progress {
  readonly stage: MemorizeStage;
  readonly done: number;
  readonly total: number | null;
  readonly note?: string;
  readonly encode?: EncodeState;
  readonly run?: RunShare;
}

export interface DeletionProgress {
  readonly stage: "before" | "after" | "others";
  readonly done: number;
  readonly total: number;
}

export interface AskProgress {
  readonly text: string;
  /** The first recalled sentences, in the order of the route. */
  readonly recalled?: readonly string[];
}

export interface EncodeState {
  readonly layer: LayerIndex;
  readonly batch: number;
  readonly facts: number;
  /** Mean loss of Eq. 3 over the parts, before each step of this batch so far. */
  readonly losses: readonly number[];
  /** Done share of the work of all facts, 0 to 1; steps of unfinished parts count. It may go back a little. */
  readonly share: number;
}
