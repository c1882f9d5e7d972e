/** @file From a model folder to weights on the device: checked against the architecture, streamed piece by piece. */

import { parseConfig, type DecoderConfig } from "../graph/models/config.ts";
import type { Decoder } from "../graph/models/decoder.ts";
import { familyOf } from "../graph/models/registry.ts";
import { forward } from "../graph/programs/forward.ts";
import { present } from "../lib/assert.ts";
import type { Device, DeviceTensor } from "../runtime/device.ts";
import { openCheckpoint, requireTensor } from "../weights/checkpoint.ts";
import { identityBuilder } from "../weights/identity.ts";
import { readJson, readWhole, type ModelFiles } from "../weights/modelFiles.ts";
import { createStaging, streamTensor } from "../weights/stream.ts";

/** Bytes of weights read so far and in all, and the tensor being read. */
export interface WeightsProgress {
  readonly done: number;
  readonly total: number;
  readonly tensor: string;
}

export interface LoadOptions {
  readonly onProgress?: (progress: WeightsProgress) => void;
  readonly signal?: AbortSignal;
}

export interface LoadedWeights {
  readonly decoder: Decoder;
  readonly config: DecoderConfig;
  readonly configJson: unknown;
  readonly weights: ReadonlyMap<string, DeviceTensor>;
  /** SHA-256 over config.json and the weights that are used (hex). */
  readonly sha256: string;
}

/**
 * Loads config and weights of `files` onto `device` as float32. Only the tensors the architecture uses are read.
 * Throws on an unknown architecture, a missing or misshapen tensor, or values that are not finite; everything
 * already on the device is then freed.
 */
export async function loadWeights(
  device: Device,
  files: ModelFiles,
  options: LoadOptions = {},
): Promise<LoadedWeights> {
  const configBytes = present(
    await readWhole(files, "config.json"),
    () => `engine: ${files.name} has no config.json; a Hugging Face model folder is expected`,
  );
  const configJson = await readJson(files, "config.json");
  const config = parseConfig(configJson);
  const decoder = { config, family: familyOf(config.architecture) };
  const needed = forward(decoder, { name: "weights", batch: 1, head: "next" }).weights;
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
    for (const tensor of wanted) {
      const target = device.allocate("float32", tensor.shape, "weights");
      weights.set(tensor.name, target);
      await streamTensor(tensor, target, "float32", staging, {
        hash: identity.hasherFor(tensor),
        onProgress: (done) => options.onProgress?.({ done: before + done, total, tensor: tensor.name }),
        ...(options.signal ? { signal: options.signal } : {}),
      });
      before += tensor.end - tensor.start;
    }
    return { decoder, config, configJson, weights, sha256: identity.sha256() };
  } catch (error) {
    for (const tensor of weights.values()) tensor.dispose();
    throw error;
  } finally {
    await checkpoint.close();
  }
}
