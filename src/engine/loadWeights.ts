/** @file From a model folder to weights on the device: checked against the architecture, streamed piece by piece. */

import { parseConfig, type DecoderConfig } from "../graph/models/config.ts";
import type { Decoder } from "../graph/models/decoder.ts";
import { familyOf } from "../graph/models/registry.ts";
import { forward } from "../graph/programs/forward.ts";
import { assert, present } from "../lib/assert.ts";
import { defaultPrecision, weightBytes, type Precision } from "../lib/precision.ts";
import type { Device, DeviceTensor } from "../runtime/device.ts";
import { openCheckpoint, requireTensor } from "../weights/checkpoint.ts";
import { identityBuilder } from "../weights/identity.ts";
import { readJson, readWhole, type ModelFiles } from "../weights/modelFiles.ts";
import { createStaging } from "../weights/stream.ts";
import { allocateWeight } from "./weightTargets.ts";

/** Bytes of weights read so far and in all, and the tensor being read. */
export interface WeightsProgress {
  readonly done: number;
  readonly total: number;
  readonly tensor: string;
}

export interface LoadOptions {
  /** Of the model's matrices; where nobody chose, lib/precision.ts does by the size of the model. */
  readonly precision?: Precision;
  /** Bytes that they may take as float32 to be held so on the processor, whatever their precision. */
  readonly expandUpTo?: number;
  readonly onProgress?: (progress: WeightsProgress) => void;
  readonly signal?: AbortSignal;
}

export interface LoadedWeights {
  /** Its precision is the form that graphs get the matrices in, which is f32 where they were expanded. */
  readonly decoder: Decoder;
  readonly config: DecoderConfig;
  readonly configJson: unknown;
  /** What the numbers of the matrices went through. */
  readonly precision: Precision;
  readonly weights: ReadonlyMap<string, DeviceTensor>;
  /** SHA-256 over config.json and the weights that are used (hex). */
  readonly sha256: string;
}

/**
 * Loads config and weights of `files` onto `device` in the precision asked for. Only the tensors the architecture uses
 * are read. Throws on an unknown architecture, a missing or misshapen tensor, values that are not finite, or f16 on a
 * device without it; everything already on the device is then freed.
 */
export async function loadWeights(
  device: Device,
  files: ModelFiles,
  options: LoadOptions = {},
): Promise<LoadedWeights> {
  const missing = (): string =>
    `engine: ${files.name} has no config.json; a Hugging Face model folder is expected`;
  const configJson = present(await readJson(files, "config.json"), missing);
  const configBytes = present(await readWhole(files, "config.json"), missing);
  const config = parseConfig(configJson);
  const plain = { config, family: familyOf(config.architecture) };
  const needed = forward(plain, { name: "weights", batch: 1, head: "next" }).weights;
  const sizes = needed.map(({ shape }) => shape.map(Number));
  const precision = options.precision ?? defaultPrecision(count(sizes));
  checkPrecision(device, precision);
  const checkpoint = await openCheckpoint(files, options.signal);
  const weights = new Map<string, DeviceTensor>();
  try {
    const shapes = new Map(needed.map((t) => [t.name, t.shape.map(Number)]));
    for (const [name, shape] of shapes) requireTensor(checkpoint, name, shape);
    const wanted = [...checkpoint.tensors.values()].filter((t) => shapes.has(t.name));
    const total = wanted.reduce((sum, t) => sum + t.end - t.start, 0);
    const identity = identityBuilder(configBytes);
    const staging = createStaging();
    let before = 0;
    const form = { precision, expanded: isExpanded(device, sizes, options) };
    for (const tensor of wanted) {
      const { tensors, fill } = allocateWeight(device, tensor, form);
      for (const [name, held] of tensors) weights.set(name, held);
      await fill(staging, {
        hash: identity.hasherFor(tensor),
        onProgress: (done) => options.onProgress?.({ done: before + done, total, tensor: tensor.name }),
        ...(options.signal ? { signal: options.signal } : {}),
      });
      before += tensor.end - tensor.start;
    }
    const decoder: Decoder = form.expanded ? plain : { ...plain, precision };
    return { decoder, config, configJson, weights, precision, sha256: identity.sha256() };
  } catch (error) {
    for (const tensor of weights.values()) tensor.dispose();
    throw error;
  } finally {
    await checkpoint.close();
  }
}

/** Weights in all. */
const count = (shapes: readonly (readonly number[])[]): number =>
  shapes.reduce((sum, shape) => sum + shape.reduce((product, size) => product * size, 1), 0);

function checkPrecision({ backend, capabilities }: Device, precision: Precision): void {
  assert(
    precision !== "f16" || capabilities.f16,
    () =>
      `engine: f16 is asked for, and ${backend} has no float16 here (${capabilities.description}); choose q8 or f32`,
  );
}

/**
 * Whether matrices of another precision are held as float32 all the same. The processor has no kernel that multiplies
 * float32 by 8-bit levels: it makes the whole matrix anew at every run, which for a small model takes longer than the
 * product (docs/runtime.md, 5). The numbers are the same; what a small model takes is not worth the time.
 */
function isExpanded(
  { weightsAs }: Device,
  shapes: readonly (readonly number[])[],
  { expandUpTo = EXPAND_UP_TO }: LoadOptions,
): boolean {
  const bytes = shapes.reduce((sum, shape) => sum + weightBytes(shape, "f32"), 0);
  return weightsAs === "initializers" && bytes <= expandUpTo;
}

/** 67 million weights. */
export const EXPAND_UP_TO = 256 * 2 ** 20;
