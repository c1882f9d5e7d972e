/**
 * @file A Hugging Face config.json as the few numbers a decoder needs. Both spellings of the rotary settings load:
 * rope_theta + rope_scaling (older files) and rope_parameters (newer ones).
 */

import { assert, present } from "../../lib/assert.ts";

/** How positions become angles; see rope.ts. */
export type Rope =
  | { readonly kind: "default"; readonly theta: number }
  | {
      readonly kind: "llama3";
      readonly theta: number;
      readonly factor: number;
      readonly lowFrequencyFactor: number;
      readonly highFrequencyFactor: number;
      readonly originalWindow: number;
    }
  | {
      readonly kind: "longrope";
      readonly theta: number;
      readonly shortFactor: readonly number[];
      readonly longFactor: readonly number[];
      readonly originalWindow: number;
      /** cos and sin are multiplied by this. */
      readonly attentionFactor: number;
    };

/** A decoder's dimensions. d = dModel, hd = headDim. */
export interface DecoderConfig {
  readonly architecture: string;
  readonly vocabulary: number;
  readonly dModel: number;
  readonly dFf: number;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly headDim: number;
  readonly epsilon: number;
  /** The head is the embedding table. */
  readonly tied: boolean;
  /** Longest sequence in tokens. */
  readonly window: number;
  readonly rope: Rope;
  /** Tokens that end a generation. */
  readonly endTokens: readonly number[];
}

type Json = Readonly<Record<string, unknown>>;

/** Reads config.json. Throws an Error that names the key, its value and what was expected. */
export function parseConfig(json: unknown): DecoderConfig {
  assert(isRecord(json), () => "config.json: expected a JSON object");
  const architecture = present(
    (json["architectures"] as readonly string[] | undefined)?.[0],
    () => 'config.json: "architectures" is missing; expected e.g. ["Qwen3ForCausalLM"]',
  );
  const dModel = count(json, "hidden_size");
  const heads = count(json, "num_attention_heads");
  const kvHeads = "num_key_value_heads" in json ? count(json, "num_key_value_heads") : heads;
  assert(
    heads % kvHeads === 0,
    () => `config.json: ${heads} attention heads do not divide into ${kvHeads} groups`,
  );
  refuse(json, "hidden_act", "silu");
  refuse(json, "attention_bias", false);
  refuse(json, "mlp_bias", false);
  refuse(json, "use_sliding_window", false);
  refuse(json, "partial_rotary_factor", 1);
  const headDim = "head_dim" in json && json["head_dim"] !== null ? count(json, "head_dim") : dModel / heads;
  assert(
    Number.isInteger(headDim) && headDim % 2 === 0,
    () =>
      `config.json: heads have ${headDim} dimensions, expected an even whole number (rotation pairs them)`,
  );
  const positions = count(json, "max_position_embeddings");
  return {
    architecture,
    vocabulary: count(json, "vocab_size"),
    dModel,
    dFf: count(json, "intermediate_size"),
    layers: count(json, "num_hidden_layers"),
    heads,
    kvHeads,
    headDim,
    epsilon: number(json, "rms_norm_eps"),
    tied: json["tie_word_embeddings"] === true,
    window: Math.min(positions, slidingWindow(json) ?? positions),
    rope: parseRope(json, positions),
    endTokens: [json["eos_token_id"] ?? []].flat().map(Number),
  };
}

/** Attention here is never local: up to the sliding window (Phi-3 has one) the two are the same, so it ends there. */
function slidingWindow(json: Json): number | null {
  return json["use_sliding_window"] === false || (json["sliding_window"] ?? null) === null
    ? null
    : count(json, "sliding_window");
}

function parseRope(json: Json, window: number): Rope {
  const newer = json["rope_parameters"];
  const scaling = (isRecord(newer) ? newer : json["rope_scaling"]) ?? {};
  assert(isRecord(scaling), () => "config.json: rope_scaling: expected an object or null");
  refuse(scaling, "partial_rotary_factor", 1);
  const where = { ...json, ...scaling };
  const theta = optional(where, "rope_theta") ?? 10000;
  const kind = String(scaling["rope_type"] ?? scaling["type"] ?? "default");
  const originalWindow = optional(where, "original_max_position_embeddings") ?? window;
  if (kind === "default") return { kind, theta };
  if (kind === "llama3")
    return {
      kind,
      theta,
      factor: number(scaling, "factor"),
      lowFrequencyFactor: number(scaling, "low_freq_factor"),
      highFrequencyFactor: number(scaling, "high_freq_factor"),
      originalWindow,
    };
  if (kind === "longrope" || kind === "su")
    return {
      kind: "longrope",
      theta,
      shortFactor: numbers(scaling, "short_factor"),
      longFactor: numbers(scaling, "long_factor"),
      originalWindow,
      attentionFactor: optional(scaling, "attention_factor") ?? longropeScale(window, originalWindow),
    };
  throw new Error(`config.json: rope type "${kind}" is not supported; known: default, llama3, longrope`);
}

/** sqrt(1 + ln(window / original) / ln(original)), as the public model code has it; 1 for short windows. */
function longropeScale(window: number, original: number): number {
  return window <= original ? 1 : Math.sqrt(1 + Math.log(window / original) / Math.log(original));
}

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function number(json: Json, key: string): number {
  const value = json[key];
  assert(
    typeof value === "number" && Number.isFinite(value),
    () => `config.json: "${key}" is ${JSON.stringify(value)}, expected a number`,
  );
  return value;
}

const optional = (json: Json, key: string): number | null =>
  (json[key] ?? null) === null ? null : number(json, key);

function count(json: Json, key: string): number {
  const value = number(json, key);
  assert(
    Number.isInteger(value) && value > 0,
    () => `config.json: "${key}" is ${value}, expected a positive integer`,
  );
  return value;
}

function numbers(json: Json, key: string): readonly number[] {
  const value = json[key];
  assert(
    Array.isArray(value) && value.every((v) => typeof v === "number"),
    () => `config.json: "${key}" is ${JSON.stringify(value)}, expected a list of numbers`,
  );
  return value as number[];
}

/** A setting this decoder does not have may only hold its neutral value. */
function refuse(json: Json, key: string, neutral: unknown): void {
  const value = json[key];
  assert(
    value === undefined || value === null || value === neutral,
    () => `config.json: "${key}" is ${JSON.stringify(value)}; only ${JSON.stringify(neutral)} is supported`,
  );
}
