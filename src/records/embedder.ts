/**
 * @file Which text embedder routes to a memory, as a notebook saves the choice. Its name, as a memory remembers it, is
 * embedderName.ts; what is known of models is engine/transformersEmbedder.ts.
 */

import type { ModelSource } from "./model.ts";

/** Weights as converted models offer them, the most exact first. */
export const DTYPES = ["fp32", "fp16", "q8", "q4", "q4f16"] as const;
export type EmbedderDtype = (typeof DTYPES)[number];

/** Where transformers.js runs: cpu in Node, the others in a browser. */
export const EMBEDDER_DEVICES = ["cpu", "wasm", "webgpu"] as const;
export type EmbedderDevice = (typeof EMBEDDER_DEVICES)[number];

/**
 * A model of transformers.js: for feature extraction, in place of the language model's own states, or one that a compared
 * method needs.
 */
export interface EmbedderChoice {
  readonly from: Exclude<ModelSource, { kind: "bundled" }>;
  readonly dtype: EmbedderDtype;
  readonly device: Exclude<EmbedderDevice, "cpu">;
}

/** The embedder that is in use. */
export interface EmbedderReady {
  readonly name: string;
  /** Cosine from which two texts count as near; above 1 none does. Null until a first text was embedded. */
  readonly denseFloor: number | null;
}

/** The file of a model's weights in the layout of transformers.js; parts of a large one lie beside it. */
export const onnxFile = (dtype: EmbedderDtype): string => `onnx/model${SUFFIXES[dtype]}.onnx`;

const SUFFIXES = { fp32: "", fp16: "_fp16", q8: "_quantized", q4: "_q4", q4f16: "_q4f16" } as const;

/** Whether `name` is the weights' file of `dtype`, or a part of it. */
export const isOnnxFile = (name: string, dtype: EmbedderDtype): boolean =>
  name === onnxFile(dtype) || (name.startsWith(`${onnxFile(dtype)}_data`) && /_data(_\d+)?$/.test(name));
