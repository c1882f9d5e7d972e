/**
 * @file Test support: a tiny decoder that is taught, here, to be steered (trainTiny.ts): whatever fact of its few words
 * is stored at any of its layers comes back.
 */

import { parseConfig } from "../../graph/models/config.ts";
import { familyOf } from "../../graph/models/families.ts";
import { endCpu } from "../../graph/testing/run.ts";
import { trainTiny, type Lesson } from "../../graph/testing/trainTiny.ts";
import { makeSafetensors } from "../../weights/testing/files.ts";

export const NAMES = ["Mary", "John", "Sandra", "Daniel", "Ivan", "Anna", "Boris", "Clara"];
export const VERBS = ["visited", "left", "painted", "sold", "found", "cleaned", "bought", "saw"];
export const PLACES = ["garden", "kitchen", "office", "hallway", "attic", "cellar", "library", "tower"];
const INDICES = ["1", "2", "3", "4"];
const WORDS = [
  "[UNK]",
  "Recall",
  "the",
  "fact",
  "about",
  "(",
  ")",
  ":",
  ".",
  ...INDICES,
  ...NAMES,
  ...VERBS,
  ...PLACES,
];

const CONFIG = {
  architectures: ["Qwen3ForCausalLM"],
  vocab_size: WORDS.length,
  hidden_size: 48,
  intermediate_size: 96,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 12,
  rms_norm_eps: 1e-6,
  // It was taught nothing beyond the 14 tokens of a lesson; the page's longer prompts get a reply all the same.
  max_position_embeddings: 512,
  tie_word_embeddings: true,
};

/** What a family has in its config.json besides. */
const OF_FAMILY = {
  Qwen3ForCausalLM: {},
  Qwen2ForCausalLM: {},
  MistralForCausalLM: { sliding_window: null },
  // As Phi-4-mini: half of each head is rotated, by longrope.
  Phi3ForCausalLM: {
    partial_rotary_factor: 0.5,
    original_max_position_embeddings: 64,
    rope_scaling: { type: "longrope", short_factor: [1, 1.1, 1.3], long_factor: [1, 2, 4] },
  },
};

export type SteerableFamily = keyof typeof OF_FAMILY;

const TOKENIZER = {
  version: "1.0",
  added_tokens: [],
  normalizer: null,
  pre_tokenizer: { type: "BertPreTokenizer" },
  post_processor: null,
  decoder: { type: "WordPiece", prefix: "##", cleanup: true },
  model: {
    type: "WordPiece",
    unk_token: "[UNK]",
    continuing_subword_prefix: "##",
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
  },
};

const PROMPT = 9; // Recall the fact about NAME ( INDEX ) :

function draw(pick: (count: number) => number): Lesson {
  const [n, v, p] = [pick(8), pick(8), pick(8)];
  const words = [
    "Recall",
    "the",
    "fact",
    "about",
    NAMES[n]!,
    "(",
    INDICES[pick(4)]!,
    ")",
    ":",
    NAMES[n]!,
    VERBS[v]!,
    "the",
    PLACES[p]!,
    ".",
  ];
  return { ids: words.map((word) => WORDS.indexOf(word)), slots: [n, 8 + v, 16 + p] };
}

/** Its files by name, as of a folder; trained anew at each call, in seconds, always to the same weights. */
export async function steerable(
  family: SteerableFamily = "Qwen3ForCausalLM",
): Promise<Record<"config.json" | "model.safetensors" | "tokenizer.json", Uint8Array<ArrayBuffer>>> {
  const given = { ...CONFIG, architectures: [family], ...OF_FAMILY[family] };
  const config = parseConfig(given);
  const decoder = { config, family: familyOf(config.architecture) };
  const { weights, losses } = await trainTiny({
    decoder,
    draw,
    slots: 24,
    keyPosition: 7,
    firstValue: PROMPT,
    steps: 240,
    batch: 24,
    rate: 0.01,
    seed: 1,
  });
  await endCpu();
  if (!(losses.at(-1)! < 0.3))
    throw new Error(`steerable: the last loss is ${losses.at(-1)}; below 0.3 expected`);
  const tensors = [...weights].map(([name, { dims, data }]) => ({
    name,
    dtype: "F32" as const,
    shape: dims,
    data,
  }));
  return {
    "config.json": json(given),
    "model.safetensors": makeSafetensors(tensors),
    "tokenizer.json": json(TOKENIZER),
  };
}

const json = (value: unknown): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(JSON.stringify(value)));
