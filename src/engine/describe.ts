/** @file A model's size from its config.json, for the preflight. */

import { WHOLE_UP_TO } from "../graph/build.ts";
import { PRECISIONS, weightBytes, type Precision } from "../lib/precision.ts";
import type { ModelFit, PrecisionSize } from "../records/model.ts";
import type { Capabilities, Device, Purpose } from "../runtime/device.ts";
import { fits, type Need } from "../runtime/preflight.ts";
import { RECORDED_TENSORS } from "./encodeSessions.ts";
import { cacheBytes, keptBytes } from "./fixedSessions.ts";
import { described, EXPAND_UP_TO } from "./loadWeights.ts";
import { MOST_SCORES } from "./greedy.ts";
import { LOGITS_PER_BATCH } from "./runner.ts";
import { CACHE_COLUMNS } from "./roles.ts";

/** Reads a config.json. @throws as parseConfig does, naming the key; and on an unknown architecture */
export function describeModel(configJson: unknown) {
  const model = described(configJson);
  const { config } = model.plain;
  const shapes = [...model.shapes.values()];
  const weights = (precision: Precision): number =>
    shapes.reduce((sum, shape) => sum + weightBytes(shape, precision), 0);
  const largest = (precision: Precision): number =>
    Math.max(...shapes.map((shape) => weightBytes(shape, precision)));
  // Slices of a matrix are made float32, one at a time, and a buffer must hold each.
  const madeWhole = Math.min(largest("f32"), WHOLE_UP_TO * FLOAT_BYTES);
  const { window } = config;
  const cachePerToken = cacheBytes(config);
  return {
    architecture: config.architecture,
    parameters: weights("f32") / FLOAT_BYTES,
    weights,
    /** Bytes on a device while facts are encoded, by purpose; an estimate except for the weights. */
    need(backend: Device["backend"], precision: Precision): Need {
      const whole = precision === "f32" ? 0 : madeWhole;
      const bytes: Partial<Record<Purpose, number>> = {
        weights: backend === "webgpu" ? weights(precision) : onHost(weights("f32"), weights(precision)),
        cache:
          cachePerToken * Math.min(window, PROMPT_TOKENS) * BATCH_ROWS +
          (backend === "webgpu"
            ? Math.min(keptBytes(config), cachePerToken * CACHE_COLUMNS.at(-1)! * BATCH_ROWS)
            : 0),
        activation:
          LOGITS_PER_BATCH[backend] * FLOAT_BYTES * LOGIT_TENSORS[backend] +
          Math.min(MOST_SCORES, config.heads * window ** 2) * FLOAT_BYTES * SCORE_TENSORS +
          whole,
      };
      return { bytes, largestTensor: Math.max(largest(precision), whole) };
    },
  };
}

export const precisionSizes = (
  { weights, need }: ReturnType<typeof describeModel>,
  backends: readonly Capabilities[],
): PrecisionSize[] =>
  PRECISIONS.map((precision) => ({
    precision,
    bytes: weights(precision),
    fit: backends.map((capabilities): ModelFit => {
      const { backend } = capabilities;
      if (precision === "f16" && !capabilities.f16)
        return { backend, verdict: "too big", message: `${backend} has no float16 on this device.` };
      const { verdict, message } = fits(need(backend, precision), capabilities);
      return { backend, verdict, message };
    }),
  }));

/** A small model is stored as float32, with a copy in each per-token session; a larger one twice in its precision. */
const onHost = (asFloats: number, asHeld: number): number =>
  asFloats <= EXPAND_UP_TO ? 3 * asFloats : 2 * asHeld;

const FLOAT_BYTES = 4;
/** Attention scores, with the mask, and their softmax, while a prompt is read. */
const SCORE_TENSORS = 3;
const PROMPT_TOKENS = 96;
const BATCH_ROWS = 32;
/** Tensors of the size of the logits that one training step holds. */
const STEP_TENSORS = 10;
const LOGIT_TENSORS = {
  cpu: STEP_TENSORS,
  wasm: STEP_TENSORS,
  webgpu: STEP_TENSORS + RECORDED_TENSORS,
} as const;
