/** @file Training a writer for the open model, with its frozen layers: Adam steps on parts of texts, and the file that results. */

import { writerShapes, writerStep, WRITER_MOMENTS, type WriterWeight } from "../graph/programs/writer.ts";
import { assert, messageOf } from "../lib/assert.ts";
import { concat, rawBytes } from "../lib/bytes.ts";
import { checked, count, number, object, type Shape } from "../lib/check.ts";
import { float32ToFloat16 } from "../lib/float16.ts";
import { seeded } from "../lib/rng.ts";
import { encodeHeader, parseFile } from "../lib/safetensors.ts";
import type { Lesson, Taught, Teaching, WriterAbout } from "./engine.ts";
import type { ModelIdentity } from "../records/memory.ts";
import { states, type Program } from "./roles.ts";
import { disposeAll, fillRows, padLeft, type Feeds, type Runner } from "./runner.ts";
import { floatsOf, readAbout } from "./sideNetwork.ts";
import { aboutShape, partPlaces, partTokens } from "./writer.ts";

const taught: Shape<Taught> = object({ steps: count(), seconds: number() });

/** The file of a training that can go on. */
export const TRAINING_FILE = "writer.training.safetensors";

const FEWEST = 8;
const MOST = 64;
/** Of a weight and its moments, as the step names them. */
const PREFIXES = ["w.", "m.", "v."] as const;

/**
 * Begins to train a writer, or goes on from the file of another training. `longest`: tokens of the longest prompt.
 * @throws if the file is of another model, damaged, or not of a training
 */
export function openTeaching(
  runner: Runner,
  model: ModelIdentity,
  from: WriterAbout | Uint8Array,
  longest: number,
): Teaching {
  const kept = from instanceof Uint8Array ? goOn(runner, model, from) : begin(runner, from);
  const { about, before } = kept;
  const shapes = writerShapes(runner.config, about);
  let state: Feeds = Object.fromEntries(
    [...kept.tensors].map(([name, data]) => [name, runner.floats(data, shapes[weightOf(name)], "encode")]),
  );
  const { places, reads, layers } = about;
  const time = longest + places - 1;
  const batch = Math.max(FEWEST, Math.min(MOST, Math.floor(runner.logitRows / places)));

  const program = (at: number): Program => {
    const name = `teach.${at}.${batch}.${time}.${JSON.stringify(about)}`;
    return { name, build: (model) => writerStep(model, about, { name, batch, time, at }) };
  };

  function feedsOf(lessons: readonly Lesson[], filled: readonly Lesson[]): Feeds {
    const rows = filled.map(({ prompt, targets }) => [...prompt.ids, ...targets.slice(0, -1)]);
    const { rows: ids, pads } = padLeft(rows, time);
    const key = new Float32Array(batch * time);
    const targets = new Int32Array(batch * places);
    const mask = new Float32Array(batch * places);
    const tokens = lessons.reduce((sum, lesson) => sum + lesson.targets.length, 0);
    for (const [row, lesson] of filled.entries()) {
      key[row * time + pads[row]! + lesson.prompt.keyPosition] = 1;
      const first = (row + 1) * places - lesson.targets.length;
      targets.set(lesson.targets, first);
      if (row < lessons.length) mask.fill(1 / tokens, first, (row + 1) * places);
    }
    const { device } = runner.programs;
    return {
      ...runner.tokens(ids, { pads, past: 0, length: rows.map((row) => row.length) }),
      ...partPlaces(runner, layers, filled, places),
      key: runner.floats(key, [batch, time, 1]),
      targets: device.upload(targets, "int32", [batch, places], "activation"),
      mask: runner.floats(mask, [batch, places]),
    };
  }

  return {
    ...{ about, before, batch },
    async step(lessons, { step, rate, margin }, signal) {
      const at = lessons[0]!.layer;
      assert(
        lessons.length <= batch && lessons.every(({ layer }) => layer === at),
        () => `engine: ${lessons.length} lessons in a step of ${batch}, which are to be of one layer`,
      );
      const filled = fillRows(lessons, batch);
      const read = await runner.run(states(batch, reads - 1), partTokens(runner, filled, places), signal);
      const scalar = (value: number) => runner.floats(Float32Array.of(value), []);
      const { beta1, beta2 } = WRITER_MOMENTS;
      const feeds = {
        ...feedsOf(lessons, filled),
        states: read["hidden"]!,
        ...{ rate: scalar(rate), lowered: scalar(margin) },
        correction1: scalar(1 / (1 - beta1 ** step)),
        correction2: scalar(1 / (1 - beta2 ** step)),
      };
      const { hits, ...next } = await runner.run(program(at), feeds, signal, state);
      if (rate > 0) {
        disposeAll(state);
        state = Object.fromEntries(
          Object.entries(next).map(([name, tensor]) => [name.replace(/\.next$/, ""), tensor]),
        );
      } else disposeAll(next);
      const led = await hits!.read();
      hits!.dispose();
      return lessons.map(({ targets }, row) =>
        Array.from(led.slice((row + 1) * places - targets.length, (row + 1) * places), Boolean),
      );
    },
    async file(soFar) {
      const tensors = Object.keys(state)
        .filter((name) => soFar || name.startsWith("w."))
        .map((name) => ({ name, shape: shapes[weightOf(name)] }));
      const dtype = soFar ? "F32" : "F16";
      const metadata = {
        writer: JSON.stringify(about),
        ...(soFar && { taught: JSON.stringify(soFar) }),
      };
      const called = (name: string): string => (soFar ? name : weightOf(name));
      const pieces = [
        encodeHeader(
          tensors.map(({ name, shape }) => ({ name: called(name), shape, dtype })),
          metadata,
        ),
      ];
      for (const { name } of tensors) {
        const data = (await state[name]!.read()) as Float32Array;
        pieces.push(rawBytes(soFar ? data : float32ToFloat16(data)));
      }
      return concat(pieces);
    },
    dispose: () => disposeAll(state),
  };
}

interface Kept extends Pick<Teaching, "about" | "before"> {
  readonly tensors: ReadonlyMap<string, Float32Array>;
}

const weightOf = (name: string): WriterWeight => name.slice(2) as WriterWeight;

const withMoments = (name: string): string[] => PREFIXES.map((prefix) => prefix + name);

function begin({ config }: Runner, about: WriterAbout): Kept {
  const shapes = writerShapes(config, about);
  const random = seeded(1);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const [, dModel, sum] = shapes.maps;
  // All layers begin at one map: the identity, or a random one that keeps lengths.
  const first = Float32Array.from({ length: sum * dModel }, (_, i) =>
    sum === dModel ? Number(i % dModel === Math.floor(i / dModel)) : normal() / Math.sqrt(sum),
  );
  const small = (): number => (0.3 / Math.sqrt(dModel)) * normal();
  const values: Record<WriterWeight, (i: number) => number> = {
    ...{ maps: small, "mix.weight": small, "mix.bias": () => 0 },
    layer: (i) => first[i % first.length]!,
  };
  const tensors = Object.entries(shapes).flatMap(([name, shape]) => {
    const length = sizeOf(shape);
    return withMoments(name).map((called): [string, Float32Array] => [
      called,
      Float32Array.from({ length }, (_, i) =>
        called.startsWith("w.") ? values[name as WriterWeight](i) : 0,
      ),
    ]);
  });
  return { about, before: { steps: 0, seconds: 0 }, tensors: new Map(tensors) };
}

function goOn({ config }: Runner, model: ModelIdentity, bytes: Uint8Array): Kept {
  try {
    const { tensors, metadata } = parseFile(bytes, TRAINING_FILE);
    const of = { kind: "writer", shape: aboutShape(config) } as const;
    const about = readAbout(metadata["writer"], TRAINING_FILE, model, of);
    const before = checked(taught, JSON.parse(metadata["taught"] ?? "null"), "");
    const found = new Map(tensors.map((tensor) => [tensor.name, tensor]));
    const read = Object.entries(writerShapes(config, about)).flatMap(([name, shape]) =>
      withMoments(name).map((called): [string, Float32Array] => [
        called,
        floatsOf(bytes, found, TRAINING_FILE, called, shape),
      ]),
    );
    return { about, before, tensors: new Map(read) };
  } catch (error) {
    throw new Error(
      `engine: the training in ${TRAINING_FILE} cannot go on; remove the file to begin again (${messageOf(error)})`,
      { cause: error },
    );
  }
}

const sizeOf = (shape: readonly number[]): number => shape.reduce((product, extent) => product * extent, 1);
