/** @file Merging an archive into a large memory: block by block, to the same bytes as with both at hand, or not at all. */

import "fake-indexeddb/auto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { omit } from "../lib/omit.ts";
import { rounds } from "../lib/testing/thorough.ts";
import { saidOf, type Memory, type MemoryEntry } from "../records/memory.ts";
import { exportMemory, importMemory, joinMemories } from "./archive.ts";
import { packMemory } from "./archiveFormat.ts";
import { openIndexedDbStore } from "./indexedDb.ts";
import { piecesOf } from "./pieces.ts";
import type { Store } from "./port.ts";
import { allBytes, freshDatabase, fullAt } from "./testing/database.ts";
import { bitsOf, makeCompact, makeMemory, upTo } from "./testing/memory.ts";
import { watched } from "./testing/watched.ts";

const database = await freshDatabase();
afterAll(() => database.close());
let count = 0;
const newStore = () => openIndexedDbStore(database, `memory ${count++}`);

/** Begun with 600 facts, the rest in steps, as a memory grows. */
const STORED = makeCompact(upTo(900));
async function stored(): Promise<Store> {
  const store = newStore();
  await store.save({ ...STORED, entries: STORED.entries.slice(0, 600) });
  for (let at = 600; at < 900; at += 100) await store.append({ entries: STORED.entries.slice(at, at + 100) });
  return store;
}

/** Facts of which most are stored, made with other parameters; some are still to be encoded. */
const OTHER: Memory = (() => {
  const memory = makeMemory(upTo(1500));
  const params = { ...memory.params, steps: 7 };
  return { ...memory, params, entries: memory.entries.filter(({ report }) => report.steps % 50 !== 0) };
})();

let archive: Blob;
beforeAll(async () => void (archive = await packMemory(piecesOf(OTHER), "1")));

const merged = (store: Store) => importMemory(store, archive, { name: "m.zip", mode: "merge" });
const exported = async (store: Store): Promise<Buffer> =>
  Buffer.from(await (await exportMemory(store, "1")).arrayBuffer());
const vectorRows = (): Promise<number> =>
  database.read(["vectors"], (transaction) => transaction.objectStore("vectors").count());

/** As it was done with both at hand: joined, and appended. */
async function appended(store: Store): Promise<void> {
  const outline = ({ entries, ...rest }: Memory) => ({ ...rest, entries: entries.map(saidOf) });
  const { batch } = joinMemories(outline((await store.load())!), outline(OTHER), "m.zip");
  const known = new Map(OTHER.entries.map((entry) => [entry.id, entry]));
  const entries = batch.entries.map((entry): MemoryEntry => {
    const { key, residual, report } = known.get(entry.id)!;
    return { ...entry, key, residual, report };
  });
  await store.append({ ...batch, entries });
}

test("gives to the byte what both memories at hand give", async () => {
  const [one, other] = [await stored(), await stored()];
  const { added, skipped } = await merged(one);
  await appended(other);
  expect([added, skipped]).toEqual([588, 882]);
  expect(bitsOf(await one.load())).toStrictEqual(bitsOf(await other.load()));
  expect((await one.load())!.entries.slice(900).every(({ params }) => params === 1)).toBe(true);
  expect((await exported(one)).equals(await exported(other))).toBe(true);
});

test("a memory without vectors takes one with them, without these", () => {
  const bare = (memory: Memory): Memory => ({
    ...memory,
    routing: memory.routing.map((document) => ({
      ...document,
      facts: document.facts.map((fact) => omit(fact, "vector")),
      vector: new Float32Array(0),
    })),
  });
  const outline = ({ entries, ...rest }: Memory) => ({ ...rest, entries: entries.map(saidOf) });
  const { batch, notes } = joinMemories(outline(bare(STORED)), outline(OTHER), "m.zip");
  expect(batch.routing.length).toBeGreaterThan(0);
  expect(
    batch.routing.every(({ vector, facts }) => vector.length === 0 && !facts.some((fact) => fact.vector)),
  ).toBe(true);
  expect(notes.join()).not.toContain("mean of both vectors");
  expect(() => joinMemories(outline(STORED), outline(bare(OTHER)), "m.zip")).toThrow(
    /length of routing vectors is 0/,
  );
});

test("reads what is stored once, each block when those before it are written", async () => {
  const store = await stored();
  const blocks = (await store.open())!.blocks.length;
  const before = await vectorRows();
  const written: number[] = [];
  const view = watched(store, async () => void written.push((await vectorRows()) - before));
  await merged(view.store);
  expect(view.read).toEqual([]);
  expect(view.passed).toHaveLength(blocks);
  expect(view.passed.reduce((sum, entries) => sum + entries, 0)).toBe(900);
  expect(written).toEqual(upTo(blocks));
});

test("leaves everything as it was where there is no room, whichever row was the first too many", async () => {
  const store = await stored();
  const before = await allBytes(database);
  for (const how of ["request", "commit"] as const)
    for (const row of rounds([0, 45], [0, 7, 20, 45, 60])) {
      expect(await fullAt(row, how, () => merged(store)), `${how} ${row}`).toHaveProperty(
        "name",
        "StoreFull",
      );
      expect((await allBytes(database)).equals(before)).toBe(true);
    }
  await merged(store);
  expect((await store.load())!.entries).toHaveLength(1488);
});

test("leaves what another tab made of the memory meanwhile", async () => {
  const store = await stored();
  let now: unknown;
  const view = watched(store, async () => {
    if (now !== undefined) return;
    const other = openIndexedDbStore(database, `memory ${count - 1}`);
    await other.append({ entries: [OTHER.entries[1000]!] });
    now = bitsOf(await other.load());
  });
  await expect(merged(view.store)).rejects.toThrow(/was changed/);
  expect(bitsOf(await store.load())).toStrictEqual(now);
  expect(await database.read(["entries"], (t) => t.objectStore("entries").getAllKeys())).not.toContainEqual(
    expect.arrayContaining([expect.stringContaining("coming in")]),
  );
});
