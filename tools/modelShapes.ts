/** @file The shapes of real models, from their published config.json: what made weights are made for. */

/** By the name that commands take. */
export const MODEL_SHAPES = {
  "qwen3-0.6b": qwen3({ hidden: 1024, intermediate: 3072, layers: 28, heads: 16, tied: true }),
  "qwen3-1.7b": qwen3({ hidden: 2048, intermediate: 6144, layers: 28, heads: 16, tied: true }),
  "qwen3-4b": qwen3({ hidden: 2560, intermediate: 9728, layers: 36, heads: 32, tied: true }),
  "phi3.5-mini": {
    architectures: ["Phi3ForCausalLM"],
    vocab_size: 32064,
    hidden_size: 3072,
    intermediate_size: 8192,
    num_hidden_layers: 32,
    num_attention_heads: 32,
    num_key_value_heads: 32,
    max_position_embeddings: 131072,
    original_max_position_embeddings: 4096,
    sliding_window: 262144,
    rms_norm_eps: 1e-5,
    rope_theta: 10000,
    rope_scaling: { type: "longrope", ...phi35Factors() },
    tie_word_embeddings: false,
  },
  "llama3.1-8b": {
    architectures: ["LlamaForCausalLM"],
    vocab_size: 128256,
    hidden_size: 4096,
    intermediate_size: 14336,
    num_hidden_layers: 32,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    max_position_embeddings: 131072,
    rms_norm_eps: 1e-5,
    rope_theta: 500000,
    rope_scaling: {
      rope_type: "llama3",
      factor: 8,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
    },
    tie_word_embeddings: false,
  },
  // Small enough for a software adapter.
  tiny: {
    ...qwen3({ hidden: 128, intermediate: 256, layers: 4, heads: 4, tied: true }),
    vocab_size: 4096,
    head_dim: 32,
    num_key_value_heads: 2,
  },
} as const satisfies Record<string, Record<string, unknown>>;

export type ModelShape = keyof typeof MODEL_SHAPES;

interface Qwen3Size {
  readonly hidden: number;
  readonly intermediate: number;
  readonly layers: number;
  readonly heads: number;
  readonly tied: boolean;
}

function qwen3({ hidden, intermediate, layers, heads, tied }: Qwen3Size): Record<string, unknown> {
  return {
    architectures: ["Qwen3ForCausalLM"],
    vocab_size: 151936,
    hidden_size: hidden,
    intermediate_size: intermediate,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: 8,
    head_dim: 128,
    max_position_embeddings: 40960,
    rms_norm_eps: 1e-6,
    rope_theta: 1000000,
    tie_word_embeddings: tied,
  };
}

/**
 * Of each pair of a head's numbers. As published they have the digits of float32 behind them (1.0800000429153442), which
 * no angle shows.
 */
function phi35Factors() {
  return {
    long_factor: [
      1.08, 1.11, 1.14, 1.34, 1.59, 1.6, 1.62, 2.62, 3.23, 3.23, 4.79, 7.4, 7.7, 9.09, 12.2, 17.67, 24.46,
      28.57, 30.42, 30.84, 32.59, 32.93, 42.32, 44.96, 50.34, 50.45, 57.55, 57.93, 58.21, 60.14, 62.61, 62.62,
      62.71, 63.14, 63.14, 63.77, 63.93, 63.96, 63.97, 64.03, 64.07, 64.08, 64.12, 64.41, 64.48, 64.51, 64.53,
      64.84,
    ],

    short_factor: [
      1, 1.02, 1.03, 1.03, 1.05, 1.05, 1.05, 1.05, 1.05, 1.07, 1.1, 1.11, 1.16, 1.16, 1.17, 1.29, 1.34, 1.68,
      1.79, 1.82, 1.85, 1.88, 1.91, 1.94, 1.99, 2.02, 2.02, 2.02, 2.02, 2.02, 2.02, 2.03, 2.03, 2.03, 2.03,
      2.03, 2.03, 2.03, 2.03, 2.03, 2.08, 2.09, 2.19, 2.22, 2.59, 2.73, 2.75, 2.84,
    ],
  };
}
