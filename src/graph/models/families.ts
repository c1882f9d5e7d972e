import { present } from "../../lib/assert.ts";
import type { GraphBuilder } from "../build.ts";
import type { Tensor } from "../ir.ts";
import type { DecoderConfig } from "./config.ts";
import { times } from "./matrix.ts";

type Project<T> = (b: GraphBuilder, config: DecoderConfig, layer: string, x: Tensor) => T;

export interface Family {
  /** architectures[0] of config.json. */
  readonly architecture: string;
  /** Before the split into heads: query [rows, heads * headDim], key and value [rows, kvHeads * headDim]. */
  readonly project: Project<{ readonly query: Tensor; readonly key: Tensor; readonly value: Tensor }>;
  /** Gate and up rows of the feed-forward block, both [rows, dFf]. */
  readonly gateUp: Project<readonly [Tensor, Tensor]>;
  /** Whether query and key heads pass a norm before they are rotated. */
  readonly headNorm: boolean;
}

/** x W^T for a weight stored as [outputs, inputs], the Hugging Face layout. x [rows, inputs]. */
function linear(b: GraphBuilder, x: Tensor, weight: string, outputs: number): Tensor {
  const inputs = Number(x.shape[1]);
  return b.scope(weight.split(".").at(-2)!, () => times(b, x, weight, [outputs, inputs])); // [rows, outputs]
}

const qwen3: Family = {
  architecture: "Qwen3ForCausalLM",
  headNorm: true,
  project(b, c, layer, x) {
    const rows = (name: string, heads: number) =>
      linear(b, x, `${layer}.self_attn.${name}.weight`, heads * c.headDim);
    return {
      query: rows("q_proj", c.heads),
      key: rows("k_proj", c.kvHeads),
      value: rows("v_proj", c.kvHeads),
    };
  },
  gateUp(b, c, layer, x) {
    const rows = (name: string) => linear(b, x, `${layer}.mlp.${name}.weight`, c.dFf);
    return [rows("gate_proj"), rows("up_proj")];
  },
};

const llama: Family = { ...qwen3, architecture: "LlamaForCausalLM", headNorm: false };

const mistral: Family = { ...llama, architecture: "MistralForCausalLM" };

const qwen2: Family = {
  ...llama,
  architecture: "Qwen2ForCausalLM",
  project(b, c, layer, x) {
    const rows = qwen3.project(b, c, layer, x);
    const biased = (tensor: Tensor, name: string) =>
      b.Add(tensor, b.weight(`${layer}.self_attn.${name}.bias`, [Number(tensor.shape[1])]));
    return {
      query: biased(rows.query, "q_proj"),
      key: biased(rows.key, "k_proj"),
      value: biased(rows.value, "v_proj"),
    };
  },
};

const phi3: Family = {
  architecture: "Phi3ForCausalLM",
  headNorm: false,
  project(b, c, layer, x) {
    const [q, kv] = [c.heads * c.headDim, c.kvHeads * c.headDim];
    const fused = linear(b, x, `${layer}.self_attn.qkv_proj.weight`, q + 2 * kv); // [rows, q + 2 kv]
    return {
      query: b.Slice(fused, 1, 0, q),
      key: b.Slice(fused, 1, q, q + kv),
      value: b.Slice(fused, 1, q + kv, q + 2 * kv),
    };
  },
  gateUp(b, c, layer, x) {
    const fused = linear(b, x, `${layer}.mlp.gate_up_proj.weight`, 2 * c.dFf); // [rows, 2 dFf]
    return [b.Slice(fused, 1, 0, c.dFf), b.Slice(fused, 1, c.dFf, 2 * c.dFf)];
  },
};

const FAMILIES: ReadonlyMap<string, Family> = new Map(
  [qwen3, qwen2, llama, mistral, phi3].map((family) => [family.architecture, family]),
);

/** @throws an error that lists the known architectures */
export const familyOf = (architecture: string): Family =>
  present(
    FAMILIES.get(architecture),
    () =>
      `config.json: architecture "${architecture}" is not supported; known: ${[...FAMILIES.keys()].join(", ")}`,
  );
