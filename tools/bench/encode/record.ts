/** @file One benchmark run as plain data: what is printed, saved and tabulated. */

import type { ModelIdentity } from "../../../src/records/memory.ts";
import type { MethodParams } from "../../../src/records/params.ts";
import type { Capabilities } from "../../../src/runtime/device.ts";

/** Where and when a run happened. */
export interface Circumstances {
  /** Short commit hash, "+" behind it when the working tree differed. */
  readonly commit: string;
  readonly date: string;
  readonly node: string;
  readonly processor: string;
}

/** One fact under both methods; milliseconds are the fact's own where it ran alone. */
export interface MethodsOnFact {
  readonly key: string;
  readonly value: string;
  readonly layer: number;
  readonly tokens: number;
  readonly naive: Outcome & { readonly milliseconds: number };
  readonly ours: Outcome;
}

/** How one fact came out, judged for both methods by the same batched recall. */
export interface Outcome {
  readonly steps: number;
  readonly exact: boolean;
  /** Token F1. */
  readonly fidelity: number;
  readonly deltaNorm: number;
}

/** One method over all facts. */
export interface MethodFigures {
  /** Median over the passes. */
  readonly factsPerSecond: number;
  /** Facts per second of each pass, in the order they ran. */
  readonly passes: readonly number[];
  readonly exact: number;
  readonly fidelity: number;
  readonly steps: number;
  /** Runs before the clock started: every session it needs was created and run once. */
  readonly warmUp: { readonly sessions: number; readonly creation: number; readonly milliseconds: number };
}

/** Both methods on the facts of one layer; ours encodes all layers together. */
export interface LayerFigures {
  readonly layer: number;
  readonly facts: number;
  readonly naive: { readonly factsPerSecond: number; readonly exact: number; readonly steps: number };
  readonly ours: { readonly exact: number; readonly steps: number };
}

/** The batched loop in PyTorch on the parts of ours, in the same turns. */
export interface PeerFigures {
  readonly torch: string;
  readonly parts: number;
  /** Medians over the turns. */
  readonly partsPerSecond: number;
  readonly oursPerSecond: number;
  readonly ratio: number;
  readonly exact: number;
}

/** Recall of one fact against many. */
export interface RecallFigures {
  readonly facts: number;
  readonly layers: number;
  /** Medians in milliseconds. */
  readonly one: number;
  readonly many: number;
  readonly ratio: number;
  readonly repeats: number;
  /** How many of the facts came back token for token. */
  readonly exact: number;
}

export interface BenchRecord {
  readonly format: "palimpsest bench:encode 1";
  readonly circumstances: Circumstances;
  readonly capabilities: Capabilities;
  readonly model: ModelIdentity;
  readonly params: MethodParams;
  /** Sentences of each kind; prose, of a novel, is stored in parts by ours. Absent in records before there was any. */
  readonly source: { readonly babi: number; readonly made: number; readonly prose?: number };
  readonly layers: readonly number[];
  readonly naive: MethodFigures;
  readonly ours: MethodFigures;
  readonly ratio: number;
  /** Null where PyTorch is not installed. */
  readonly peer: PeerFigures | null;
  readonly byLayer: readonly LayerFigures[];
  readonly recall: RecallFigures;
  /** Whether every pass of ours gave the same residuals. */
  readonly repeatable: boolean;
  readonly facts: readonly MethodsOnFact[];
}
