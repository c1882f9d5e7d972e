/** @file The source of a model, its files and sizes, and the result of its tests on this machine. */

import type { Precision } from "../lib/precision.ts";
import type { ModelIdentity } from "./memory.ts";

/** Source of a model's files. */
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
  /** Bytes already in this browser's cache. */
  readonly cached: number;
}

/** The size of a model, known before a download. */
export interface ModelListing {
  readonly source: ModelSource;
  readonly files: readonly ModelFile[];
  readonly bytes: number;
  readonly architecture: string;
  readonly parameters: number | null;
  /** Size of its weights in each precision, and whether that fits. */
  readonly precisions: readonly PrecisionSize[];
}

/** Size of a model in one precision, and whether it fits each backend of this machine. */
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
  /** Null or absent if there is no rounded copy: for float weights and for dropped files. */
  readonly copy?: CopyReport | null;
  /** How this device decodes tokens, as measured when its session started. */
  readonly decoding: string;
}

/** State of the rounded copy of a model's weights (weights/roundedCopy.ts). */
export interface CopyReport {
  /** Source of the weights in this load. */
  readonly from: "copy" | "files" | "files, since the copy was damaged";
  /** Size of the copy; 0 without one. */
  readonly bytes: number;
  /** Why there is no copy. */
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
  /** Of these what rounded copies take; absent without copies. */
  readonly copies?: number;
  /** Whether every file is there in full. */
  readonly complete: boolean;
}
