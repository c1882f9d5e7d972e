/** @file A model's size from its config.json alone, for the preflight: nothing of the weights is read. */

import { parseConfig } from "../graph/models/config.ts";
import { familyOf } from "../graph/models/registry.ts";
import { forward } from "../graph/programs/forward.ts";
import type { Device, Purpose } from "../runtime/device.ts";
import type { Need } from "../runtime/preflight.ts";
import { LOGITS_PER_BATCH } from "./localEngine.ts";

/** What a config.json says of a model. */
export interface ModelDescription {
  readonly architecture: string;
  readonly parameters: number;
  /** Bytes held on a device while facts are encoded, by purpose; an estimate but for the weights. */
  need(backend: Device["backend"]): Need;
}

/** Reads a config.json. @throws as parseConfig does, naming the key; and on an unknown architecture */
export function describeModel(configJson: unknown): ModelDescription {
  const config = parseConfig(configJson);
  const decoder = { config, family: familyOf(config.architecture) };
  const sizes = forward(decoder, { name: "weights", batch: 1, head: "next" }).weights.map(({ shape }) =>
    shape.reduce<number>((product, size) => product * Number(size), 1),
  );
  const parameters = sizes.reduce((sum, size) => sum + size, 0);
  const { layers, kvHeads, headDim, window } = config;
  const cachePerToken = 2 * layers * kvHeads * headDim * FLOAT_BYTES;
  return {
    architecture: config.architecture,
    parameters,
    need: (backend) => {
      const bytes: Partial<Record<Purpose, number>> = {
        weights: parameters * FLOAT_BYTES * (backend === "webgpu" ? 1 : COPIES_ON_HOST),
        cache: cachePerToken * Math.min(window, PROMPT_TOKENS) * BATCH_ROWS,
        activation: LOGITS_PER_BATCH[backend] * FLOAT_BYTES * LOGIT_TENSORS,
      };
      return { bytes, largestTensor: Math.max(...sizes) * FLOAT_BYTES };
    },
  };
}

/** Weights are kept as float32. */
const FLOAT_BYTES = 4;
/** On cpu and wasm the two sessions of per-token decoding (one row, and a batch) bake in a copy each. */
const COPIES_ON_HOST = 3;
/** A fact with its recall prompt, and the rows of an encoding batch. */
const PROMPT_TOKENS = 96;
const BATCH_ROWS = 32;
/** Tensors of the size of the logits that one training step holds. */
const LOGIT_TENSORS = 10;
