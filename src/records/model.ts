/** @file The source of a model, its files and sizes, and the result of its tests on this machine. */

import * as v from "valibot";
import { dictionary, list, number, object, oneOf, text, type Infer } from "../lib/check.ts";
import type { Precision } from "../lib/precision.ts";
import { modelIdentity } from "./memory.ts";

const hub = object({ kind: v.literal("hub"), repo: text(), revision: text() });
const files = object({ kind: v.literal("files"), name: text() });

/** The bundled model; a Hugging Face repository, e.g. "Qwen/Qwen3-0.6B" at "main"; or dropped files, which are read in place. */
export type ModelSource = Infer<typeof modelSource>;
export const modelSource = oneOf("kind", object({ kind: v.literal("bundled") }), hub, files);
export const otherSource = oneOf("kind", hub, files);

export type ModelFile = Infer<typeof modelFile>;
const modelFile = object({
  name: text(),
  bytes: number(),
  cached: number(),
});

export interface ModelListing {
  readonly source: ModelSource;
  readonly files: readonly ModelFile[];
  readonly bytes: number;
  readonly architecture: string;
  readonly parameters: number | null;
  readonly precisions: readonly PrecisionSize[];
}

export interface PrecisionSize {
  readonly precision: Precision;
  readonly bytes: number;
  readonly fit: readonly ModelFit[];
}

export interface ModelFit {
  readonly backend: "webgpu" | "wasm" | "cpu";
  readonly verdict: "fits" | "tight" | "too big" | "unknown";
  readonly message: string;
}

/** The writer in the folder of a model. */
export const WRITER_FILE = "writer.safetensors";

export interface FileProgress {
  readonly name: string;
  readonly done: number;
  readonly total: number;
}

export interface LoadProgress {
  /** "pairs": a text embedder tried on made pairs. */
  readonly stage: "download" | "self-test" | "weights" | "warm-up" | "pairs";
  readonly done: number;
  readonly total: number;
  readonly files?: readonly FileProgress[];
}

export type DeviceCard = Infer<typeof deviceCard>;
const deviceCard = object({
  backend: v.picklist(["cpu", "wasm", "webgpu"]),
  description: text(),
  runtime: text(),
  f16: v.boolean(),
  threads: number(),
  limits: dictionary(number()),
  crossOriginIsolated: v.boolean(),
  webgpuMissing: v.nullable(object({ reason: text(), next: text() })),
  selfTest: object({
    verdict: v.picklist(["pass", "degraded", "wrong"]),
    summary: text(),
    milliseconds: number(),
  }),
});

export type BufferLedger = Infer<typeof bufferLedger>;
const bufferLedger = object({ bytes: dictionary(number()), total: number(), peak: number() });

export type CopyReport = Infer<typeof copyReport>;
const copyReport = object({
  from: v.picklist(["copy", "files", "files, since the copy was damaged"]),
  bytes: number(),
  problem: v.nullable(text()),
});

export type ModelReady = Infer<typeof modelReady>;
export const modelReady = object({
  identity: modelIdentity,
  source: modelSource,
  files: list(modelFile),
  device: deviceCard,
  ledger: bufferLedger,
  embedder: text(),
  milliseconds: number(),
  /** Null or absent if there is no rounded copy: for float weights and for dropped files. */
  copy: v.optional(v.nullable(copyReport)),
  decoding: text(),
});

export const DTYPES = ["fp32", "fp16", "q8", "q4", "q4f16"] as const;
export type EmbedderDtype = (typeof DTYPES)[number];

export interface CachedModel {
  readonly repo: string;
  readonly revision: string;
  /** The weights of an embedder for transformers.js, in ONNX; absent: those of a language model, in safetensors. */
  readonly onnx?: EmbedderDtype;
  readonly bytes: number;
  readonly copies?: number;
  readonly complete: boolean;
}

export function preflightLine(name: string, sizes: readonly PrecisionSize[]): string {
  const each = sizes.map(({ precision, bytes }) => `${gigabytes(bytes)} as ${precision}`).join(", ");
  const backends = sizes[0]?.fit.map(({ backend }) => backend) ?? [];
  return `${name}: ${each}; this device: ${backends.map((backend) => holds(backend, sizes)).join(", ")}`;
}

function holds(backend: ModelFit["backend"], sizes: readonly PrecisionSize[]): string {
  const verdicts = sizes.flatMap(({ precision, fit }) =>
    fit.flatMap((one) => (one.backend === backend ? [{ precision, verdict: one.verdict }] : [])),
  );
  const name = NAMES[backend];
  const held = verdicts.filter(({ verdict }) => verdict !== "too big");
  if (held.length === 0) return `${name} holds it in no precision`;
  if (held.every(({ verdict }) => verdict === "unknown")) return `${name} does not say how much it holds`;
  const list = held.map(({ precision, verdict }) =>
    verdict === "tight" ? `${precision} (tight)` : precision,
  );
  return `${name} holds ${list.join(", ")}`;
}

const NAMES = { webgpu: "WebGPU", wasm: "wasm", cpu: "the processor" } as const;

const gigabytes = (bytes: number): string =>
  bytes < 0.1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
