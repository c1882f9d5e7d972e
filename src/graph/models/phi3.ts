/** @file Phi-3: one fused q-k-v projection and one fused gate-up projection. */

import { linear, type Family } from "./family.ts";

export const phi3: Family = {
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
