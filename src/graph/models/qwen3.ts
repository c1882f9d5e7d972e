/** @file Qwen3: query and key heads are normalised before rotation. */

import { separateGateUp, separateProjections, type Family } from "./family.ts";

export const qwen3: Family = {
  architecture: "Qwen3ForCausalLM",
  project: separateProjections,
  gateUp: separateGateUp,
  headNorm: true,
};
