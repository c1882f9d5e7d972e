/** @file The encoding cache in each of its homes: found by content alone, checked, bounded, and removable. */

import "fake-indexeddb/auto";
import { mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { wipe, type Database } from "./database.ts";
import { diskCache, diskRows } from "../../tools/node/diskCache.ts";
import { encodingCache, type CacheRows } from "./cacheRows.ts";
import type { CacheItem } from "./encodingCache.ts";
import { cacheSize, indexedDbRows } from "./indexedDbCache.ts";
import { CACHE_TABLES, TABLES } from "./schema.ts";
import { openIndexedDbStore } from "./indexedDb.ts";
import { inMemoryRows } from "./testing/cacheRows.ts";
import { allBytes, freshDatabase, fullAt, fullWithCache, writesDuring } from "./testing/database.ts";
import { bitsOf, makeMemory, upTo } from "./testing/memory.ts";

const root = mkdtempSync(path.join(tmpdir(), "palimpsest-cache-"));
afterAll(() => rm(root, { recursive: true }));
let count = 0;

const HOMES: Record<string, () => Promise<CacheRows>> = {
  "in memory": async () => inMemoryRows(),
  "in a folder": async () => diskRows(path.join(root, String(count++))),
  "in the browser's database": async () => {
    const database = await freshDatabase();
    return indexedDbRows(async () => database);
  },
};

const VECTOR = Float32Array.of(1, -0, 0.1, 1e-40);
const item = (n: number): CacheItem => ({
  content: JSON.stringify(["model", `The ledger ${n} lies in the vault of the old library.`]),
  value: { vector: VECTOR.map((x) => x * n), text: `ledger ${n}` },
  traces: [`The ledger ${n} lies in the vault of the old library.`, "all of them"],
});
const content = (n: number): string => item(n).content;

describe.each(Object.entries(HOMES))("a cache %s", (_, open) => {
  test("gives what was made of a content, bit for bit, and nothing of another", async () => {
    const cache = encodingCache(await open());
    expect(await cache.get([content(1)])).toEqual([]);
    await cache.put([item(1), item(2)]);
    const [found, ...others] = await cache.get(["another", content(2)]);
    expect(others).toEqual([]);
    expect(found).toEqual({ at: 1, value: item(2).value });
    const { vector } = found!.value as { vector: Float32Array };
    expect(new Uint32Array(vector.buffer)).toEqual(new Uint32Array(VECTOR.map((x) => x * 2).buffer));
  });

  test("gives them in the order in which they came, one for each time that it is asked", async () => {
    const cache = encodingCache(await open());
    await cache.put([item(3), item(1)]);
    await cache.put([item(2)]);
    const asked = [content(1), content(2), content(3), content(1)];
    expect((await cache.get(asked)).map(({ at }) => at)).toEqual([2, 0, 3, 1]);
    const held = await cache.held([...asked, "another"]);
    const places = held.toSorted((a, b) => a.place - b.place || a.at - b.at).map(({ at }) => at);
    expect(places).toEqual([2, 0, 3, 1]);
    // Being asked for does not change it.
    expect((await cache.get(asked)).map(({ at }) => at)).toEqual([2, 0, 3, 1]);
  });

  test("removes what holds a trace, and says then that it knows none", async () => {
    const cache = encodingCache(await open());
    await cache.put([1, 2, 3].map(item));
    const [line] = item(2).traces;
    expect(await cache.known([line!, "nothing of the kind"])).toEqual([true, false]);
    expect(await cache.remove([line!])).toEqual({ removed: 1, left: 0 });
    expect(await cache.known([line!, item(1).traces[0]!])).toEqual([false, true]);
    expect((await cache.get([1, 2, 3].map(content))).map(({ at }) => at)).toEqual([0, 2]);
    expect(await cache.remove(["all of them"])).toEqual({ removed: 2, left: 0 });
    expect(await cache.get([1, 2, 3].map(content))).toEqual([]);
  });

  test("removes through a trace what shares another one with its value, and nothing further", async () => {
    const cache = encodingCache(await open());
    const of = (n: number, ...traces: string[]): CacheItem => ({ ...item(n), traces });
    await cache.put([of(1, "vector", "words"), of(2, "words", "others"), of(3, "others")]);
    expect(await cache.remove(["prompt"], ["vector"])).toEqual({ removed: 2, left: 0 });
    expect((await cache.get([1, 2, 3].map(content))).map(({ at }) => at)).toEqual([2]);
  });

  test("does not believe a row in which a bit was changed, and takes another in its place", async () => {
    const rows = await open();
    const cache = encodingCache(rows);
    await cache.put([item(1), item(2)]);
    const keyOf = async (n: number): Promise<string> => {
      const all: string[] = [];
      await encodingCache({ ...rows, get: async (keys) => (all.push(...keys), []) }).get([content(n)]);
      return all[0]!;
    };
    const [row] = await rows.get([await keyOf(1)]);
    for (const place of [0, 12, row!.bytes.length - 1]) {
      const bytes = row!.bytes.map((byte, i) => (i === place ? byte ^ 1 : byte));
      await rows.put([{ ...row!, bytes }]);
      expect((await cache.get([content(1), content(2)])).map(({ at }) => at)).toEqual([1]);
    }
    // Nor a row that was robbed of its marks, which no deletion would find.
    for (const marks of [[], row!.marks.slice(1), [...row!.marks, "another"]]) {
      await rows.put([{ ...row!, marks }]);
      expect(await cache.get([content(1)])).toEqual([]);
    }
    // Nor the row of one content under the key of another.
    const [other] = await rows.get([await keyOf(2)]);
    await rows.put([{ ...row!, bytes: other!.bytes }]);
    expect(await cache.get([content(1)])).toEqual([]);
    await cache.put([item(1)]);
    expect((await cache.get([content(1)]))[0]!.value).toEqual(item(1).value);
  });
});

describe("a folder", () => {
  test("is shared by those that open it at once", async () => {
    const folder = path.join(root, "shared");
    const caches = Array.from({ length: 8 }, () => diskCache(folder));
    await Promise.all(caches.map((cache, n) => cache.put([item(n)])));
    const all = Array.from({ length: 8 }, (_, n) => content(n));
    expect(await diskCache(folder).get(all)).toHaveLength(8);
    expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
  });

  test("is cleaned of what a killed process had not put in its place yet", async () => {
    const folder = path.join(root, "killed");
    const cache = diskCache(folder);
    await cache.put([item(1)]);
    const [row] = readdirSync(folder).filter((name) => name.endsWith(".row"));
    renameSync(path.join(folder, row!), path.join(folder, row!.replace(".row", ".0123abcd.new")));
    await cache.put([item(2)]);
    await cache.remove(item(1).traces.slice(0, 1));
    expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
    expect(await cache.get([content(1), content(2)])).toHaveLength(1);
  });

  test("with files that were cut off or are something else gives what is whole", async () => {
    const folder = path.join(root, "damaged");
    const cache = diskCache(folder);
    await cache.put([1, 2, 3].map(item));
    const files = readdirSync(folder).filter((name) => name.endsWith(".row"));
    expect(files).toHaveLength(3);
    const [cut, other] = files.map((name) => path.join(folder, name));
    writeFileSync(cut!, readFileSync(cut!).subarray(0, 40));
    writeFileSync(other!, "not a row");
    expect(await cache.get([1, 2, 3].map(content))).toHaveLength(1);
    await cache.put([1, 2, 3].map(item));
    expect(await cache.get([1, 2, 3].map(content))).toHaveLength(3);
  });

  test("loses damaged rows with any deletion, for their marks may be damaged too", async () => {
    const folder = path.join(root, "robbed");
    const cache = diskCache(folder);
    await cache.put([1, 2].map(item));
    const files = () => readdirSync(folder).map((name) => path.join(folder, name));
    const robbed = files().find((file) => readFileSync(file, "utf8").includes("ledger 1"))!;
    writeFileSync(robbed, readFileSync(robbed, "utf8").replace(/"marks":\[[^\]]*\]/, '"marks":[]'));
    await cache.remove(["something else"]);
    expect(files().map((file) => readFileSync(file, "utf8").includes("ledger 2"))).toEqual([true]);
  });
});

describe("the browser's database", () => {
  const opened = async (budget?: number): Promise<[Database, CacheRows]> => {
    const database = await freshDatabase();
    return [database, indexedDbRows(async () => database, budget)];
  };
  const bulky = (n: number): CacheItem => ({ ...item(n), value: "x".repeat(10_000) });

  test("keeps to its budget: what was not used for longest goes", async () => {
    const [database, rows] = await opened(45_000);
    const cache = encodingCache(rows);
    await cache.put([1, 2, 3, 4].map(bulky));
    const full = await cacheSize(database);
    expect(full.rows).toBe(4);
    expect(full.bytes).toBeGreaterThan(40_000);
    await cache.get([content(1)]);
    await cache.put([bulky(5), bulky(6)]);
    const left = await cache.get([1, 2, 3, 4, 5, 6].map(content));
    expect(left.map(({ at }) => at + 1)).toEqual([1, 4, 5, 6]);
    expect(await cacheSize(database)).toMatchObject({ rows: 4, bytes: full.bytes });
    // What is put again takes no more.
    await cache.put([bulky(6)]);
    expect((await cacheSize(database)).bytes).toBe(full.bytes);
    await cache.remove(["all of them"]);
    expect(await cacheSize(database)).toMatchObject({ rows: 0, bytes: 0 });
  });

  test("is emptied by itself and with all else, and is used again afterwards", async () => {
    const [database, rows] = await opened();
    const cache = encodingCache(rows);
    for (const tables of [CACHE_TABLES, TABLES]) {
      await cache.put([item(1)]);
      expect((await allBytes(database)).toString()).toContain("cache");
      await wipe(database, tables);
      expect((await allBytes(database)).toString()).toBe("[]");
      expect(await cache.get([content(1)])).toEqual([]);
    }
    await cache.put([item(1)]);
    expect((await cache.get([content(1)]))[0]!.value).toEqual(item(1).value);
  });

  test("that is full loses nothing by a row that finds no room", async () => {
    const [database, rows] = await opened();
    const cache = encodingCache(rows);
    await cache.put([item(1)]);
    const before = await allBytes(database);
    for (const how of ["request", "commit"] as const) {
      expect(await fullAt(1, how, () => cache.put([item(2), item(3)]))).toMatchObject({ name: "StoreFull" });
      expect(await allBytes(database)).toEqual(before);
    }
  });

  test("gives its room to a memory that finds none, and keeps it where that is of no use", async () => {
    const [database, rows] = await opened();
    const cache = encodingCache(rows);
    await cache.put([item(1)]);
    const store = openIndexedDbStore(database, "m");
    const memory = makeMemory(upTo(6));
    await fullWithCache(() => store.save(memory));
    expect(bitsOf(await store.load())).toEqual(bitsOf(memory));
    expect((await cacheSize(database)).rows).toBe(0);
    // Nothing is left to be given up: the write fails as ever, and what was stored stays.
    expect(await fullAt(0, "request", () => store.save(memory))).toMatchObject({ name: "StoreFull" });
    expect(bitsOf(await store.load())).toEqual(bitsOf(memory));
  });

  test("is read without a write, marks what was used many at a time, and reads on where nothing can be written", async () => {
    const [database, rows] = await opened();
    const cache = encodingCache(rows);
    const items = Array.from({ length: 256 }, (_, n) => item(n));
    await cache.put(items);
    const usedOf = async (): Promise<number[]> =>
      database.read(["cacheHeads"], async (transaction) =>
        (await transaction.objectStore("cacheHeads").getAll()).map(({ used }) => used),
      );
    const before = Math.max(...(await usedOf()));
    const asked = items.map((one) => one.content);
    expect(await writesDuring(() => cache.get(asked.slice(0, 255)))).toEqual([]);
    expect(await fullAt(0, "request", () => cache.get(asked.slice(0, 255)))).toBeUndefined();
    const marked = await writesDuring(async () => {
      await cache.get(asked.slice(255));
      await expect.poll(async () => Math.min(...(await usedOf()))).toBeGreaterThan(before);
    });
    expect(marked).toHaveLength(256);
  });
});
