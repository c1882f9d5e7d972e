/** @file Test support: the bundled model on the CPU, and random models of every family with its tokenizer. */

import { existsSync, readFileSync } from "node:fs";
import { parseConfig } from "../../graph/models/config.ts";
import { familyOf } from "../../graph/models/families.ts";
import { forward } from "../../graph/programs/forward.ts";
import { random } from "../../graph/testing/run.ts";
import type { Device } from "../../runtime/device.ts";
import { createNodeDevice } from "../../../tools/node/nodeDevice.ts";
import type { Precision } from "../../lib/precision.ts";
import type { ModelFiles } from "../../weights/modelFiles.ts";
import { makeFolder, makeSafetensors, type MadeTensor } from "../../weights/testing/files.ts";
import { openEngine, type LocalEngine } from "../localEngine.ts";
import { WRITER_FILE } from "../../records/model.ts";

export const BUNDLED = "public/models/palimpsest-7m";
/** The bundled model has a writer: it is trained apart. */
export const HAS_WRITER = existsSync(`${BUNDLED}/${WRITER_FILE}`);

export interface Opened {
  readonly device: Device;
  readonly engine: LocalEngine;
}

/** An engine on a CPU device of its own. One thread is fastest where test files already keep all cores busy. */
export async function open(
  files: ModelFiles,
  threads = 1,
  precision?: Precision,
  reader?: ModelFiles,
): Promise<Opened> {
  const device = await createNodeDevice({ backend: "cpu", threads, spin: false });
  return { device, engine: await openEngine(device, files, { precision, reader }) };
}

export const FAMILIES = [
  "Qwen3ForCausalLM",
  "LlamaForCausalLM",
  "Phi3ForCausalLM",
  "Qwen2ForCausalLM",
] as const;

/** A config.json small enough to make up weights for, with the bundled tokenizer's vocabulary. */
export function randomConfig(architecture: string): Record<string, unknown> {
  return {
    architectures: [architecture],
    vocab_size: 4096,
    hidden_size: 32,
    intermediate_size: 48,
    num_hidden_layers: 4,
    num_attention_heads: 4,
    num_key_value_heads: architecture === "Phi3ForCausalLM" ? 4 : 2,
    head_dim: 8,
    rms_norm_eps: 1e-6,
    max_position_embeddings: 256,
    tie_word_embeddings: architecture === "Qwen3ForCausalLM",
    eos_token_id: 4095,
    ...(architecture === "Phi3ForCausalLM" && {
      original_max_position_embeddings: 48,
      rope_scaling: { type: "longrope", short_factor: [1, 1.1, 1.3, 1.6], long_factor: [1, 2, 4, 8] },
    }),
    ...(architecture === "LlamaForCausalLM" && {
      rope_scaling: {
        rope_type: "llama3",
        factor: 8,
        low_freq_factor: 1,
        high_freq_factor: 4,
        original_max_position_embeddings: 32,
      },
    }),
  };
}

/** Random weights for a config: norms near 1, everything else scaled by the width it multiplies. */
export function randomWeights(config: Record<string, unknown>, seed = 1): MadeTensor[] {
  const parsed = parseConfig(config);
  const decoder = { config: parsed, family: familyOf(parsed.architecture) };
  const next = random(seed);
  return forward(decoder, { name: "weights", batch: 1, head: "next" }).weights.map(({ name, shape }) => {
    const dims = shape.map(Number);
    const make = dims.length === 1 ? () => 1 + 0.1 * next() : () => (2.5 * next()) / Math.sqrt(dims[1]!);
    const data = Float32Array.from({ length: dims.reduce((n, d) => n * d, 1) }, make);
    return { name, dtype: "F32", shape: dims, data };
  });
}

export const tokenizerFiles = (): Record<string, string> =>
  Object.fromEntries(
    ["tokenizer.json", "tokenizer_config.json"].map((file) => [
      file,
      readFileSync(`${BUNDLED}/${file}`, "utf8"),
    ]),
  );

/** A model folder in memory. */
export function folder(
  config: Record<string, unknown>,
  weights: readonly MadeTensor[],
  others: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = tokenizerFiles(),
): ModelFiles {
  return makeFolder({
    "config.json": JSON.stringify(config),
    "model.safetensors": makeSafetensors(weights),
    ...others,
  });
}

/** A random model of `architecture`, opened. */
export function openRandom(architecture: string, threads = 1): Promise<Opened> {
  const config = randomConfig(architecture);
  return open(folder(config, randomWeights(config)), threads);
}

/** Random numbers in (-size, size). */
export function vector(length: number, seed: number, size = 1): Float32Array {
  const next = random(seed);
  // The first numbers of neighbouring seeds are alike.
  for (let i = 0; i < 8; i++) next();
  return Float32Array.from({ length }, () => size * next());
}
