/** @file The writer of a model (graph/programs/writer.ts): its file in the model's folder, and δ for parts of values. */

import { WRITER, writeDelta } from "../graph/programs/writer.ts";
import type { DecoderConfig } from "../graph/models/config.ts";
import type { Decoder } from "../graph/models/decoder.ts";
import { assert, messageOf, present } from "../lib/assert.ts";
import { checked, countWithin, list, number, object, text, type Infer } from "../lib/check.ts";
import { float16ToFloat32 } from "../lib/float16.ts";
import { groupBy } from "../lib/group.ts";
import { parseFile, readBytes, type TensorInfo } from "../lib/safetensors.ts";
import type { ModelIdentity } from "../records/memory.ts";
import type { DeviceTensor } from "../runtime/device.ts";
import { readWhole, type ModelFiles } from "../weights/modelFiles.ts";
import type { PartToWrite } from "./engine.ts";
import { partRuns } from "./roles.ts";
import { disposeAll, fillRows, freeing, type Runner } from "./runner.ts";
import type { Program } from "./types.ts";

/** The metadata of a writer's file: the model that it was trained on, its storage layers, and its sizes. */
const aboutShape = ({ layers, window }: DecoderConfig) =>
  object({
    model: text(),
    sha256: text(),
    layers: list(countWithin(0, layers - 2)),
    places: countWithin(1, window),
    /** Tokens of the parts that a value is cut into. Longer ones fail too often. */
    part: countWithin(1, window),
    reads: countWithin(1, layers),
    size: number(),
  });
export type WriterAbout = Infer<ReturnType<typeof aboutShape>>;

export const WRITER_FILE = "writer.safetensors";
const MOST_BYTES = 2 ** 30;

/** Tokens that parts are padded to: shares of the longest, so that there are as few sessions. */
const LENGTHS = [3 / 4, 1];

function program(writer: WriterAbout, batch: number, tokens: number): Program {
  const name = `write.${batch}.${tokens}`;
  return { name, build: (model) => writeDelta(model, writer, { name, batch, tokens }) };
}

/**
 * Loads the writer from the model's folder onto the device; null for a model without one.
 * @throws if it was made for another model, or the file is not one of a writer
 */
export async function openWriter(
  runner: Runner,
  files: ModelFiles,
  { name, sha256 }: Pick<ModelIdentity, "name" | "sha256">,
): Promise<WriterAbout | null> {
  if (!files.names.includes(WRITER_FILE)) return null;
  const bytes = await readWhole(files, WRITER_FILE, MOST_BYTES);
  if (!bytes) return null;
  const { programs } = runner;
  const { tensors, metadata } = parseFile(bytes, WRITER_FILE);
  const about = readAbout(metadata["writer"], programs.decoder);
  assert(
    about.sha256 === sha256,
    () =>
      `engine: ${WRITER_FILE} was made for ${about.model}@${about.sha256.slice(0, 8)}, the model is ` +
      `${name}@${sha256.slice(0, 8)}; remove the file, or train a writer for this model`,
  );
  const found = new Map(tensors.map((tensor) => [tensor.name, tensor]));
  const needed = program(about, 1, about.places)
    .build(programs.decoder)
    .weights.filter((weight) => weight.name.startsWith(WRITER));
  const read = needed.map((weight) => {
    const shape = weight.shape.map(Number);
    return {
      name: weight.name,
      shape,
      data: floatsOf(bytes, found, weight.name.slice(WRITER.length), shape),
    };
  });
  programs.add(
    new Map(
      read.map((weight): [string, DeviceTensor] => [
        weight.name,
        programs.device.upload(weight.data, "float32", weight.shape, "weights"),
      ]),
    ),
  );
  return about;
}

/** @throws if `said` is missing or no such writer fits the model */
function readAbout(said: string | undefined, { config }: Decoder): WriterAbout {
  try {
    return checked(aboutShape(config), JSON.parse(said ?? "null"), "");
  } catch (error) {
    throw new Error(`engine: ${WRITER_FILE} is not a writer of this app (${messageOf(error)})`, {
      cause: error,
    });
  }
}

/** The numbers of a tensor: F32, F16, or I8 with a factor per row in NAME.scale. @throws unless it has `shape` */
function floatsOf(
  bytes: Uint8Array,
  tensors: ReadonlyMap<string, TensorInfo>,
  name: string,
  shape: readonly number[],
): Float32Array {
  const tensor = present(tensors.get(name), () => `engine: ${WRITER_FILE} has no tensor "${name}"`);
  assert(
    tensor.shape.join() === shape.join(),
    () =>
      `engine: ${WRITER_FILE}: "${name}" has shape [${tensor.shape.join(", ")}], [${shape.join(", ")}] expected`,
  );
  const floats = (): Float32Array => {
    if (tensor.dtype === "F16") return float16ToFloat32(new Uint16Array(readBytes(bytes, tensor)));
    if (tensor.dtype === "F32") return new Float32Array(readBytes(bytes, tensor));
    assert(
      tensor.dtype === "I8",
      () => `engine: ${WRITER_FILE}: "${name}" is ${tensor.dtype}, F32, F16 or I8 expected`,
    );
    const width = shape.at(-1)!;
    const levels = new Int8Array(readBytes(bytes, tensor));
    const scales = floatsOf(bytes, tensors, `${name}.scale`, [levels.length / width]);
    return Float32Array.from(levels, (level, i) => level * scales[Math.floor(i / width)]!);
  };
  const data = floats();
  assert(
    data.every(Number.isFinite),
    () => `engine: ${WRITER_FILE}: "${name}" holds a number that is not finite`,
  );
  return data;
}

/** δ [dModel] of each part; null for one that is longer than the writer's places, or at a layer that it does not know. */
export async function write(
  runner: Runner,
  writer: WriterAbout | null,
  parts: readonly PartToWrite[],
  signal?: AbortSignal,
): Promise<(Float32Array | null)[]> {
  const found = parts.map((): Float32Array | null => null);
  if (!writer) return found;
  const lengths = LENGTHS.map((share) => Math.ceil(share * writer.places));
  const writable = [...parts.keys()].filter(
    (i) => writer.layers.includes(parts[i]!.layer) && parts[i]!.targets.length <= writer.places,
  );
  const alike = groupBy(writable, (i) => lengths.find((most) => most >= parts[i]!.targets.length)!);
  for (const [tokens, indices] of alike)
    for (const { rows, members } of partRuns(indices, Infinity)) {
      const some = members.map((i) => parts[i]!);
      const deltas = await writeGroup(runner, writer, some, { rows, tokens }, signal);
      for (const [row, i] of members.entries()) found[i] = deltas[row]!;
    }
  return found;
}

/** δ of parts in a run of `batch` rows, each padded to `tokens`. */
async function writeGroup(
  runner: Runner,
  writer: WriterAbout,
  parts: readonly PartToWrite[],
  { rows: batch, tokens }: { readonly rows: number; readonly tokens: number },
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const filled = fillRows(parts, batch);
  const rows = (value: (targets: readonly number[], t: number) => number): number[][] =>
    filled.map(({ targets }) => Array.from({ length: tokens }, (_, t) => value(targets, t)));
  const real = rows((targets, t) => Number(t < targets.length));
  const last = rows((targets, t) => Number(t === targets.length - 1));
  const mean = rows((targets, t) => Number(t < targets.length) / targets.length);
  const mixed = last.flatMap((row, i) => [...row, ...mean[i]!]);
  const ids = rows((targets, t) => targets[t] ?? 0);
  const stored = writer.layers.flatMap((layer) => filled.map((part) => Number(part.layer === layer)));
  const pads = filled.map(() => 0);
  const feeds = {
    ...runner.tokens(ids, { pads, past: 0, length: filled.map(({ targets }) => targets.length) }),
    real: runner.floats(Float32Array.from(real.flat()), [batch, tokens]),
    mixed: runner.floats(Float32Array.from(mixed), [batch, 2, tokens]),
    layer: runner.floats(Float32Array.from(stored), [writer.layers.length, batch, 1]),
  };
  const session = await runner.session(program(writer, batch, tokens));
  const outputs = await freeing(feeds, () => session.run(feeds, signal));
  const delta = (await outputs["delta"]!.read()) as Float32Array;
  disposeAll(outputs);
  const { dModel } = runner.config;
  return parts.map((_, i) => delta.slice(i * dModel, (i + 1) * dModel));
}
