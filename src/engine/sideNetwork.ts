/** @file Weights of a second network (the writer of a model, the reader), from a safetensors file of 8-bit rows. */

import * as v from "valibot";
import type { Graph } from "../graph/ir.ts";
import type { Decoder } from "../graph/models/decoder.ts";
import { assert, messageOf, present } from "../lib/assert.ts";
import { checked } from "../lib/check.ts";
import { float16ToFloat32 } from "../lib/float16.ts";
import { sha256Hex } from "../lib/hash.ts";
import { parseFile, readBytes, type TensorInfo } from "../lib/safetensors.ts";
import type { ModelIdentity } from "../records/memory.ts";
import type { DeviceTensor } from "../runtime/device.ts";
import { readWhole, type ModelFiles } from "../weights/modelFiles.ts";
import type { Runner } from "./runner.ts";

interface About {
  readonly model: string;
  readonly sha256: string;
}

interface SideNetwork<T> {
  readonly kind: "reader" | "writer";
  readonly prefix: string;
  readonly shape: v.GenericSchema<unknown, T>;
  readonly graph: (about: T, model: Decoder) => Graph;
}

export interface OpenedNetwork<T> {
  readonly about: T & { readonly file: string };
  readonly file: NetworkFile;
}

/** Metadata and the tensors outside the graph. */
export interface NetworkFile {
  readonly metadata: Readonly<Record<string, string>>;
  /** A tensor that the graph does not have. @throws as {@link floatsOf} */
  floats(name: string, shape: readonly number[]): Float32Array;
  levels(name: string, shape: readonly number[]): Int8Array;
}

type Named = Pick<ModelIdentity, "name" | "sha256">;

const MOST_BYTES = 2 ** 30;

/** Loads a network from a folder; null without one. @throws if it is of another model, or not of this kind */
export async function openSideNetwork<T>(
  { programs }: Runner,
  files: ModelFiles,
  model: Named | null,
  { kind, prefix, shape, graph }: SideNetwork<T>,
): Promise<OpenedNetwork<T> | null> {
  const file = `${kind}.safetensors`;
  const bytes = files.names.includes(file) ? await readWhole(files, file, MOST_BYTES) : null;
  if (!bytes) return null;
  const { tensors, metadata } = parseFile(bytes, file);
  const about = readAbout(metadata[kind], file, model, { kind, shape });
  const found = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  // All are read before the first is uploaded: nothing is left on the device if one is missing.
  const read = graph(about, programs.decoder).weights.flatMap(({ name, shape: dims }) => {
    if (!name.startsWith(prefix)) return [];
    const sizes = dims.map(Number);
    return [{ name, sizes, data: floatsOf(bytes, found, file, name.slice(prefix.length), sizes) }];
  });
  programs.add(
    new Map(
      read.map(({ name, sizes, data }): [string, DeviceTensor] => [
        name,
        programs.device.upload(data, "float32", sizes, "weights"),
      ]),
    ),
  );
  return {
    about: { ...about, file: sha256Hex(bytes) },
    file: {
      metadata,
      floats: (name, sizes) => floatsOf(bytes, found, file, name, sizes),
      levels: (name, sizes) => levelsOf(bytes, tensorOf(found, file, name, sizes), file),
    },
  };
}

/** The description of a network in its file. @throws if it is of another model than `model`, or not of this kind */
export function readAbout<T>(
  said: string | undefined,
  file: string,
  model: Named | null,
  { kind, shape }: Pick<SideNetwork<T>, "kind" | "shape">,
): T {
  const read = <R>(of: v.GenericSchema<unknown, R>): R => {
    try {
      return checked(of, JSON.parse(said ?? "null"), "");
    } catch (error) {
      throw new Error(`engine: ${file} is not a ${kind} of this app (${messageOf(error)})`, { cause: error });
    }
  };
  if (!model) return read(shape);
  // First: the sizes of another model's network may be out of this one's bounds.
  const made: About = read(v.object({ model: v.string(), sha256: v.string() }));
  assert(
    made.sha256 === model.sha256,
    () =>
      `engine: ${file} was made for ${made.model}@${made.sha256.slice(0, 8)}, the model is ` +
      `${model.name}@${model.sha256.slice(0, 8)}; remove the file, or train a ${kind} for this model`,
  );
  return read(shape);
}

/** The numbers of a tensor: F32, F16, or I8 with a factor per row in NAME.scale. @throws unless it has `shape` */
export function floatsOf(
  bytes: Uint8Array,
  tensors: ReadonlyMap<string, TensorInfo>,
  file: string,
  name: string,
  shape: readonly number[],
): Float32Array {
  const tensor = tensorOf(tensors, file, name, shape);
  const floats = (): Float32Array => {
    if (tensor.dtype === "F16") return float16ToFloat32(new Uint16Array(readBytes(bytes, tensor)));
    if (tensor.dtype === "F32") return new Float32Array(readBytes(bytes, tensor));
    const width = shape.at(-1)!;
    const levels = levelsOf(bytes, tensor, file);
    const scales = floatsOf(bytes, tensors, file, `${name}.scale`, [levels.length / width]);
    // A callback for each number takes nine times as long, half a second for a writer.
    const found = new Float32Array(levels);
    for (const [row, scale] of scales.entries())
      for (let i = row * width; i < (row + 1) * width; i++) found[i]! *= scale;
    return found;
  };
  const data = floats();
  assert(data.every(Number.isFinite), () => `engine: ${file}: "${name}" holds a number that is not finite`);
  return data;
}

function levelsOf(bytes: Uint8Array, tensor: TensorInfo, file: string): Int8Array {
  const { name, dtype } = tensor;
  assert(dtype === "I8", () => `engine: ${file}: "${name}" is ${dtype}, F32, F16 or I8 expected`);
  return new Int8Array(readBytes(bytes, tensor));
}

function tensorOf(
  tensors: ReadonlyMap<string, TensorInfo>,
  file: string,
  name: string,
  shape: readonly number[],
): TensorInfo {
  const tensor = present(tensors.get(name), () => `engine: ${file} has no tensor "${name}"`);
  assert(
    tensor.shape.join() === shape.join(),
    () => `engine: ${file}: "${name}" has shape [${tensor.shape.join(", ")}], [${shape.join(", ")}] expected`,
  );
  return tensor;
}
