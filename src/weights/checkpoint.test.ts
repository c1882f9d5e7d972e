import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openCheckpoint, requireTensor } from "./checkpoint.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { identityBuilder } from "./identity.ts";
import { readJson, readWhole } from "./modelFiles.ts";
import { nodeModelFiles } from "../../tools/node/nodeFile.ts";
import { createStaging, streamTensor } from "./stream.ts";
import { makeFolder, makeSafetensors } from "./testing/files.ts";
import type { MadeTensor } from "./testing/files.ts";

const tensor = (name: string, fill = 1, shape = [2, 3]): MadeTensor => {
  const data = new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(fill);
  return { name, dtype: "F32", shape, data };
};

const INDEX = "model.safetensors.index.json";
const A = "model-00001-of-00002.safetensors";
const B = "model-00002-of-00002.safetensors";
const shardA = makeSafetensors([tensor("a"), tensor("b")]);
const shardB = makeSafetensors([tensor("c")]);
const index = (map: unknown): string => JSON.stringify({ metadata: { total_size: 72 }, weight_map: map });
const good = { a: A, b: A, c: B };

describe("opening", () => {
  test("a single file gives its tensors in file order", async () => {
    const checkpoint = await openCheckpoint(makeFolder({ "model.safetensors": shardA }));
    expect([...checkpoint.tensors.keys()]).toEqual(["a", "b"]);
    expect(checkpoint.files).toEqual(["model.safetensors"]);
    await checkpoint.close();
  });

  test("shards give one table; the index decides nothing about the order in a shard", async () => {
    const checkpoint = await openCheckpoint(
      makeFolder({ [INDEX]: index({ c: B, b: A, a: A }), [B]: shardB, [A]: shardA }),
    );
    expect([...checkpoint.tensors].map(([name, t]) => `${name} ${t.file}`)).toEqual([
      `a ${A}`,
      `b ${A}`,
      `c ${B}`,
    ]);
  });

  test("the single file wins over an index beside it", async () => {
    const checkpoint = await openCheckpoint(makeFolder({ "model.safetensors": shardB, [INDEX]: "broken" }));
    expect([...checkpoint.tensors.keys()]).toEqual(["c"]);
  });
});

test.each([
  ["embed_tokens.weight layers.0.mlp.up_proj.weight norm.weight", "model."],
  ["embed_tokens.weight norm.weight lm_head.weight", "model."],
  ["model.embed_tokens.weight lm_head.weight", ""],
  ["transformer.embed_tokens.weight norm.weight", ""],
])("names without the frame of a decoder get it: %s", async (names, frame) => {
  const weights = makeSafetensors(names.split(" ").map((name) => tensor(name)));
  const checkpoint = await openCheckpoint(makeFolder({ "model.safetensors": weights }));
  const framed = names.split(" ").map((name) => (name.startsWith("lm_head") ? name : frame + name));
  expect([...checkpoint.tensors.keys()]).toEqual(framed);
  const { start, end } = requireTensor(checkpoint, framed[0]!, [2, 3]);
  expect(end - start).toBe(24);
});

describe("bad folders are refused", () => {
  test.each<[string, Record<string, Uint8Array<ArrayBuffer> | string>, RegExp]>([
    [
      "no weights",
      { "pytorch_model.bin": "x", "config.json": "{}" },
      /folder has neither model.safetensors nor .*index.json\. The folder holds pytorch_model.bin, config.json\./,
    ],
    [
      "a missing shard, named",
      { [INDEX]: index(good), [A]: shardA },
      /1 of 2 shards are missing: model-00002-of-00002.safetensors; download/,
    ],
    [
      "a tensor missing from its shard",
      { [INDEX]: index({ ...good, d: B }), [A]: shardA, [B]: shardB },
      /tensor "d" is not in its shard model-00002/,
    ],
    [
      "a tensor in two shards",
      { [INDEX]: index({ a: A, b: B }), [A]: shardA, [B]: shardA },
      /tensor "a" is in model-00001.* and in model-00002/,
    ],
    ["an index that is not JSON", { [INDEX]: "{" }, /index.json is not valid JSON/],
    ["an index without a map", { [INDEX]: "[]" }, /"weight_map" is not an object/],
    [
      "a path out of the folder",
      { [INDEX]: index({ a: "../../etc/passwd.safetensors" }) },
      /tensor "a" is in "..\/..\/etc\/passwd.safetensors"/,
    ],
    ["a shard that is a number", { [INDEX]: index({ a: 3 }) }, /tensor "a" is in 3/],
    [
      "a truncated file",
      { "model.safetensors": shardA.slice(0, -4) },
      /model.safetensors: tensor "b": .* end past the file.*cut off/,
    ],
    [
      "a shard with a lying header",
      { [INDEX]: index(good), [A]: shardA, [B]: shardB.slice(0, 20) },
      /model-00002-of-00002.safetensors: the header length is/,
    ],
    [
      "a text file",
      { "model.safetensors": "version https://git-lfs.github.com/spec/v1\n" },
      /past the limit.*is this a safetensors file/,
    ],
  ])("%s", async (_, files, message) => {
    await expect(openCheckpoint(makeFolder(files))).rejects.toThrow(message);
  });

  test("all files opened so far are closed again", async () => {
    const files = makeFolder({ [INDEX]: index(good), [A]: shardA, [B]: shardB.slice(0, 20) });
    const closed: string[] = [];
    const open = async (name: string): ReturnType<typeof files.open> => {
      const source = await files.open(name);
      return source && { ...source, close: async () => void closed.push(name) };
    };
    await expect(openCheckpoint({ ...files, open })).rejects.toThrow();
    expect(closed.sort()).toEqual([A, B, INDEX]);
  });
});

describe("asking for a tensor", () => {
  const open = (): Promise<Checkpoint> =>
    openCheckpoint(
      makeFolder({
        "model.safetensors": makeSafetensors([tensor("model.layers.0.mlp.up_proj.weight"), tensor("x")]),
      }),
    );

  test("a missing one is an error that names it and its likes", async () => {
    const checkpoint = await open();
    expect(() => requireTensor(checkpoint, "model.layers.9.mlp.up_proj.weight")).toThrow(
      'weights: tensor "model.layers.9.mlp.up_proj.weight" is missing from model.safetensors (2 tensors, e.g. model.layers.0.mlp.up_proj.weight)',
    );
  });

  test("a wrong shape is an error that names both", async () => {
    const checkpoint = await open();
    expect(requireTensor(checkpoint, "x", [2, 3]).shape).toEqual([2, 3]);
    expect(() => requireTensor(checkpoint, "x", [3, 2])).toThrow(
      'tensor "x" has shape [2, 3], but config.json asks for [3, 2]',
    );
    expect(() => requireTensor(checkpoint, "x", [2, 3, 1])).toThrow(/asks for \[2, 3, 1\]/);
  });
});

test("reads small files whole, and says which JSON is broken", async () => {
  const files = makeFolder({ "config.json": '{"a":1}', "bad.json": "{" });
  expect(await readJson(files, "config.json")).toEqual({ a: 1 });
  expect(await readJson(files, "none.json")).toBeUndefined();
  expect(await readWhole(files, "none.json")).toBeUndefined();
  await expect(readJson(files, "bad.json")).rejects.toThrow(/folder: bad.json is not valid JSON/);
});

describe("the identity of a model", () => {
  async function identity(
    files: Record<string, Uint8Array<ArrayBuffer> | string>,
    config = "{}",
  ): Promise<string> {
    const checkpoint = await openCheckpoint(makeFolder(files));
    const builder = identityBuilder(new TextEncoder().encode(config));
    const staging = createStaging(64);
    for (const t of [...checkpoint.tensors.values()].reverse())
      await streamTensor(t, { write: () => undefined }, "float32", staging, { hash: builder.hasherFor(t) });
    return builder.sha256();
  }
  const abc = makeSafetensors([tensor("a"), tensor("b"), tensor("c")]);

  test("does not depend on sharding or order", async () => {
    expect(await identity({ [INDEX]: index(good), [A]: shardA, [B]: shardB })).toBe(
      await identity({ "model.safetensors": abc }),
    );
  });

  test("depends on every weight, on names and on the config", async () => {
    const others = [
      await identity({ "model.safetensors": makeSafetensors([tensor("a"), tensor("b", 2), tensor("c")]) }),
      await identity({ "model.safetensors": makeSafetensors([tensor("a"), tensor("b"), tensor("d")]) }),
      await identity({
        "model.safetensors": makeSafetensors([tensor("a"), tensor("b", 1, [3, 2]), tensor("c")]),
      }),
      await identity({ "model.safetensors": abc }, '{"x":1}'),
      await identity({ "model.safetensors": abc }),
    ];
    expect(new Set(others).size).toBe(5);
  });
});

const BUNDLED = new URL("../../public/models/palimpsest-7m", import.meta.url).pathname;

test.skipIf(!existsSync(BUNDLED))("opens the bundled model from disk", async () => {
  const checkpoint = await openCheckpoint(await nodeModelFiles(BUNDLED));
  expect(checkpoint.tensors.has("model.embed_tokens.weight")).toBe(true);
  await checkpoint.close();
});
