/** @file Test support: one encoding step of a small model at fixed shape, and numbers to begin it with. */

import { attentionInputs } from "../../engine/runner.ts";
import { seeded } from "../../lib/rng.ts";
import type { TensorData } from "../../runtime/device.ts";
import type { Graph, Tensor } from "../ir.ts";
import { parseConfig } from "../models/config.ts";
import { familyOf } from "../models/families.ts";
import { encodeStep } from "../programs/train.ts";

const CONFIG = parseConfig({
  architectures: ["Qwen3ForCausalLM"],
  vocab_size: 256,
  hidden_size: 64,
  intermediate_size: 96,
  num_hidden_layers: 6,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 16,
  max_position_embeddings: 128,
  rms_norm_eps: 1e-6,
  tie_word_embeddings: true,
});
const MODEL = { config: CONFIG, family: familyOf(CONFIG.architecture) };
const COLUMNS = { time: 9, past: 16 };
const OPTIONS = { batch: 2, layer: 1, suffix: 2, beta1: 0.9, beta2: 0.999 };

/** The step for these columns alone, and for any. */
export const FIXED_STEP: Graph = encodeStep(MODEL, { name: "fixed", columns: COLUMNS, ...OPTIONS });
export const OPEN_STEP: Graph = encodeStep(MODEL, { name: "open", ...OPTIONS });

/** What an input or weight of FIXED_STEP begins with: numbers that depend on its name and size alone, sensible settings. */
export function begun({ name, shape }: Tensor): TensorData {
  const count = shape.reduce<number>((product, dim) => product * Number(dim), 1);
  const next = seeded(name.length + count);
  const random = (size: number) => Float32Array.from({ length: count }, () => size * (2 * next() - 1));
  const given = SETTINGS[name];
  if (given !== undefined) return new Float32Array(count).fill(given);
  if (name in FRAME) return FRAME[name as keyof typeof FRAME];
  if (name === "first") return Float32Array.from({ length: count }, (_, i) => (i === 0 ? 1 : 0));
  if (name === "targets")
    return Int32Array.from({ length: count }, () => Math.floor(next() * CONFIG.vocabulary));
  return shape.length === 1 ? random(0.1).map((x) => 1 + x) : random(0.25);
}

const { time, past } = COLUMNS;
const FRAME = attentionInputs(CONFIG, { pads: [0, 3], past, time, length: past + time });

/** Inputs all of whose numbers are the same. */
const SETTINGS: Readonly<Record<string, number>> = {
  mask: 1,
  rate: 0.1,
  stop: 0,
  correction1: 10,
  correction2: 1000,
  delta: 0,
  m: 0,
  v: 0,
};
