/** @file Where a model comes from, what it is made of, and how it was found to work on this machine. */

import type { Precision } from "../lib/precision.ts";
import type { ModelIdentity } from "./memory.ts";

/** Where the files of a model lie. */
export type ModelSource =
  /** The model that ships with the app. */
  | { readonly kind: "bundled" }
  /** A Hugging Face repository, e.g. "Qwen/Qwen3-0.6B" at "main". */
  | { readonly kind: "hub"; readonly repo: string; readonly revision: string }
  /** A folder or files that the user dropped; they are read in place and must be dropped again after a reload. */
  | { readonly kind: "files"; readonly name: string };

/** One file of a model before it is fetched. */
export interface ModelFile {
  readonly name: string;
  readonly bytes: number;
  /** Bytes of it that lie in this browser's cache already. */
  readonly cached: number;
}

/** What a model needs, said before anything is downloaded. */
export interface ModelListing {
  readonly source: ModelSource;
  readonly files: readonly ModelFile[];
  readonly bytes: number;
  readonly architecture: string;
  readonly parameters: number | null;
  /** What its weights take in each precision, and whether that fits. */
  readonly precisions: readonly PrecisionSize[];
}

/** What a model takes in one precision, with the verdict of the preflight for each backend of this machine. */
export interface PrecisionSize {
  readonly precision: Precision;
  /** Of the weights on the device. */
  readonly bytes: number;
  readonly fit: readonly ModelFit[];
}

export interface ModelFit {
  readonly backend: "webgpu" | "wasm" | "cpu";
  readonly verdict: "fits" | "tight" | "too big" | "unknown";
  readonly message: string;
}

/** Bytes of one file so far. */
export interface FileProgress {
  readonly name: string;
  readonly done: number;
  readonly total: number;
}

/** Getting a model ready, in running order. */
export interface LoadProgress {
  /** "pairs": a text embedder tried on made pairs. */
  readonly stage: "download" | "self-test" | "weights" | "warm-up" | "pairs";
  readonly done: number;
  readonly total: number;
  /** Every file of a download, with its own bar. */
  readonly files?: readonly FileProgress[];
}

/** The machine as the device card shows it; saved in the header of every run. */
export interface DeviceCard {
  readonly backend: "cpu" | "wasm" | "webgpu";
  readonly description: string;
  readonly runtime: string;
  readonly f16: boolean;
  readonly threads: number;
  readonly limits: Readonly<Record<string, number>>;
  readonly crossOriginIsolated: boolean;
  /** Why WebGPU is not used, and what a person can do about it. */
  readonly webgpuMissing: { readonly reason: string; readonly next: string } | null;
  readonly selfTest: {
    readonly verdict: "pass" | "degraded" | "wrong";
    readonly summary: string;
    readonly milliseconds: number;
  };
}

/** Bytes held on the device by purpose. */
export interface BufferLedger {
  readonly bytes: Readonly<Record<string, number>>;
  readonly total: number;
  readonly peak: number;
}

/** A model that is ready to use. */
export interface ModelReady {
  readonly identity: ModelIdentity;
  readonly source: ModelSource;
  readonly files: readonly ModelFile[];
  readonly device: DeviceCard;
  readonly ledger: BufferLedger;
  readonly embedder: string;
  readonly milliseconds: number;
  /** Null or absent where none is kept: of floats, and of files of one's own. */
  readonly copy?: CopyReport | null;
  /** How this device decodes tokens, as measured when its session started. */
  readonly decoding: string;
}

/** What became of the rounded copy of a model's weights (weights/roundedCopy.ts). */
export interface CopyReport {
  /** What the weights were read from this time. */
  readonly from: "copy" | "files" | "files, since the copy was damaged";
  /** Of the copy that is kept now; 0 where there is none. */
  readonly bytes: number;
  /** Why there is none. */
  readonly problem: string | null;
}

/** Number formats of a text embedder's weights, the most exact first. */
export const DTYPES = ["fp32", "fp16", "q8", "q4", "q4f16"] as const;
export type EmbedderDtype = (typeof DTYPES)[number];

/** A model in this browser's cache. */
export interface CachedModel {
  readonly repo: string;
  readonly revision: string;
  /** Weights of a text embedder; absent: a language model. */
  readonly onnx?: EmbedderDtype;
  readonly bytes: number;
  /** Of these what rounded copies take; absent where there is none. */
  readonly copies?: number;
  /** Whether every file is there in full. */
  readonly complete: boolean;
}
