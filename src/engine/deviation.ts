/**
 * @file How far a model in another precision is from the golden numbers of its float32 weights: the relative root mean
 * square, over all logits and over the gradient to δ. Its matrices are held and multiplied in the precision's own form.
 */

import { relativeRms } from "../lib/stats.ts";
import type { Precision } from "../lib/precision.ts";
import type { Device } from "../runtime/device.ts";
import type { ModelFiles } from "../weights/modelFiles.ts";
import { decode, type Golden } from "./golden.ts";
import { loadWeights, type LoadOptions } from "./loadWeights.ts";
import { Judge } from "./parity.ts";
import { Programs } from "./programs.ts";
import { Runner } from "./runner.ts";

/** A model's answer to the golden inputs. */
export interface GoldenOutputs {
  readonly logits: Float32Array; // [rows, positions, vocabulary]
  readonly gradient: Float32Array; // [rows, dModel]
}

/** Relative RMS of a precision, and what it may be. */
export interface Deviation {
  readonly precision: Precision;
  readonly logits: number;
  readonly gradient: number;
  readonly allowed: { readonly logits: number; readonly gradient: number };
}

/** Loads `files` as `options` say, runs them on the golden inputs, and frees them. */
export async function goldenOutputs(
  device: Device,
  files: ModelFiles,
  golden: Golden,
  options: LoadOptions,
): Promise<GoldenOutputs> {
  const { decoder, weights } = await loadWeights(device, files, options);
  const programs = new Programs(device, decoder, weights);
  try {
    const judge = new Judge(new Runner(programs), golden);
    const [plain, step] = [await judge.run(), await judge.step(true)];
    return {
      logits: (await plain["logits"]!.read()) as Float32Array,
      gradient: (await step["gradient"]!.read()) as Float32Array,
    };
  } finally {
    await programs.dispose();
  }
}

/** Compares `files` in `precision` with the golden numbers. */
export async function deviation(
  device: Device,
  files: ModelFiles,
  golden: Golden,
  precision: Exclude<Precision, "f32">,
): Promise<Deviation> {
  const found = await goldenOutputs(device, files, golden, { precision, expandUpTo: 0 });
  return {
    precision,
    logits: relativeRms(found.logits, decode(golden.logits)),
    gradient: relativeRms(found.gradient, decode(golden.injection.gradient)),
    allowed: ALLOWED[precision],
  };
}

/**
 * What rounding may change in the golden models, whose random weights pass its error on enlarged: 0.48 % of their weights
 * in 8 bits become 1.6 to 1.9 % of the logits, 7.7 % in 4 bits become 24 to 31 %.
 */
const ALLOWED = {
  f16: { logits: 0.002, gradient: 0.002 },
  q8: { logits: 0.02, gradient: 0.03 },
  q4: { logits: 0.33, gradient: 0.5 },
} as const;
