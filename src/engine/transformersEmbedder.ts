/**
 * @file A dedicated embedding model through transformers.js (feature extraction, mean pooling, unit vectors).
 * Loaded only when one is configured. Calls take turns with those of our own sessions.
 */

import { throwIfCancelled } from "../lib/assert.ts";
import { inTurn } from "../runtime/turns.ts";
import type { Embedder } from "./embed.ts";

export interface TransformersEmbedderOptions {
  /** A folder name under `localPath`, or a Hub id when `remote` is true. */
  readonly model: string;
  /** Where local models lie: a path or URL ending in the parent of the model's folder. */
  readonly localPath?: string;
  /** Ask the Hub; only when the user named a model there. */
  readonly remote?: boolean;
  /** Folder of onnxruntime's wasm files on our own origin (browser only). */
  readonly wasmPaths?: string;
  readonly pooling?: "mean" | "cls";
}

/** Opens the embedder. Rejects when the model cannot be found or does not extract features. */
export async function transformersEmbedder(options: TransformersEmbedderOptions): Promise<Embedder> {
  const { env, pipeline } = await import("@huggingface/transformers");
  const { model, pooling = "mean" } = options;
  env.allowRemoteModels = options.remote === true;
  env.allowLocalModels = options.remote !== true;
  if (options.localPath !== undefined) env.localModelPath = options.localPath;
  if (options.wasmPaths !== undefined && env.backends.onnx.wasm)
    env.backends.onnx.wasm.wasmPaths = options.wasmPaths;
  const extract = await pipeline("feature-extraction", model, { dtype: "fp32" }).catch((error: unknown) => {
    const from = options.remote ? "the Hub" : env.localModelPath;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`engine: the embedding model "${model}" cannot be opened from ${from}: ${why}`, {
      cause: error,
    });
  });
  return {
    name: `transformers.js ${model} (${pooling})`,
    denseFloor: 0.3,
    // In the browser transformers.js runs on the same wasm as our WebGPU sessions, which takes one call at a time.
    embed: (texts, signal) =>
      inTurn(`embedding by ${model}`, async () => {
        const vectors: Float32Array[] = [];
        // One text a call: padding in a batch would change a text's vector with its company.
        for (const text of texts) {
          throwIfCancelled(signal, `engine: embedding by ${model}`);
          const tensor = await extract(text, { pooling, normalize: true });
          vectors.push(Float32Array.from(tensor.data as Float32Array));
        }
        return vectors;
      }),
  };
}
