/** @file Where one weight of a checkpoint goes on a device, and under which names graphs find it there. */

import { blockedName } from "../graph/build.ts";
import { blocksOf, levelBytes } from "../lib/blocks.ts";
import { levelBits, type Precision } from "../lib/precision.ts";
import type { Device, DeviceTensor } from "../runtime/device.ts";
import type { CheckpointTensor } from "../weights/checkpoint.ts";
import { streamBlocks, streamRounded } from "../weights/streamRows.ts";
import { streamTensor, type Staging, type StreamOptions } from "../weights/stream.ts";

/** How the matrices of a model lie on its device. */
export interface WeightForm {
  /** The precision that their numbers have been through. */
  readonly precision: Precision;
  /** They lie there as float32 all the same, which the processor multiplies fastest. */
  readonly expanded: boolean;
}

/** Room on the device, and what fills it. */
export interface WeightTarget {
  /** By the names of graph inputs. */
  readonly tensors: ReadonlyMap<string, DeviceTensor>;
  fill(staging: Staging, options: StreamOptions): Promise<unknown>;
}

/** Makes room for `tensor`. Vectors are float32 in every precision. */
export function allocateWeight(device: Device, tensor: CheckpointTensor, form: WeightForm): WeightTarget {
  const { name, shape } = tensor;
  const precision = shape.length === 2 ? form.precision : "f32";
  const bits = levelBits(precision);
  if (bits !== undefined && !form.expanded) return inBlocks(device, tensor, bits);
  const type = precision === "f16" && !form.expanded ? "float16" : "float32";
  const target = device.allocate(type, shape, "weights");
  const rounded = type === "float32" && precision !== "f32";
  return {
    tensors: new Map([[name, target]]),
    fill: (staging, options) =>
      rounded
        ? streamRounded(tensor, target, precision, staging, options)
        : streamTensor(tensor, target, type, staging, options),
  };
}

/** Levels under two shapes, over the same bytes, and scales. */
function inBlocks(device: Device, tensor: CheckpointTensor, bits: 4 | 8): WeightTarget {
  const [rows, columns] = tensor.shape as readonly [number, number];
  const [blocks, row] = [blocksOf(columns), levelBytes(columns, bits)];
  const levels = device.allocate("uint8", [rows, row], "weights");
  const scales = device.allocate("float32", [rows, blocks], "weights");
  return {
    tensors: new Map([
      [blockedName(tensor.name, "blocks"), device.view(levels, [rows, blocks, row / blocks])],
      [blockedName(tensor.name, "rows"), levels],
      [blockedName(tensor.name, "scales"), scales],
    ]),
    fill: (staging, options) => streamBlocks(tensor, { levels, scales }, bits, staging, options),
  };
}
