import type { CopyReport } from "../records/model.ts";
import type { Device, DeviceTensor } from "../runtime/device.ts";
import { openCheckpoint, requireTensor, type CheckpointTensor } from "../weights/checkpoint.ts";
import { identityBuilder } from "../weights/identity.ts";
import type { ModelFiles } from "../weights/modelFiles.ts";
import type { RoundedCopyWriter } from "../weights/roundedCopy.ts";
import {
  createStaging,
  streamTensor,
  type Staging,
  type StreamOptions,
  type StreamTarget,
  streamBlocks,
  streamHalves,
  writingBlocks,
  writingFloats,
  type TakeBlocks,
} from "../weights/stream.ts";
import { blockedName } from "../graph/build.ts";
import { blocksOf, levelBytes } from "../lib/blocks.ts";
import { levelBits, type LevelBits, type Precision } from "../lib/precision.ts";

export interface WeightsProgress {
  readonly done: number;
  readonly total: number;
  readonly tensor: string;
}

export interface FillRequest {
  readonly device: Device;
  readonly files: ModelFiles;
  readonly configBytes: Uint8Array;
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  readonly form: WeightForm;
  readonly options: {
    readonly onProgress?: (progress: WeightsProgress) => void;
    readonly signal?: AbortSignal | undefined;
  };
}

export interface FilledWeights {
  readonly weights: ReadonlyMap<string, DeviceTensor>;
  /** SHA-256 over config.json and the weights that are used (hex). */
  readonly sha256: string;
  readonly copy: CopyReport | null;
}

/** Fills all weights from the model's files, and `copy` if given. @throws if the files are wrong; everything is then freed */
export async function fromFiles(
  request: FillRequest,
  copy?: RoundedCopyWriter,
  from: CopyReport["from"] = "files",
): Promise<FilledWeights> {
  const { files, shapes, configBytes, options } = request;
  const checkpoint = await openCheckpoint(files, options.signal);
  try {
    for (const [name, shape] of shapes) requireTensor(checkpoint, name, shape);
    const wanted = [...checkpoint.tensors.values()].filter(({ name }) => shapes.has(name));
    const identity = identityBuilder(configBytes);
    const total = wanted.reduce((sum, { start, end }) => sum + end - start, 0);
    return await filling(request, total, async (target, staging, steps) => {
      for (const tensor of wanted) {
        const sink = target(tensor.name, tensor.shape);
        const hash = identity.hasherFor(tensor);
        await streamKeeping(copy, sink, tensor, staging, { ...steps(tensor.name), hash });
      }
      const sha256 = identity.sha256();
      const bytes = (await copy?.finish(sha256)) ?? 0;
      return { sha256, copy: copy ? { from, bytes, problem: copy.problem } : null };
    });
  } finally {
    await checkpoint.close();
  }
}

async function streamKeeping(
  copy: RoundedCopyWriter | undefined,
  sink: WeightSink,
  tensor: CheckpointTensor,
  staging: Staging,
  options: StreamOptions,
): Promise<void> {
  if (!copy) return streamInto(sink, tensor, staging, options);
  const kept = copy.tensor(tensor.name, tensor.shape);
  const along: WeightSink =
    sink.kind === "blocks"
      ? { ...sink, take: kept.along(sink.take) }
      : { ...sink, target: kept.alongVector(sink.target) };
  await streamInto(along, tensor, staging, options);
  await kept.end();
}

/** Runs `fill` with room on the device for every tensor it asks for; all of that is freed when it throws. */
export async function filling(
  { device, form, options }: FillRequest,
  total: number,
  fill: (
    target: (name: string, shape: readonly number[]) => WeightSink,
    staging: Staging,
    steps: (name: string) => StreamOptions,
  ) => Promise<Omit<FilledWeights, "weights">>,
): Promise<FilledWeights> {
  const weights = new Map<string, DeviceTensor>();
  const target = (name: string, shape: readonly number[]): WeightSink => {
    const { tensors, sink } = allocateWeight(device, name, shape, form);
    for (const [input, held] of tensors) weights.set(input, held);
    return sink;
  };
  let [before, now] = [0, 0];
  const steps = (tensor: string): StreamOptions => {
    before += now;
    now = 0;
    return {
      onProgress: (done) => {
        now = done;
        options.onProgress?.({ done: before + done, total, tensor });
      },
      ...(options.signal ? { signal: options.signal } : {}),
    };
  };
  try {
    return { weights, ...(await fill(target, createStaging(), steps)) };
  } catch (error) {
    for (const tensor of weights.values()) tensor.dispose();
    throw error;
  }
}

export interface WeightForm {
  readonly precision: Precision;
  /** They are held as float32, which the processor multiplies fastest. */
  readonly expanded: boolean;
}

export type WeightSink =
  | { readonly kind: "blocks"; readonly bits: LevelBits; readonly take: TakeBlocks }
  | {
      readonly kind: "floats";
      readonly through: "f32" | "f16" | "f16 and back";
      readonly target: StreamTarget;
    };

interface WeightTarget {
  readonly tensors: ReadonlyMap<string, DeviceTensor>;
  readonly sink: WeightSink;
}

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

async function streamInto(
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
