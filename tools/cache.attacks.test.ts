/**
 * @file The encoding cache under attack: rows changed, cut off, exchanged, of a size that no machine has, values
 * that lie, a database of a later version. Made on the real command and store: what is memorised must be what
 * is memorised without a cache, and what is deleted must be gone.
 */

import "fake-indexeddb/auto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { openEngine } from "../src/engine/localEngine.ts";
import { BUNDLED, type Opened } from "../src/engine/testing/models.ts";
import type { FlowContext } from "../src/flow/context.ts";
import { memorize } from "../src/flow/testing/memorized.ts";
import { context, documentOf, HOOK_MS, seeded } from "../src/flow/testing/runs.ts";
import { attacks, refused, type Stakes } from "../src/lib/testing/attacks.ts";
import type { Memory } from "../src/records/memory.ts";
import { SHARP } from "../src/records/params.ts";
import { createNodeDevice } from "./node/nodeDevice.ts";
import { openDatabase } from "../src/store/database.ts";
import { memoryFileStore } from "./node/memoryFile.ts";
import { diskCache } from "./node/diskCache.ts";
import { encodingCache } from "../src/store/cacheRows.ts";
import type { EncodingCache } from "../src/store/encodingCache.ts";
import { indexedDbRows } from "../src/store/indexedDbCache.ts";
import { SCHEMA_VERSION } from "../src/store/schema.ts";
import { allBytes, freshDatabase } from "../src/store/testing/database.ts";
import { bitsOf } from "../src/store/testing/memory.ts";
import { nodeModelFiles } from "./node/nodeFile.ts";
import { recallCommand } from "./recall.ts";

const STORY = ["Mary moved to the garden.", "John went to the hallway."];
const FACTS = STORY.length;
const LAYERS = [3, 4];
const GIGABYTE = 2 ** 30;

const root = fs.mkdtempSync(path.join(tmpdir(), "palimpsest-cache-attacks-"));
const at = (...names: string[]): string => path.join(root, ...names);
let count = 0;

let opened: Opened;
/** What the text becomes without a cache. */
let reference: unknown;

beforeAll(async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  fs.writeFileSync(at("story.txt"), STORY.join(" "));
  // As the command opens it: another number of threads is another backend to the cache.
  const device = await createNodeDevice({ backend: "cpu", spin: false });
  opened = { device, engine: await openEngine(device, await nodeModelFiles(BUNDLED)) };
  await seeded(opened.engine, LAYERS, memoryFileStore(at("empty")));
  reference = bits(await commanded("plain", null));
  expect(bits(await commanded("first", at("cache")))).toEqual(reference);
}, HOOK_MS);
afterAll(async () => {
  await opened.engine.dispose();
  await opened.device.dispose();
  fs.rmSync(root, { recursive: true });
});

/** A memory without what it says of when it was made. */
const bits = ({ entries, routing }: Memory): unknown => bitsOf({ entries, routing });

const recall = (store: string, cache: string | null, ...args: string[]): Promise<void> =>
  recallCommand([
    "--model",
    BUNDLED,
    "--store",
    at(store),
    ...(cache === null ? [] : ["--cache", cache]),
    ...args,
  ]);

/** The story memorised by the command, in a store of its own. */
async function commanded(store: string, cache: string | null): Promise<Memory> {
  fs.cpSync(at("empty"), at(store), { recursive: true });
  await recall(store, cache, "--text", at("story.txt"), "--anchors", "rules", "--steps", "20");
  return (await memoryFileStore(at(store)).load())!;
}

/** The cache of the story, harmed. */
function harmed(harm: (cache: string) => void): string {
  const cache = at(`cache ${count++}`);
  fs.cpSync(at("cache"), cache, { recursive: true });
  harm(cache);
  return cache;
}

const rowsOf = (cache: string): string[] =>
  fs
    .readdirSync(cache)
    .flatMap((name) => (name.endsWith(".row") ? path.join(cache, name) : []))
    .sort();

/** Harms the cache, and memorises the story: nothing of the harm may come into the memory. */
const survives = async (harm: (cache: string) => void): Promise<Stakes> =>
  intact((await memorized(diskCache(harmed(harm)))).memory);

function intact(memory: Memory): Stakes {
  expect(bits(memory)).toEqual(reference);
  return { facts: FACTS, lost: FACTS - memory.entries.filter(({ report }) => report.exact).length };
}

/** Puts `bytes` in the place of all rows, or what they become. */
const everyRow =
  (change: (bytes: Buffer, at: number, all: readonly Buffer[]) => Uint8Array | string) =>
  (cache: string): void => {
    const files = rowsOf(cache);
    const all = files.map((file) => fs.readFileSync(file));
    for (const [i, file] of files.entries()) fs.writeFileSync(file, change(all[i]!, i, all));
  };

/** The story memorised with `cache`, without the command. */
async function memorized(cache: EncodingCache, over: Partial<FlowContext> = {}) {
  const store = await seeded(opened.engine, LAYERS);
  const params = { ...SHARP, anchors: "rules", steps: 20 } as const;
  const running = context(opened.engine, { store, params, cache, ...over });
  return memorize(running, [documentOf(STORY, "story.txt")]);
}

/** Facts stored by one who knows the text, each a lie: `lie` gets what is true. */
async function lying(lie: (parts: { [name: string]: unknown }[]) => unknown): Promise<Stakes> {
  const cache = diskCache(harmed(() => undefined));
  const told: { content: string; value: unknown }[] = [];
  const listening: EncodingCache = {
    ...cache,
    get: async (contents) => {
      const found = await cache.get(contents);
      told.push(...found.map(({ at, value }) => ({ content: contents[at]!, value })));
      return found;
    },
  };
  expect((await memorized(listening)).cached).toBe(FACTS);
  const facts = told.filter(({ value }) => Array.isArray(value));
  expect(facts).toHaveLength(FACTS);
  await cache.put(facts.map(({ content, value }) => ({ content, value: lie(value as never), traces: [] })));
  const { memory, cached } = await memorized(cache);
  expect(cached).toBe(0);
  expect(bits(memory)).toEqual(reference);
  return { facts: FACTS, lost: 0 };
}

/** Deletes a fact of a memory whose cache is harmed: what was made of it must be gone, or nothing is deleted. */
async function forgets(harm: (cache: string) => void): Promise<Stakes> {
  const store = `store ${count}`;
  const cache = harmed(harm);
  fs.cpSync(at("first"), at(store), { recursive: true });
  await recall(store, cache, "--forget", "Mary (1)");
  expect((await memoryFileStore(at(store)).load())!.entries.map(({ anchor }) => anchor)).toEqual(["John"]);
  expect(await diskCache(cache).known(STORY)).toEqual([false, true]);
  return { facts: FACTS - 1, lost: 0 };
}

attacks("the cache", {
  "a bit is changed in every row": () =>
    survives(everyRow((bytes) => bytes.map((byte, i) => (i === bytes.length - 9 ? byte ^ 1 : byte)))),
  "every row is cut off in its middle": () =>
    survives(everyRow((bytes) => bytes.subarray(0, bytes.length >> 1))),
  "every row is cut off in its head, or empty": () =>
    survives(everyRow((bytes, i) => bytes.subarray(0, i % 2 === 0 ? 10 : 0))),
  "every row claims the key of another": () => survives(everyRow((_, i, all) => all[(i + 1) % all.length]!)),
  "every row is of another model": async () => {
    const { engine } = opened;
    const model = { ...engine.model, sha256: "0".repeat(64) };
    const other = at("of another model");
    const store = await seeded(engine, LAYERS, memoryFileStore(at("other")));
    await store.save({ ...(await store.load())!, model });
    await memorized(diskCache(other), { engine: { ...engine, model }, store });
    const foreign = rowsOf(other).map((file) => fs.readFileSync(file));
    return survives(everyRow((_, i) => foreign[i % foreign.length]!));
  },
  "a head with a million marks": () => {
    const marks = Array.from({ length: 1e6 }, String);
    const head = Buffer.from(`${JSON.stringify({ place: 1, marks })}\n`);
    return survives(everyRow((bytes) => Buffer.concat([head, bytes.subarray(bytes.indexOf("\n") + 1)])));
  },
  "every row has three gigabytes": () =>
    survives((cache) => rowsOf(cache).forEach((file) => fs.truncateSync(file, 3 * GIGABYTE))),
  "one row has three gigabytes, one is a folder, and a fact is deleted": {
    fault: "nothing could be deleted any more",
    attack: () =>
      forgets((cache) => {
        fs.writeFileSync(path.join(cache, `${"a".repeat(40)}.row`), "");
        fs.truncateSync(path.join(cache, `${"a".repeat(40)}.row`), 3 * GIGABYTE);
        fs.mkdirSync(path.join(cache, `${"b".repeat(40)}.row`));
      }),
  },
  "every row is robbed of its marks": {
    fault: "it opened still, though no deletion could find it any more",
    attack: () =>
      survives(
        everyRow((bytes) => {
          const end = bytes.indexOf("\n");
          const { place } = JSON.parse(bytes.toString("utf8", 0, end)) as { readonly place: number };
          return Buffer.concat([
            Buffer.from(`${JSON.stringify({ place, marks: [] })}\n`),
            bytes.subarray(end + 1),
          ]);
        }),
      ),
  },
  "rows that a killed process was writing lie there, and a fact is deleted": {
    fault: "they were searched and removed by nobody",
    attack: async () => {
      const unfinished: string[] = [];
      const stakes = await forgets((cache) => {
        for (const file of rowsOf(cache)) {
          unfinished.push(file.replace(".row", ".0123abcd.new"));
          fs.copyFileSync(file, unfinished.at(-1)!);
        }
      });
      expect(unfinished.filter((file) => fs.existsSync(file))).toEqual([]);
      return stakes;
    },
  },
  "files of others lie beside the rows": () =>
    survives((cache) => fs.writeFileSync(path.join(cache, "notes.row"), "not one of ours")),
  "the folder cannot be made": {
    fault: "the forecast could not be made, and the run ended with it",
    // By the command, which makes a forecast.
    attack: async () => {
      const cache = harmed((folder) => {
        fs.rmSync(folder, { recursive: true });
        fs.writeFileSync(folder, "a file");
      });
      return intact(await commanded("unmade", cache));
    },
  },
  "the folder cannot be searched, and a fact is deleted": {
    fault: "the refusal was the system's own word, and did not say that nothing was deleted",
    attack: async () => {
      fs.cpSync(at("first"), at("kept"), { recursive: true });
      await refused(recall("kept", at("story.txt"), "--forget", "Mary (1)"), /so nothing is deleted/);
      const { entries } = (await memoryFileStore(at("kept")).load())!;
      return { facts: FACTS, lost: FACTS - entries.length };
    },
  },
  "a stored vector of no numbers": () =>
    lying((parts) =>
      parts.map((part) => ({ ...part, residual: new Float32Array(opened.engine.model.dModel).fill(NaN) })),
    ),
  "a stored vector of another length": () =>
    lying((parts) => parts.map((part) => ({ ...part, key: new Float32Array(3) }))),
  "a stored vector of a layer that there is not": () =>
    lying((parts) => parts.map((part) => ({ ...part, layer: 99 }))),
  "stored parts that leave out a token, or say it twice": () => lying((parts) => [...parts, ...parts]),
  "stored words in place of vectors": () => lying(() => "Mary moved to the garden."),
  "a stored prototype": () => lying(() => JSON.parse('{"__proto__": {"length": 1}}') as unknown),
  "the browser's database is of a later version": async () => {
    const name = `later ${count++}`;
    const newest = { name, version: SCHEMA_VERSION + 1 };
    const later = await openDatabase(newest);
    const stored = await allBytes(later);
    later.close();
    const cache = encodingCache(indexedDbRows(() => openDatabase({ name })));
    const { memory, cached } = await memorized(cache);
    expect(cached).toBe(0);
    expect(bits(memory)).toEqual(reference);
    const again = await openDatabase(newest);
    expect((await allBytes(again)).equals(stored)).toBe(true);
    again.close();
    return { facts: FACTS, lost: 0 };
  },
  "heads without rows, rows without heads, and no record of their size in the browser's database":
    async () => {
      const database = await freshDatabase();
      const cache = encodingCache(indexedDbRows(async () => database));
      for (const table of ["cacheRows", "cacheHeads", "cacheState"] as const) {
        expect(bits((await memorized(cache)).memory)).toEqual(reference);
        expect((await memorized(cache)).cached).toBe(FACTS);
        await database.write([table], async (transaction) => transaction.objectStore(table).clear());
        const { memory, cached } = await memorized(cache);
        // Without the record of their size the rows are still found; the next write starts the cache again.
        expect(cached).toBe(table === "cacheState" ? FACTS : 0);
        expect(bits(memory)).toEqual(reference);
      }
      const [heads, rows] = await database.read(["cacheHeads", "cacheRows"], async (transaction) => [
        (await transaction.objectStore("cacheHeads").getAllKeys()).length,
        (await transaction.objectStore("cacheRows").getAllKeys()).length,
      ]);
      expect(heads).toBe(rows);
      return { facts: FACTS, lost: 0 };
    },
});
