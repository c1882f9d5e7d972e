import { mkdtempSync } from "node:fs";
import { mkdir, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { sha256Hex } from "../lib/hash.ts";
import { parseFile } from "../lib/safetensors.ts";
import type { MemoryEntry } from "../records/memory.ts";
import { diskFolder, diskStore } from "./disk.ts";
import { folderStore } from "./folderStore.ts";
import { fromJson, toJson } from "./json.ts";
import { bitsOf, makeEntry, makeMemory, questionOf, upTo, valueOf } from "./testing/memory.ts";
import { formatOf } from "./manifest.ts";
import { memoryFolder } from "./testing/folders.ts";
import { SHARP } from "../records/params.ts";

const root = mkdtempSync(path.join(tmpdir(), "palimpsest-disk-"));
afterAll(() => rm(root, { recursive: true }));
let count = 0;
const fresh = (): string => path.join(root, String(count++));

const filesIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)))
    .sort();

/** Everything in the folder, as one sequence of bytes. */
async function allBytes(directory: string): Promise<Buffer> {
  const names = await filesIn(directory);
  return Buffer.concat(await Promise.all(names.map((name) => readFile(path.join(directory, name)))));
}

const bytesOf = (vector: Float32Array): Buffer =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

async function saved(facts: readonly number[]): Promise<string> {
  const directory = fresh();
  await diskStore(directory).save(makeMemory(facts));
  return directory;
}

/** Changes the manifest as a program would that signs what it writes. */
async function resigned(directory: string, from: string, to: string): Promise<void> {
  const file = path.join(directory, "manifest.json");
  const text = await readFile(file, "utf8");
  expect(text).toContain(from);
  const { check: _check, ...manifest } = fromJson(text.replace(from, to)) as Record<string, unknown>;
  expect(_check).toHaveLength(64);
  await writeFile(file, toJson({ ...manifest, check: sha256Hex(toJson(manifest)) }));
}

describe("a folder is checked as an archive is", () => {
  test.each([
    ['"read": "top1"', '"read": "banana"', /memory\.params\.read must be one of: top1, soft; found "banana"/],
    ['"layers": 4', '"layers": "4"', /model\.layers is "4"; a whole number, 0 or more is expected/],
    ['"layers": 4', '"layers": 2', /facts-000001\.jsonl, line 3: layer is 2; a layer below 2 is expected/],
  ])("%s as %s", async (from, to, message) => {
    const directory = await saved(upTo(6));
    await resigned(directory, from, to);
    await expect(diskStore(directory).load()).rejects.toThrow(message);
  });

  test("but what an older version did not know is as it was then", async () => {
    const directory = await saved(upTo(2));
    await resigned(directory, '"theta": 0.6,', "");
    expect((await diskStore(directory).load())!.params.theta).toBe(0.6);
  });
});

describe("the folder", () => {
  test("is a manifest, records as lines, and vectors sharded by layer", async () => {
    const directory = await saved(upTo(6));
    expect(await filesIn(directory)).toEqual([
      "facts-000001.jsonl",
      "manifest.json",
      "routing-000001.jsonl",
      "vectors/layer-00-000001.safetensors",
      "vectors/layer-01-000001.safetensors",
      "vectors/layer-02-000001.safetensors",
      "vectors/routing-000001.safetensors",
    ]);
    const manifest = JSON.parse(await readFile(path.join(directory, "manifest.json"), "utf8")) as object;
    expect(manifest).toMatchObject({
      format: "palimpsest-memory",
      version: 2,
      app: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
      memory: { model: { name: "tiny" }, params: { preset: "sharp" }, embedder: "model:mean" },
    });
    const layer = parseFile(
      await readFile(path.join(directory, "vectors/layer-01-000001.safetensors")),
      "layer",
    );
    expect(layer.tensors.map((t) => [t.name, t.dtype, t.shape])).toEqual([
      ["keys", "F32", [2, 10]],
      ["residuals", "F32", [2, 6]],
    ]);
  });

  test("keeps foreign files", async () => {
    const directory = fresh();
    await mkdir(path.join(directory, "vectors"), { recursive: true });
    const foreign = ["notes.txt", "facts.jsonl", "vectors/mine.safetensors"];
    for (const name of foreign) await writeFile(path.join(directory, name), "mine");
    const store = diskStore(directory);
    await store.save(makeMemory([1]));
    await store.save(makeMemory([2]));
    await store.clear();
    expect(await filesIn(directory)).toEqual([...foreign, "manifest.json"].sort());
  });

  test("splits a layer into files of bounded size", async () => {
    const directory = fresh();
    // 22 MiB a fact, at most 64 MiB a file: two fit.
    const wide = 2.75 * 2 ** 20;
    const memory = makeMemory([]);
    const vectors = (n: number): Pick<MemoryEntry, "key" | "residual"> => ({
      key: new Float32Array(wide).fill(1, n, n + 1),
      residual: new Float32Array(wide).fill(-n),
    });
    const entries = upTo(3).map((n) => ({ ...makeEntry(n, 1), ...vectors(n) }));
    const model = { ...memory.model, dModel: wide, dFf: wide };
    await diskStore(directory).save({ ...memory, model, centres: [], entries });
    expect((await filesIn(directory)).filter((name) => name.includes("layer"))).toEqual([
      "vectors/layer-01-000001-2.safetensors",
      "vectors/layer-01-000001.safetensors",
    ]);
    const loaded = (await diskStore(directory).load())!;
    expect(loaded.entries.map((e) => [e.key.indexOf(1), e.residual[0]])).toEqual([
      [0, -0],
      [1, -1],
      [2, -2],
    ]);
  });
});

test("a folder written before reports held `recalled` loads with null", async () => {
  const folder = memoryFolder();
  const older = makeMemory([1, 3]);
  const without = older.entries.map((entry) => ({
    ...entry,
    report: { ...entry.report, recalled: undefined },
  }));
  await folderStore(folder, "1").save({ ...older, entries: without as unknown as MemoryEntry[] });
  expect(Buffer.from(folder.files.get("facts-000001.jsonl")!).includes("recalled")).toBe(false);
  const loaded = (await folderStore(folder, "1").load())!;
  expect(loaded.entries.map(({ report }) => report.recalled)).toEqual([null, null]);
});

describe("deletion", () => {
  test("leaves no byte of the deleted values, questions or vectors in any file, and all of the others", async () => {
    const directory = fresh();
    const store = diskStore(directory);
    const whole = makeMemory(upTo(64));
    await store.save({ ...whole, entries: [] });
    for (let n = 0; n < 64; n += 16) await store.append({ entries: whole.entries.slice(n, n + 16) });
    const deleted = [0, 5, 8, 13, 21, 34, 55, 63];
    const kept = upTo(64).filter((n) => !deleted.includes(n));
    const traces = (n: number): Buffer[] => [
      Buffer.from(valueOf(n)),
      Buffer.from(`vault ${n * 7919 + 104729}`),
      Buffer.from(questionOf(n)),
      bytesOf(makeEntry(n).key),
      bytesOf(makeEntry(n).residual),
    ];
    const before = await allBytes(directory);
    for (const n of upTo(64)) for (const trace of traces(n)) expect(before.includes(trace)).toBe(true);

    await store.save(makeMemory(kept));
    const after = await allBytes(directory);
    for (const n of deleted) for (const trace of traces(n)) expect(after.includes(trace)).toBe(false);
    for (const n of kept) for (const trace of traces(n)) expect(after.includes(trace)).toBe(true);
    expect(bitsOf(await diskStore(directory).load())).toStrictEqual(bitsOf(makeMemory(kept)));
  });

  test("says so when an old file cannot be removed", async () => {
    const folder = memoryFolder();
    await folderStore(folder, "1").save(makeMemory(upTo(4)));
    const stuck = { ...folder, remove: () => Promise.reject(new Error("EPERM: not permitted")) };
    await expect(folderStore(stuck, "1").save(makeMemory([1]))).rejects.toThrow(
      /the memory is saved, but [\w/.-]+ of an earlier state could not be removed.*may hold deleted facts/,
    );
  });
});

describe("a damaged folder is refused and never written to", () => {
  const damages: [string, (directory: string) => Promise<void>, RegExp][] = [
    [
      "a manifest cut off",
      (d) => truncate(path.join(d, "manifest.json"), 300),
      /manifest.json is not valid JSON/,
    ],
    [
      "an empty manifest",
      (d) => truncate(path.join(d, "manifest.json"), 0),
      /manifest.json is not valid JSON/,
    ],
    [
      "no manifest",
      (d) => rm(path.join(d, "manifest.json")),
      /manifest.json is missing beside facts-000001.jsonl/,
    ],
    [
      "a manifest of another program",
      (d) => writeFile(path.join(d, "manifest.json"), '{"name":"x"}'),
      /folder of another program/,
    ],
    [
      "a parameter changed by hand",
      (d) => edit(d, "manifest.json", `"learningRate": ${SHARP.learningRate}`, '"learningRate": 0.4'),
      /manifest.json does not match its own checksum/,
    ],
    [
      "a fact changed by hand",
      (d) => edit(d, "facts-000001.jsonl", '"index":1', '"index":7'),
      /facts-000001.jsonl does not match its checksum/,
    ],
    [
      "lines cut off",
      (d) => truncate(path.join(d, "facts-000001.jsonl"), 200),
      /facts-000001.jsonl has 200 bytes, \d+ expected/,
    ],
    [
      "a vector file lost",
      (d) => rm(path.join(d, "vectors/layer-01-000001.safetensors")),
      /layer-01-000001.safetensors is missing/,
    ],
    [
      "one bit of a vector",
      (d) => flip(d, "vectors/layer-01-000001.safetensors"),
      /layer-01-000001.safetensors does not match its checksum/,
    ],
  ];

  async function edit(directory: string, name: string, from: string, to: string): Promise<void> {
    const file = path.join(directory, name);
    const text = await readFile(file, "utf8");
    expect(text).toContain(from);
    await writeFile(file, text.replace(from, to));
  }

  async function flip(directory: string, name: string): Promise<void> {
    const bytes = await readFile(path.join(directory, name));
    bytes[bytes.length - 3]! ^= 4;
    await writeFile(path.join(directory, name), bytes);
  }

  test.each(damages)("%s", async (_, damage, message) => {
    const directory = await saved(upTo(5));
    await damage(directory);
    const bytes = await allBytes(directory);
    const store = diskStore(directory);
    const attempts = [
      () => store.load(),
      () => store.save(makeMemory([1])),
      () => store.append({ entries: [makeEntry(7)] }),
      () => store.clear(),
    ];
    for (const attempt of attempts) await expect(attempt()).rejects.toThrow(message);
    await expect(store.load()).rejects.toThrow(/is damaged: .* Nothing was changed .*restore it from a copy/);
    expect((await allBytes(directory)).equals(bytes)).toBe(true);
  });

  test("a newer format is refused by name and version", async () => {
    const directory = await saved([1]);
    await edit(directory, "manifest.json", '"version": 2', '"version": 5');
    await edit(
      directory,
      "manifest.json",
      /"app": "[^"]*"/.exec(await readFile(path.join(directory, "manifest.json"), "utf8"))![0],
      '"app": "9.9.0"',
    );
    const bytes = await allBytes(directory);
    for (const attempt of [
      () => diskStore(directory).load(),
      () => diskStore(directory).save(makeMemory([2])),
    ])
      await expect(attempt()).rejects.toMatchObject({
        name: "StoreVersion",
        message: `store: ${directory} was written by Palimpsest 9.9.0 in format 5; this version reads formats up to 4. Nothing was changed: use the newer Palimpsest, or another folder.`,
      });
    expect((await allBytes(directory)).equals(bytes)).toBe(true);
  });

  test("a path that is a file", async () => {
    const file = fresh();
    await writeFile(file, "text");
    await expect(diskStore(file).save(makeMemory([1]))).rejects.toThrow(/cannot write \(EEXIST/);
    expect(await readFile(file, "utf8")).toBe("text");
  });
});

describe("two processes", () => {
  test("one that loaded an older state may not overwrite a newer one", async () => {
    const directory = await saved([1]);
    const slow = diskStore(directory);
    await slow.load();
    await diskStore(directory).save(makeMemory([1, 2]));
    await expect(slow.save(makeMemory([3]))).rejects.toThrow(
      /was changed by another process since it was loaded.*load it again/,
    );
    await slow.load();
    await slow.save(makeMemory([3]));
    expect((await diskStore(directory).load())!.entries).toHaveLength(1);
  });

  test("one that saw an empty folder may not overwrite what came meanwhile", async () => {
    const directory = fresh();
    const slow = diskStore(directory);
    expect(await slow.load()).toBeNull();
    await diskStore(directory).save(makeMemory([1]));
    await expect(slow.save(makeMemory([3]))).rejects.toThrow(/changed by another process/);
  });

  test("only one writes at a time; the lock of a dead one is no hindrance", async () => {
    const directory = await saved([1]);
    const unlock = await diskFolder(directory).lock();
    await expect(diskStore(directory).save(makeMemory([2]))).rejects.toThrow(
      `store: ${directory} is being written by process ${process.pid}. Wait for it to end; if there is no such process, remove ${path.join(directory, "lock")}.`,
    );
    expect((await diskStore(directory).load())!.entries).toHaveLength(1);
    await unlock();
    await writeFile(path.join(directory, "lock"), "999999999\n");
    await diskStore(directory).save(makeMemory([2, 3]));
    expect(await filesIn(directory)).not.toContain("lock");
  });

  test("a lock without a process number is waited for while it may be in the making", async () => {
    const directory = await saved([1]);
    const lock = path.join(directory, "lock");
    // Made and filled a moment later by a process that lives: this one's parent.
    await writeFile(lock, "");
    const filled = setTimeout(() => void writeFile(lock, `${process.ppid}\n`), 200);
    await expect(diskStore(directory).save(makeMemory([2]))).rejects.toThrow(`by process ${process.ppid}`);
    clearTimeout(filled);
    // Left empty by a process that was killed while it made it.
    await writeFile(lock, "");
    const started = Date.now();
    await diskStore(directory).save(makeMemory([2]));
    expect(Date.now() - started).toBeGreaterThan(1000);
    expect((await diskStore(directory).load())!.entries.length).toBe(1);
  });
});

describe("the version that a memory is written in", () => {
  test("is the older one only where an older app reads it rightly", () => {
    const { centres, ...plain } = makeMemory([1]);
    expect(formatOf(null)).toBe(1);
    expect(formatOf(plain)).toBe(1);
    expect(formatOf({ ...plain, centres: [] })).toBe(1);
    expect(formatOf({ ...plain, salt: "00" })).toBe(2);
    expect(formatOf({ ...plain, centres: centres! })).toBe(2);
    expect(formatOf({ ...plain, earlier: [{ ...plain.params, vectors: "compact" }] })).toBe(3);
  });
});
