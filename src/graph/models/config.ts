/** @file A Hugging Face config.json as the few numbers a decoder needs, in both spellings of the rotary settings. */

import * as v from "valibot";
import { checked, number } from "../../lib/check.ts";

interface Scaled {
  readonly theta: number;
  readonly factor: number;
  readonly originalWindow: number;
}

export type Rope =
  | { readonly kind: "default"; readonly theta: number }
  | ({ readonly kind: "linear" | "dynamic" } & Scaled)
  | ({
      readonly kind: "llama3";
      readonly lowFrequencyFactor: number;
      readonly highFrequencyFactor: number;
    } & Scaled)
  | ({
      readonly kind: "longrope";
      readonly shortFactor: readonly number[];
      readonly longFactor: readonly number[];
      /** cos and sin are multiplied by this. */
      readonly attentionFactor: number;
    } & Omit<Scaled, "factor">)
  | ({
      readonly kind: "yarn";
      /** Turns within the original window above which a frequency is kept, and below which it is divided by the factor. */
      readonly fast: number;
      readonly slow: number;
      readonly attentionFactor: number;
    } & Scaled);

export interface DecoderConfig {
  readonly architecture: string;
  readonly vocabulary: number;
  readonly dModel: number;
  readonly dFf: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  /** The leading dimensions of a head that are rotated. */
  readonly rotaryDim: number;
  readonly epsilon: number;
  /** The head is the embedding table. */
  readonly tied: boolean;
  readonly window: number;
  readonly rope: Rope;
  readonly endTokens: readonly number[];
}

const POSITIVE = "a whole number, 1 or more,";
const upTo = (most: number) =>
  v.pipe(
    v.number(POSITIVE),
    v.safeInteger(POSITIVE),
    v.minValue(1, POSITIVE),
    v.maxValue(most, `a whole number from 1 to ${most}`),
  );
/** A setting this decoder does not have may only hold its neutral value. */
const only = <const Value extends string | number | boolean>(value: Value) =>
  v.nullish(v.literal(value, `only ${JSON.stringify(value)}`));

const rotary = {
  rope_theta: v.nullish(number()),
  original_max_position_embeddings: v.nullish(number()),
  partial_rotary_factor: v.nullish(number()),
};
const scaling = v.looseObject({ ...rotary, rope_type: v.nullish(v.string()), type: v.nullish(v.string()) });
const llama3 = v.object({ factor: number(), low_freq_factor: number(), high_freq_factor: number() });
const scaled = v.object({ factor: number() });
const yarn = v.object({
  factor: number(),
  beta_fast: v.nullish(number()),
  beta_slow: v.nullish(number()),
  attention_factor: v.nullish(number()),
  mscale: only(1),
  mscale_all_dim: only(0),
  truncate: only(true),
});
const longrope = v.object({
  short_factor: v.array(number()),
  long_factor: v.array(number()),
  attention_factor: v.nullish(number()),
});

const quantisation = v.nullish(v.looseObject({ quant_method: v.nullish(v.string()) }));

const decoder = v.object({
  architectures: v.pipe(v.array(v.string()), v.minLength(1, 'a name like "Qwen3ForCausalLM"')),
  vocab_size: upTo(2 ** 22),
  hidden_size: upTo(2 ** 17),
  intermediate_size: upTo(2 ** 20),
  num_hidden_layers: upTo(512),
  num_attention_heads: upTo(1024),
  num_key_value_heads: v.optional(upTo(1024)),
  head_dim: v.nullish(upTo(4096)),
  max_position_embeddings: upTo(2 ** 31),
  rms_norm_eps: number(),
  tie_word_embeddings: v.nullish(v.boolean()),
  eos_token_id: v.nullish(v.union([number(), v.array(number())])),
  sliding_window: v.nullish(upTo(2 ** 31)),
  hidden_act: only("silu"),
  attention_bias: only(false),
  mlp_bias: only(false),
  use_sliding_window: only(false),
  // Some Llama 3 models of others scale what this decoder does not.
  logits_scaling: only(1),
  residual_multiplier: only(1),
  embedding_multiplier: only(1),
  layer_types: v.nullish(
    v.array(v.picklist(["full_attention", "sliding_attention"], 'only "full_attention"')),
  ),
  quantization_config: quantisation,
  // Its name in older repositories of compressed tensors.
  compression_config: quantisation,
  rope_scaling: v.nullish(scaling),
  rope_parameters: v.nullish(scaling),
  ...rotary,
});
/** Models for images and sound describe their text model under a separate key. */
const outer = v.looseObject({
  architectures: v.nullish(v.array(v.string())),
  text_config: v.optional(v.unknown()),
});
type Decoder = v.InferOutput<typeof decoder>;

export function parseConfig(json: unknown): DecoderConfig {
  const { architectures, text_config: inner } = checked(outer, json, "config.json: ");
  if (inner !== undefined)
    throw new Error(
      `config.json: ${architectures?.[0] ?? "this model"} reads more than text (its text model is described under ` +
        '"text_config"), which is not supported; choose a model for text alone',
    );
  const config = checked(decoder, json, "config.json: ");
  const quantised = config.quantization_config ?? config.compression_config;
  if (quantised)
    throw new Error(
      `config.json: the weights are quantised already (${quantised?.quant_method ?? "its kind is not named"}), which is not ` +
        "read; take the repository with bfloat16, float16 or float32 weights, and choose q8 or q4: they are quantised here",
    );
  const { hidden_size: dModel, num_attention_heads: heads, num_key_value_heads: kvHeads = heads } = config;
  if (heads % kvHeads !== 0)
    throw new Error(`config.json: ${heads} attention heads do not divide into ${kvHeads} groups`);
  const headDim = config.head_dim ?? dModel / heads;
  if (!(Number.isInteger(headDim) && headDim % 2 === 0))
    throw new Error(
      `config.json: heads have ${headDim} dimensions, expected an even whole number (rotation pairs them)`,
    );
  const positions = config.max_position_embeddings;
  const { partial_rotary_factor: ownShare } = config.rope_parameters ?? config.rope_scaling ?? {};
  const rotaryDim = Math.floor(headDim * (ownShare ?? config.partial_rotary_factor ?? 1));
  if (!(rotaryDim % 2 === 0 && rotaryDim >= 2 && rotaryDim <= headDim))
    throw new Error(
      `config.json: ${rotaryDim} of ${headDim} dimensions of a head are rotated, expected an even number of them`,
    );
  return {
    architecture: config.architectures[0]!,
    vocabulary: config.vocab_size,
    dModel,
    dFf: config.intermediate_size,
    layers: config.num_hidden_layers,
    heads,
    kvHeads,
    headDim,
    rotaryDim,
    epsilon: config.rms_norm_eps,
    tied: config.tie_word_embeddings === true,
    window: Math.min(positions, slidingWindow(config) ?? positions),
    rope: parseRope(config),
    endTokens: [config.eos_token_id ?? []].flat(),
  };
}

/** Attention here is never local: up to the sliding window (Phi-3 has one) the two are the same, so it ends there. */
const slidingWindow = ({ use_sliding_window: used, sliding_window: window }: Decoder): number | null =>
  used === false ? null : (window ?? null);

function parseRope(config: Decoder): Rope {
  const { max_position_embeddings: window } = config;
  const settings = config.rope_parameters ?? config.rope_scaling ?? {};
  const kind = settings.rope_type ?? settings.type ?? "default";
  const theta = settings.rope_theta ?? config.rope_theta ?? 10000;
  const originalWindow =
    settings.original_max_position_embeddings ?? config.original_max_position_embeddings ?? window;
  if (kind === "default") return { kind, theta };
  if (kind === "llama3") {
    const found = checked(llama3, settings, `config.json: rope type "${kind}": `);
    const { factor, low_freq_factor: lowFrequencyFactor, high_freq_factor: highFrequencyFactor } = found;
    return { kind, theta, factor, lowFrequencyFactor, highFrequencyFactor, originalWindow };
  }
  if (kind === "longrope" || kind === "su") {
    const found = checked(longrope, settings, `config.json: rope type "${kind}": `);
    return {
      kind: "longrope",
      theta,
      shortFactor: found.short_factor,
      longFactor: found.long_factor,
      originalWindow,
      attentionFactor: found.attention_factor ?? longropeScale(window, originalWindow),
    };
  }
  if (kind === "linear" || kind === "dynamic") {
    const { factor } = checked(scaled, settings, `config.json: rope type "${kind}": `);
    return { kind, theta, factor, originalWindow };
  }
  if (kind === "yarn") {
    const found = checked(yarn, settings, `config.json: rope type "${kind}": `);
    const { factor, beta_fast: fast, beta_slow: slow, attention_factor: attention } = found;
    return {
      ...{ kind, theta, factor, originalWindow, fast: fast ?? 32, slow: slow ?? 1 },
      attentionFactor: attention ?? (factor <= 1 ? 1 : 0.1 * Math.log(factor) + 1),
    };
  }
  throw new Error(
    `config.json: rope type "${kind}" is not supported; known: default, linear, dynamic, yarn, llama3, longrope`,
  );
}

/** sqrt(1 + ln(window / original) / ln(original)), as the public model code has it; 1 for short windows. */
const longropeScale = (window: number, original: number): number =>
  window <= original ? 1 : Math.sqrt(1 + Math.log(window / original) / Math.log(original));
