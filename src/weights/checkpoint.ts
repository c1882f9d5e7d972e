/** @file The weights of a model folder as one table of named tensors, from one file or shards. Only headers are read here. */

import { isObject } from "../lib/check.ts";
import {
  headerLength,
  parseHeader,
  PREFIX_BYTES,
  type SafetensorsHeader,
  type TensorInfo,
} from "../lib/safetensors.ts";
import { readJson, type ModelFiles } from "./modelFiles.ts";
import type { ByteSource } from "./source.ts";

/** @param name how errors call the file @throws if it is not a safetensors file, is truncated, or has an invalid header */
export async function readHeader(
  source: ByteSource,
  name: string = source.name,
  signal?: AbortSignal,
): Promise<SafetensorsHeader> {
  const prefix = await source.read(0, Math.min(PREFIX_BYTES, source.size), signal);
  const length = headerLength(prefix, source.size, name);
  return parseHeader(await source.read(PREFIX_BYTES, PREFIX_BYTES + length, signal), source.size, name);
}

export interface CheckpointTensor extends TensorInfo {
  readonly file: string;
  readonly source: ByteSource;
}

export interface Checkpoint {
  /** By name, in the order of files and of bytes in them: the order to load in. */
  readonly tensors: ReadonlyMap<string, CheckpointTensor>;
  readonly files: readonly string[];
  close(): Promise<void>;
}

const SINGLE = "model.safetensors";
const INDEX = "model.safetensors.index.json";

/** @throws if no checkpoint exists, a shard or a tensor of the index is missing, or a header is invalid */
export async function openCheckpoint(files: ModelFiles, signal?: AbortSignal): Promise<Checkpoint> {
  const single = await files.open(SINGLE);
  const sources = new Map<string, ByteSource>(single && [[SINGLE, single]]);
  try {
    const weightMap = single ? new Map<string, string>() : await readIndex(files);
    await openShards(files, weightMap, sources);
    const tensors = await readTensors(sources, signal);
    checkIndex(files.name, weightMap, tensors);
    return assemble(files.name, sources, tensors);
  } catch (error) {
    await Promise.all([...sources.values()].map((source) => source.close()));
    throw error;
  }
}

/** @param shape needed by the architecture; not compared if absent @throws naming the tensor, the finding and the remedy */
export function requireTensor(
  checkpoint: Checkpoint,
  name: string,
  shape?: readonly number[],
): CheckpointTensor {
  const tensor = checkpoint.tensors.get(name);
  if (!tensor)
    throw new Error(
      `weights: tensor "${name}" is missing from ${checkpoint.files.join(", ")} (${checkpoint.tensors.size} tensors, e.g. ${similar(checkpoint, name)}). Does config.json belong to these weights?`,
    );
  if (shape && (shape.length !== tensor.shape.length || shape.some((size, i) => size !== tensor.shape[i])))
    throw new Error(
      `weights: ${tensor.file}: tensor "${name}" has shape [${tensor.shape.join(", ")}], but config.json asks for [${shape.join(", ")}]. Does config.json belong to these weights?`,
    );
  return tensor;
}

async function readIndex(files: ModelFiles): Promise<ReadonlyMap<string, string>> {
  const index = await readJson(files, INDEX);
  if (index === undefined) {
    const there = files.names.length > 0 ? ` The folder holds ${files.names.slice(0, 20).join(", ")}.` : "";
    throw new Error(
      `weights: ${files.name} has neither ${SINGLE} nor ${INDEX}.${there} A model in Hugging Face layout with safetensors weights is expected.`,
    );
  }
  const map = isObject(index) ? index["weight_map"] : undefined;
  if (!isObject(map)) throw indexError(files.name, `"weight_map" is not an object`);
  for (const [tensor, file] of Object.entries(map)) {
    if (typeof file !== "string" || !/^[^/\\]+\.safetensors$/.test(file))
      throw indexError(
        files.name,
        `tensor "${tensor}" is in ${JSON.stringify(file)}; expected the name of a .safetensors file of the folder`,
      );
  }
  return new Map(Object.entries(map) as [string, string][]);
}

async function openShards(
  files: ModelFiles,
  weightMap: ReadonlyMap<string, string>,
  sources: Map<string, ByteSource>,
): Promise<void> {
  const missing: string[] = [];
  for (const name of [...new Set(weightMap.values())].sort()) {
    const source = await files.open(name);
    if (source) sources.set(name, source);
    else missing.push(name);
  }
  if (missing.length > 0)
    throw indexError(
      files.name,
      `${missing.length} of ${missing.length + sources.size} shards are missing: ${missing.join(", ")}; download or choose them too`,
    );
}

async function readTensors(sources: ReadonlyMap<string, ByteSource>, signal: AbortSignal | undefined) {
  const found: CheckpointTensor[] = [];
  for (const [file, source] of sources) {
    const { tensors } = await readHeader(source, file, signal);
    for (const info of tensors) found.push({ ...info, file, source });
  }
  return found;
}

function checkIndex(
  folder: string,
  weightMap: ReadonlyMap<string, string>,
  tensors: readonly CheckpointTensor[],
): void {
  const there = new Set(tensors.map(({ file, name }) => `${file}/${name}`));
  const lost = [...weightMap].filter(([tensor, file]) => !there.has(`${file}/${tensor}`));
  const first = lost[0];
  if (first)
    throw indexError(
      folder,
      `tensor "${first[0]}" is not in its shard ${first[1]} (${lost.length} such tensors); shards of different downloads?`,
    );
}

function assemble(
  folder: string,
  sources: ReadonlyMap<string, ByteSource>,
  all: readonly CheckpointTensor[],
): Checkpoint {
  const tensors = new Map<string, CheckpointTensor>();
  // Embedding models such as Qwen3-Embedding are published without the frame around the decoder.
  const flat = all.some(({ name }) => name === "embed_tokens.weight");
  for (const given of all) {
    const framed = flat && !/^(?:model|lm_head)\./.test(given.name);
    const tensor = framed ? { ...given, name: `model.${given.name}` } : given;
    const twin = tensors.get(tensor.name);
    if (twin)
      throw new Error(
        `weights: ${folder}: tensor "${tensor.name}" is in ${twin.file} and in ${tensor.file}; remove the file that does not belong here.`,
      );
    tensors.set(tensor.name, tensor);
  }
  return {
    tensors,
    files: [...sources.keys()],
    close: async () => {
      await Promise.all([...sources.values()].map((source) => source.close()));
    },
  };
}

function similar(checkpoint: Checkpoint, name: string): string {
  const names = [...checkpoint.tensors.keys()];
  const ending = name.split(".").slice(-2).join(".");
  const alike = names.filter((other) => other.endsWith(ending));
  return (alike.length > 0 ? alike : names).slice(0, 3).join(", ") || "none";
}

const indexError = (folder: string, what: string): Error =>
  new Error(`weights: ${folder}: ${INDEX}: ${what}.`);
