/** @file Reading config.json: both spellings of the rotary settings, and what is refused. */

import { describe, expect, it } from "vitest";
import { parseConfig } from "./config.ts";
import { familyOf } from "./families.ts";

/** A small Qwen3 config.json. */
const BASE = {
  architectures: ["Qwen3ForCausalLM"],
  vocab_size: 100,
  hidden_size: 48,
  intermediate_size: 80,
  num_hidden_layers: 4,
  num_attention_heads: 6,
  num_key_value_heads: 2,
  head_dim: 16,
  rms_norm_eps: 1e-6,
  max_position_embeddings: 512,
  hidden_act: "silu",
  attention_bias: false,
  rope_theta: 1e6,
  tie_word_embeddings: true,
  eos_token_id: 7,
};
const without = (...keys: (keyof typeof BASE)[]) =>
  Object.fromEntries(Object.entries(BASE).filter(([name]) => !keys.some((key) => key === name)));

const LLAMA3 = { factor: 8, low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 64 };
const LONGROPE = { short_factor: Array(8).fill(1), long_factor: Array(8).fill(2) };

describe("parseConfig", () => {
  it("reads the dimensions", () => {
    expect(parseConfig(BASE)).toEqual({
      architecture: "Qwen3ForCausalLM",
      vocabulary: 100,
      dModel: 48,
      dFf: 80,
      layers: 4,
      heads: 6,
      kvHeads: 2,
      headDim: 16,
      rotaryDim: 16,
      epsilon: 1e-6,
      tied: true,
      window: 512,
      rope: { kind: "default", theta: 1e6 },
      endTokens: [7],
    });
  });

  it("falls back where files leave things out", () => {
    expect(parseConfig(without("num_key_value_heads", "head_dim"))).toMatchObject({ kvHeads: 6, headDim: 8 });
    expect(parseConfig({ ...BASE, head_dim: null })).toMatchObject({ headDim: 8 });
    expect(parseConfig(without("eos_token_id")).endTokens).toEqual([]);
    expect(parseConfig({ ...BASE, eos_token_id: [3, 4] }).endTokens).toEqual([3, 4]);
    expect(parseConfig(without("rope_theta")).rope).toEqual({ kind: "default", theta: 10000 });
    expect(parseConfig(without("tie_word_embeddings")).tied).toBe(false);
  });

  it.each([
    ["default", {}, { rope_theta: 5e5 }],
    ["llama3", LLAMA3, { rope_theta: 5e5 }],
    ["longrope", { ...LONGROPE, original_max_position_embeddings: 64 }, { rope_theta: 1e4 }],
  ])("reads %s in both spellings as the same", (type, scaling, theta) => {
    const older = parseConfig({ ...BASE, ...theta, rope_scaling: { ...scaling, rope_type: type } });
    const oldest = parseConfig({ ...BASE, ...theta, rope_scaling: { ...scaling, type } });
    const newer = parseConfig({
      ...without("rope_theta"),
      rope_parameters: { ...scaling, ...theta, rope_type: type },
    });
    expect(newer.rope).toEqual(older.rope);
    expect(oldest.rope).toEqual(older.rope);
    expect(older.rope.kind).toBe(type);
  });

  it("takes longrope's original window from the top of Phi-3's file, and its scale from the two windows", () => {
    const phi = {
      ...BASE,
      rope_scaling: { ...LONGROPE, type: "longrope" },
      original_max_position_embeddings: 64,
    };
    const { rope } = parseConfig(phi);
    expect(rope).toMatchObject({ kind: "longrope", originalWindow: 64 });
    // ln 512 / ln 64 = 9 / 6.
    expect(rope.kind === "longrope" && rope.attentionFactor).toBeCloseTo(Math.sqrt(1 + 3 / 6), 12);
  });

  it("ends the window where attention would become local", () => {
    expect(parseConfig({ ...BASE, sliding_window: 100 }).window).toBe(100);
    expect(parseConfig({ ...BASE, sliding_window: 9999 }).window).toBe(512);
    expect(parseConfig({ ...BASE, sliding_window: 100, use_sliding_window: false }).window).toBe(512);
    expect(parseConfig({ ...BASE, sliding_window: null }).window).toBe(512);
  });
});

describe("parseConfig refuses", () => {
  it.each([
    ["nothing", null, "it is null; an object is expected"],
    ["a list", [BASE], "architectures is missing"],
    ["no architecture", without("architectures"), "architectures is missing"],
    [
      "a model of more than text",
      { architectures: ["Gemma3ForConditionalGeneration"], text_config: BASE },
      "Gemma3ForConditionalGeneration reads more than text",
    ],
    ["a missing number", without("hidden_size"), "hidden_size is missing; a value is expected"],
    ["a number in quotes", { ...BASE, vocab_size: "100" }, 'vocab_size is "100"; a whole number'],
    ["half a layer", { ...BASE, num_hidden_layers: 1.5 }, "num_hidden_layers is 1.5; a whole number"],
    ["no layer", { ...BASE, num_hidden_layers: 0 }, "num_hidden_layers is 0"],
    [
      "heads that do not divide",
      { ...BASE, num_key_value_heads: 4 },
      "6 attention heads do not divide into 4",
    ],
    ["a head of uneven size", { ...BASE, head_dim: 7 }, "heads have 7 dimensions"],
    ["a width that heads do not divide", { ...BASE, hidden_size: 50, head_dim: null }, "heads have 8.33"],
    [
      "weights in AWQ",
      { ...BASE, quantization_config: { quant_method: "awq", bits: 4 } },
      "quantised already (awq), which is not read; take the repository with bfloat16",
    ],
    [
      "weights in GPTQ",
      { ...BASE, quantization_config: { quant_method: "gptq" } },
      "quantised already (gptq)",
    ],
    [
      "weights in compressed tensors of old",
      { ...BASE, compression_config: { quant_method: "sparseml" } },
      "quantised already (sparseml)",
    ],
    ["logits that are scaled", { ...BASE, logits_scaling: 8 }, "logits_scaling"],
    ["layers without attention", { ...BASE, layer_types: ["linear_attention"] }, "layer_types"],
    [
      "weights in compressed tensors",
      { ...BASE, quantization_config: { quant_method: "compressed-tensors" } },
      "(compressed-tensors)",
    ],
    ["another activation", { ...BASE, hidden_act: "gelu" }, 'hidden_act is "gelu"; only "silu" is expected'],
    ["attention biases", { ...BASE, attention_bias: true }, "attention_bias is true; only false"],
    ["MLP biases", { ...BASE, mlp_bias: true }, "mlp_bias is true"],
    ["a sliding window", { ...BASE, use_sliding_window: true }, "use_sliding_window is true"],
    [
      "a rotation of uneven size",
      { ...BASE, partial_rotary_factor: 0.2 },
      "3 of 16 dimensions of a head are rotated",
    ],
    [
      "more rotation than there is",
      { ...BASE, rope_parameters: { rope_type: "default", partial_rotary_factor: 1.5 } },
      "24 of 16 dimensions of a head are rotated",
    ],
    [
      "another rope",
      { ...BASE, rope_scaling: { rope_type: "proportional", factor: 4 } },
      'rope type "proportional" is not supported; known: default, linear, dynamic, yarn, llama3, longrope',
    ],
    [
      "YaRN with another scale",
      { ...BASE, rope_scaling: { rope_type: "yarn", factor: 4, mscale: 0.7 } },
      'rope type "yarn": mscale is 0.7; only 1 is expected',
    ],
    ["a rope base that is no number", { ...BASE, rope_theta: "1e6" }, 'rope_theta is "1e6"'],
    [
      "llama3 without its factor",
      { ...BASE, rope_scaling: { rope_type: "llama3" } },
      'rope type "llama3": factor is missing',
    ],
    [
      "longrope without its lists",
      { ...BASE, rope_scaling: { type: "longrope" } },
      'rope type "longrope": short_factor is missing',
    ],
    [
      "rope settings that are no object",
      { ...BASE, rope_scaling: "linear" },
      'rope_scaling is "linear"; an object is expected',
    ],
  ])("%s", (_, json, message) => {
    expect(() => parseConfig(json)).toThrow(message);
    expect(() => parseConfig(json)).toThrow(/^config\.json: /);
  });
});

describe("familyOf", () => {
  it("names the known families when asked for another", () => {
    expect(() => familyOf("GPT2LMHeadModel")).toThrow(
      'config.json: architecture "GPT2LMHeadModel" is not supported; known: Qwen3ForCausalLM, Qwen2ForCausalLM, LlamaForCausalLM, MistralForCausalLM, Phi3ForCausalLM',
    );
  });
});
