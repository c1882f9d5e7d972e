/** @file Rounded copies are of one layout: who changes what lies in one raises its number. How they are used: service/model/copies.test.ts. */

import { expect, it } from "vitest";
import { sha256Hex } from "../lib/hash.ts";
import { seeded } from "../lib/rng.ts";
import type { Beside } from "./modelFiles.ts";
import type { CopyPrecision } from "./copyName.ts";
import { COPY_LAYOUT, openCopy, RoundedCopyWriter } from "./roundedCopy.ts";
import { blobSource } from "./source.ts";
import { createStaging, streamBlocks } from "./stream.ts";
import { collector, makeFolder, makeSafetensors } from "./testing/files.ts";
import { openCheckpoint } from "./checkpoint.ts";

const [ROWS, COLUMNS] = [50, 72];
const SHAPES = new Map([
  ["matrix", [ROWS, COLUMNS]],
  ["norm", [COLUMNS]],
]);
const next = seeded(3);
const VALUES = Float32Array.from({ length: ROWS * COLUMNS }, () => next() ** 2 - 0.3);

/** Files beside a model, in memory. */
function besideInMemory(): Beside & { readonly files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  return {
    files,
    content: "these files",
    open: async (name) => {
      const bytes = files.get(name);
      return bytes && blobSource(new Blob([bytes.slice()]), name);
    },
    writer: async (name) => ({
      write: async (bytes) =>
        void files.set(name, Buffer.concat([files.get(name) ?? [], bytes].map((b) => new Uint8Array(b)))),
      close: async () => undefined,
    }),
    remove: async (name) => void files.delete(name),
    room: async () => null,
  };
}

/** A copy of a matrix and a vector, and the blocks that went into it. */
async function written(precision: CopyPrecision) {
  const beside = besideInMemory();
  const made = makeSafetensors([
    { name: "matrix", dtype: "F32", shape: [ROWS, COLUMNS], data: VALUES },
    { name: "norm", dtype: "F32", shape: [COLUMNS], data: VALUES.slice(0, COLUMNS) },
  ]);
  const { tensors } = await openCheckpoint(makeFolder({ "model.safetensors": made }));
  const writer = await RoundedCopyWriter.begin(beside, precision, SHAPES);
  const matrix = writer.tensor("matrix", [ROWS, COLUMNS]);
  const taken: Uint8Array[] = [];
  const take = matrix.along(({ levels }) => void taken.push(levels.slice()));
  await streamBlocks(tensors.get("matrix")!, precision === "q4" ? 4 : 8, createStaging(4096), {}, take);
  await matrix.end();
  const norm = writer.tensor("norm", [COLUMNS]);
  norm.alongVector(collector()).write(0, new Uint8Array(VALUES.slice(0, COLUMNS).buffer));
  await norm.end();
  await writer.finish("the model");
  return { beside, levels: Buffer.concat(taken), file: [...beside.files.values()][0]! };
}

it.each(["q8", "q4"] as const)(
  "a copy in %s gives back, in pieces of its own, what went into it",
  async (precision) => {
    const { beside, levels } = await written(precision);
    const copy = (await openCopy(beside, precision, SHAPES))!;
    expect(copy.sha256).toBe("the model");
    const back: Uint8Array[] = [];
    await copy.matrix(
      copy.tensors[0]!,
      createStaging(2 ** 20),
      {},
      (blocks) => void back.push(blocks.levels.slice()),
    );
    expect(Buffer.concat(back)).toEqual(levels);
    const norm = collector();
    await copy.vector(copy.tensors[1]!, createStaging(2 ** 20), {}, norm);
    expect(new Float32Array(norm.bytes().buffer)).toEqual(VALUES.slice(0, COLUMNS));
  },
);

it("is of a layout with a number: where these bytes change, COPY_LAYOUT is raised, and old copies are made again", async () => {
  const digests = [(await written("q8")).file, (await written("q4")).file].map((file) =>
    sha256Hex(file).slice(0, 16),
  );
  expect([COPY_LAYOUT, ...digests]).toEqual([1, "ec8ef8e761da9e28", "28f0f188f3d19520"]);
});
