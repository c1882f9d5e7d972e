/** @file What a folder of many appends costs: which files are read for what, and what it is like once it is tidied. */

import { describe, expect, test } from "vitest";
import { unit } from "../lib/vector.ts";
import type { MemoryEntry } from "../records/memory.ts";
import type { Folder } from "./folder.ts";
import { folderStore } from "./folderStore.ts";
import { fullFolder, memoryFolder } from "./testing/folders.ts";
import { bitsOf, makeEntry, makeMemory, removalOf, upTo, without } from "./testing/memory.ts";

describe("a folder of many appends", () => {
  const appended = async (folder: Folder, count: number) => {
    const store = folderStore(folder, "1");
    const whole = makeMemory(upTo(count));
    await store.save({ ...whole, entries: [] });
    for (const entry of whole.entries) await store.append({ entries: [entry] });
    return { store, whole };
  };

  test("is one segment once it is tidied, and is left as it is where there are few or no room", async () => {
    const folder = memoryFolder();
    const { store, whole } = await appended(folder, 40);
    const before = folder.files.size;
    const full = folderStore(fullFolder(folder, 100), "1");
    await full.load();
    await full.tidy();
    expect(folder.files.size).toBe(before);
    await store.tidy();
    // Facts, routing, and their vectors at three layers and of the index.
    expect([...folder.files.keys()].filter((name) => name !== "manifest.json")).toHaveLength(6);
    expect(bitsOf(await folderStore(folder, "1").load())).toStrictEqual(bitsOf(whole));
    const written = folder.files.get("manifest.json");
    await store.tidy();
    expect(folder.files.get("manifest.json")).toBe(written);
  });

  test("a deletion from it reads the vectors of what it touches, and no others", async () => {
    const folder = memoryFolder();
    const read: string[] = [];
    const counting: Folder = { ...folder, read: (name) => (read.push(name), folder.read(name)) };
    const { store, whole } = await appended(counting, 12);
    read.length = 0;
    await store.remove(removalOf(whole, [5]));
    expect(bitsOf(await folderStore(folder, "1").load())).toStrictEqual(bitsOf(without(whole, [5])));
    const layers = read.filter((name) => name.startsWith("vectors/layer"));
    expect(layers).toHaveLength(1);
    expect(read.filter((name) => name.startsWith("facts"))).toHaveLength(12 + 1);
  });

  test("facts stay whole in the segments that it is tidied into", async () => {
    const folder = memoryFolder();
    const wide = 2 ** 19;
    const model = { ...makeMemory([]).model, dModel: wide, dFf: wide };
    const vectors = (n: number) => ({
      key: unit(new Float32Array(wide).fill(1).fill(n + 2, 0, 1)),
      residual: new Float32Array(wide).fill(-n - 1),
    });
    // Three facts of three parts, 4 MiB each: a segment takes four.
    const entries = upTo(9).map((n) => ({
      ...makeEntry(Math.floor(n / 3), 1),
      ...vectors(n),
      ...{ part: (n % 3) + 1, start: (n % 3) * (Math.floor(n / 3) + 3) },
    }));
    const store = folderStore(folder, "1");
    await store.save({ ...makeMemory([]), model, centres: [] });
    for (let i = 0; i < 40; i++) await store.append({});
    for (let i = 0; i < 9; i += 3) await store.append({ entries: entries.slice(i, i + 3) });
    await store.tidy();
    expect([...folder.files.keys()].filter((name) => name.startsWith("facts"))).toHaveLength(3);
    // Every number of a vector is the same: millions of them are compared as one.
    const brief = (all: readonly MemoryEntry[]) =>
      all.map(({ key, residual, ...rest }) => ({ ...rest, key: new Set(key), residual: new Set(residual) }));
    expect(brief((await folderStore(folder, "1").load())!.entries)).toStrictEqual(brief(entries));
  });

  test("appends to it read the manifest alone, and look for leftovers once each", async () => {
    const folder = memoryFolder();
    const read: string[] = [];
    let listed = 0;
    const counting: Folder = {
      ...folder,
      read: (name) => (read.push(name), folder.read(name)),
      list: () => (listed++, folder.list()),
    };
    await appended(counting, 20);
    expect(new Set(read)).toEqual(new Set(["manifest.json"]));
    expect(read.length).toBe(21);
    expect(listed).toBeLessThanOrEqual(23);
  });
});
