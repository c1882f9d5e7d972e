/** @file Where one weight of a model goes on a device, and under which names graphs find it there. */

import { blockedName } from "../graph/build.ts";
import { blocksOf, levelBytes } from "../lib/blocks.ts";
import { levelBits, type LevelBits, type Precision } from "../lib/precision.ts";
import type { Device, DeviceTensor } from "../runtime/device.ts";
import type { CheckpointTensor } from "../weights/checkpoint.ts";
import {
  streamBlocks,
  streamHalves,
  writingBlocks,
  writingFloats,
  type TakeBlocks,
} from "../weights/streamRows.ts";
import { streamTensor, type Staging, type StreamOptions, type StreamTarget } from "../weights/stream.ts";

/** How the matrices of a model lie on its device. */
export interface WeightForm {
  /** The precision that their numbers have been through. */
  readonly precision: Precision;
  /** They are held as float32, which the processor multiplies fastest. */
  readonly expanded: boolean;
}

/** Receives the numbers of a weight on their way to the device: rows in blocks, or floats. */
export type WeightSink =
  | { readonly kind: "blocks"; readonly bits: LevelBits; readonly take: TakeBlocks }
  | {
      readonly kind: "floats";
      readonly through: "f32" | "f16" | "f16 and back";
      readonly target: StreamTarget;
    };

/** Room on the device, and what fills it. */
export interface WeightTarget {
  /** By the names of graph inputs. */
  readonly tensors: ReadonlyMap<string, DeviceTensor>;
  readonly sink: WeightSink;
}

/** Makes room for the weight `name` of `shape`. Vectors are float32 in every precision. */
export function allocateWeight(
  device: Device,
  name: string,
  shape: readonly number[],
  { precision, expanded }: WeightForm,
): WeightTarget {
  const bits = shape.length === 2 ? levelBits(precision) : undefined;
  if (bits !== undefined && !expanded) return inBlocks(device, name, shape, bits);
  const halves = shape.length === 2 && precision === "f16";
  const target = device.allocate(halves && !expanded ? "float16" : "float32", shape, "weights");
  const tensors = new Map([[name, target]]);
  if (bits !== undefined)
    return { tensors, sink: { kind: "blocks", bits, take: writingFloats(target, shape[1]!, bits) } };
  const through = halves ? (expanded ? "f16 and back" : "f16") : "f32";
  return { tensors, sink: { kind: "floats", through, target } };
}

/** Streams `tensor` out of its file into `sink`. */
export async function streamInto(
  sink: WeightSink,
  tensor: CheckpointTensor,
  staging: Staging,
  options: StreamOptions,
): Promise<void> {
  if (sink.kind === "blocks") await streamBlocks(tensor, sink.bits, staging, options, sink.take);
  else if (sink.through === "f16 and back") await streamHalves(tensor, sink.target, staging, options);
  else
    await streamTensor(tensor, sink.target, sink.through === "f16" ? "float16" : "float32", staging, options);
}

/** Levels under two shapes, over the same bytes, and scales. */
function inBlocks(device: Device, name: string, shape: readonly number[], bits: LevelBits): WeightTarget {
  const [rows, columns] = shape as readonly [number, number];
  const [blocks, row] = [blocksOf(columns), levelBytes(columns, bits)];
  const levels = device.allocate("uint8", [rows, row], "weights");
  const scales = device.allocate("float32", [rows, blocks], "weights");
  return {
    tensors: new Map([
      [blockedName(name, "blocks"), device.view(levels, [rows, blocks, row / blocks])],
      [blockedName(name, "rows"), levels],
      [blockedName(name, "scales"), scales],
    ]),
    sink: { kind: "blocks", bits, take: writingBlocks({ levels, scales }) },
  };
}
