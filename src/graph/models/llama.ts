/** @file Llama 3.x: the plain decoder; its rope scaling is a matter of config.ts and rope.ts. */

import { separateGateUp, separateProjections, type Family } from "./family.ts";

export const llama: Family = {
  architecture: "LlamaForCausalLM",
  project: separateProjections,
  gateUp: separateGateUp,
  headNorm: false,
};
