/** @file The choice of a text embedder, and its name in a memory. Known models are in engine/transformersFiles.ts. */

import * as v from "valibot";
import { object, type Infer } from "../lib/check.ts";
import { DTYPES, otherSource, type EmbedderDtype } from "./model.ts";

export type EmbedderDevice = "cpu" | "wasm" | "webgpu";

export type EmbedderChoice = Infer<typeof embedderChoice>;
export const embedderChoice = object({
  from: otherSource,
  dtype: v.picklist(DTYPES),
  device: v.picklist(["wasm", "webgpu"]),
});

export interface EmbedderReady {
  readonly name: string;
  /** Cosine from which two texts count as near; above 1 none does. Null until a first text was embedded. */
  readonly denseFloor: number | null;
}

export const onnxFile = (dtype: EmbedderDtype): string => `onnx/model${SUFFIXES[dtype]}.onnx`;

const SUFFIXES = { fp32: "", fp16: "_fp16", q8: "_quantized", q4: "_q4", q4f16: "_q4f16" } as const;

export const isOnnxFile = (name: string, dtype: EmbedderDtype): boolean =>
  name === onnxFile(dtype) || (name.startsWith(`${onnxFile(dtype)}_data`) && /_data(_\d+)?$/.test(name));

export const OWN_STATES = "mean-pooled hidden states";

/** The model of a choice in its name: another revision than main gives other vectors. */
export const modelOf = ({ from }: EmbedderChoice): string =>
  from.kind === "hub" ? `${from.repo}${from.revision === "main" ? "" : `@${from.revision}`}` : from.name;

interface EmbedderTraits {
  readonly pooling: string;
  readonly prefixed: boolean;
  readonly dtype: EmbedderDtype;
  readonly weights?: string | undefined;
}

/** The stored name of an embedder: everything its vectors depend on, except rounding. */
export const embedderName = (model: string, { pooling, prefixed, dtype, weights }: EmbedderTraits): string =>
  `transformers.js ${model}${weights ? ` #${weights}` : ""} (${[pooling, prefixed && "prefixed", dtype !== "fp32" && dtype].filter(Boolean).join(", ")})`;

const WEIGHTS = / #[0-9a-f]{16}(?= \([^()]+\)$)/;

/** Null for the model itself, undefined for an unknown name. With a slash it is a Hub repository, otherwise a folder. */
export function choiceNamed(
  name: string,
  device: EmbedderChoice["device"] = "wasm",
): EmbedderChoice | null | undefined {
  if (name === OWN_STATES) return null;
  const [, model, traits] = /^transformers\.js (.+) \(([^()]+)\)$/.exec(name.replace(WEIGHTS, "")) ?? [];
  if (model === undefined || traits === undefined) return undefined;
  const dtype = DTYPES.find((known) => traits.split(", ").includes(known)) ?? "fp32";
  const [, repo, revision = "main"] = /^([\w.-]+\/[\w.-]+)(?:@(.+))?$/.exec(model) ?? [];
  return { from: repo ? { kind: "hub", repo, revision } : { kind: "files", name: model }, dtype, device };
}

export const sameEmbedder = (a: EmbedderChoice | null, b: EmbedderChoice | null): boolean =>
  a === null || b === null ? a === b : modelOf(a) === modelOf(b) && a.dtype === b.dtype;
