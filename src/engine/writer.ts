/** @file The writer of a model (graph/programs/writer.ts): its file in the model's folder, and δ for parts of values. */

import * as v from "valibot";
import { WRITER, writeDelta } from "../graph/programs/writer.ts";
import type { DecoderConfig } from "../graph/models/config.ts";
import { countWithin, list, number, object, text, type Shape } from "../lib/check.ts";
import { groupBy } from "../lib/group.ts";
import { WRITER_FILE } from "../records/model.ts";
import type { ModelIdentity } from "../records/memory.ts";
import type { ModelFiles } from "../weights/modelFiles.ts";
import type { PartToWrite, WriterAbout } from "./engine.ts";
import { partRuns, type Program } from "./roles.ts";
import { fillRows, padRight, type Runner } from "./runner.ts";
import { openSideNetwork, type OpenedNetwork } from "./sideNetwork.ts";

export const aboutShape = ({ layers, window, dModel }: DecoderConfig): Shape<WriterAbout> =>
  object({
    model: text(),
    sha256: text(),
    layers: list(countWithin(0, layers - 2)),
    places: countWithin(1, window),
    part: countWithin(1, window),
    reads: countWithin(1, layers),
    size: number(),
    width: v.optional(countWithin(1, dModel)),
    normed: v.optional(v.boolean()),
  });

/** Tokens that parts are padded to: shares of the longest, so that there are as few sessions. */
const LENGTHS = [3 / 4, 1];

function program(writer: WriterAbout, batch: number, tokens: number): Program {
  const name = `write.${batch}.${tokens}`;
  return { name, build: (model) => writeDelta(model, writer, { name, batch, tokens }) };
}

/**
 * The writer of the model's folder, or the one that was trained here and is kept with a downloaded model, loaded onto the device.
 * The latter can be trained again: null if it is damaged, or of another revision of the model. @throws as {@link openSideNetwork}
 */
export async function openWriter(
  runner: Runner,
  files: ModelFiles,
  model: ModelIdentity,
): Promise<OpenedNetwork<WriterAbout>["about"] | null> {
  const { beside } = files.names.includes(WRITER_FILE) ? {} : files;
  const from = beside ? { ...files, ...beside, names: [WRITER_FILE] } : files;
  const opened = openSideNetwork<WriterAbout>(runner, from, model, {
    ...{ kind: "writer", prefix: WRITER, shape: aboutShape(runner.config) },
    graph: (about, decoder) => program(about, 1, about.places).build(decoder),
  });
  return (await (beside ? opened.catch(() => null) : opened))?.about ?? null;
}

/** δ [dModel] of each part; null if it is longer than the writer's places or at a layer that the writer does not know. */
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

async function writeGroup(
  runner: Runner,
  writer: WriterAbout,
  parts: readonly PartToWrite[],
  { rows: batch, tokens }: { readonly rows: number; readonly tokens: number },
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  const filled = fillRows(parts, batch);
  const feeds = {
    ...partTokens(runner, filled, tokens),
    ...partPlaces(runner, writer.layers, filled, tokens),
  };
  const delta = await runner.read(program(writer, batch, tokens), "delta", feeds, signal);
  const { dModel } = runner.config;
  return parts.map((_, i) => delta.slice(i * dModel, (i + 1) * dModel));
}

/** "ids" and the attention inputs of parts, padded on the right to `tokens`. */
export function partTokens(runner: Runner, parts: readonly Pick<PartToWrite, "targets">[], tokens: number) {
  const pads = parts.map(() => 0);
  const ids = parts.map(({ targets }) => padRight(targets, tokens));
  return runner.tokens(ids, { pads, past: 0, length: parts.map(({ targets }) => targets.length) });
}

/** "real", "mixed" and "layer": which columns are a part's tokens, and where it is stored. */
export function partPlaces(
  runner: Runner,
  layers: readonly number[],
  parts: readonly PartToWrite[],
  tokens: number,
) {
  const rows = (value: (targets: readonly number[], t: number) => number): number[][] =>
    parts.map(({ targets }) => Array.from({ length: tokens }, (_, t) => value(targets, t)));
  const real = rows((targets, t) => Number(t < targets.length));
  const last = rows((targets, t) => Number(t === targets.length - 1));
  const mean = rows((targets, t) => Number(t < targets.length) / targets.length);
  const mixed = last.flatMap((row, i) => [...row, ...mean[i]!]);
  const stored = layers.flatMap((layer) => parts.map((part) => Number(part.layer === layer)));
  return {
    real: runner.floats(Float32Array.from(real.flat()), [parts.length, tokens]),
    mixed: runner.floats(Float32Array.from(mixed), [parts.length, 2, tokens]),
    layer: runner.floats(Float32Array.from(stored), [layers.length, parts.length, 1]),
  };
}
