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
    max_position_embeddings: 4096,
    rms_norm_eps: 1e-5,
    rope_theta: 10000,
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
