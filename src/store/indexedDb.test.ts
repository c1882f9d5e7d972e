import "fake-indexeddb/auto";
import { afterAll, describe, expect, test } from "vitest";
import { bytesOfRows } from "../lib/testing/rows.ts";
import { countOf } from "../lib/vectorForms.ts";
import { layerIndex } from "../records/ids.ts";
import type { MemoryEntry } from "../records/memory.ts";
import { readCurves, readParts, readFacts, readMemoryHead } from "./facts.ts";
import { openIndexedDbStore } from "./indexedDb.ts";
import { removeNotebook } from "./notebooks.ts";
import { MAX_BLOCK_BYTES } from "./rows.ts";
import { toJson } from "./json.ts";
import { MEMORY_TABLES, type EntryRow, type RoutingRow, type VectorRow } from "./schema.ts";
import { allBytes, freshDatabase, writesDuring } from "./testing/database.ts";
import {
  bitsOf,
  makeEntry,
  makeMemory,
  removalOf,
  upTo,
  termsOf,
  digestFor,
  without,
  makeCompact,
} from "./testing/memory.ts";
import { StoreChanged } from "./port.ts";

const database = await freshDatabase();
afterAll(() => database.close());
let count = 0;
const fresh = () => openIndexedDbStore(database, `memory ${count++}`);

const bytesOf = (vector: Float32Array): Buffer =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);

describe("blocks", () => {
  test("a save shards vectors by layer into rows of at most 256 entries", async () => {
    const store = fresh();
    const memory = { ...makeMemory([]), entries: upTo(1000).map((n) => makeEntry(n)) };
    const writes = await writesDuring(() => store.save(memory));
    const rows = writes.filter(([table]) => table === "entries").map(([, row]) => row as EntryRow);
    expect(rows.map(({ layer, entries }) => [layer, entries.length])).toEqual([
      [0, 256],
      [0, 78],
      [1, 256],
      [1, 77],
      [2, 256],
      [2, 77],
    ]);
    const layers = new Map<string, number>(memory.entries.map(({ id, layer }) => [id, layer]));
    for (const row of rows)
      expect(new Set(row.ids.map(([, id]) => layers.get(id)))).toEqual(new Set([row.layer]));
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(memory));
  });

  test("wide vectors make shorter rows: none passes 8 MiB", async () => {
    const store = fresh();
    const [dFf, dModel] = [600_000, 200_000];
    const wide = (n: number): MemoryEntry => ({
      ...makeEntry(n, 1),
      key: new Float32Array(dFf).fill(n + 1 / 3).fill(1 / 7, 1, 2),
      residual: new Float32Array(dModel).fill(-n - 1 / 3).fill(1 / 7, 1, 2),
    });
    const memory = makeMemory([]);
    const writes = await writesDuring(() =>
      store.save({ ...memory, model: { ...memory.model, dFf, dModel }, entries: upTo(5).map(wide) }),
    );
    const rows = writes.filter(([table]) => table === "vectors").map(([, row]) => row as VectorRow);
    expect(rows.map(({ keys }) => countOf(keys) / dFf)).toEqual([2, 2, 1]);
    for (const { keys, residuals } of rows)
      expect(bytesOfRows(keys) + bytesOfRows(residuals)).toBeLessThanOrEqual(MAX_BLOCK_BYTES);
    expect((await store.load())!.entries.map(({ key, residual }) => [key[dFf - 1], residual[0]])).toEqual(
      upTo(5).map((n) => [Math.fround(n + 1 / 3), Math.fround(-n - 1 / 3)]),
    );
  });

  test("a long routing document has its own row and comes back whole", async () => {
    const store = fresh();
    const memory = makeMemory(upTo(12));
    const [first, ...rest] = memory.routing;
    const long = {
      ...first!,
      facts: upTo(60).map((n) => ({
        ...first!.facts[0]!,
        id: makeEntry(1000 + n).id,
        terms: `${n}`.repeat(50_000),
      })),
    };
    const whole = { ...memory, routing: [rest[0]!, long, ...rest.slice(1)] };
    const writes = await writesDuring(() => store.save(whole));
    const rows = writes.filter(([table]) => table === "routing").map(([, row]) => row as RoutingRow);
    expect(rows.length).toBe(3);
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(whole));
    const gone = new Set(long.facts.slice(1).map(({ id }) => id));
    await store.remove({ ids: gone, routing: [{ ...long, facts: [long.facts[0]!] }], sources: [] });
    const left = { ...whole, routing: [{ ...long, facts: [long.facts[0]!] }, ...rest] };
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(left));
    expect((await allBytes(database)).includes("5959595959")).toBe(false);
  });

  test("an append writes its own entries and nothing that is stored", async () => {
    const store = fresh();
    await store.save({ ...makeMemory(upTo(600)), entries: upTo(600).map((n) => makeEntry(n)) });
    const writes = await writesDuring(() =>
      store.append({ entries: upTo(16).map((n) => makeEntry(600 + n, 1)) }),
    );
    expect(writes.map(([table]) => table)).toEqual(["entries", "curves", "vectors", "memories"]);
    expect(countOf((writes[2]![1] as VectorRow).keys)).toBe(16 * 10);
  });

  test("after a removal the rows are those of a memory that never had the fact", async () => {
    const own = await freshDatabase();
    const memory = makeMemory(upTo(900));
    const [deleted, never] = ["deleted", "never"].map((id) => openIndexedDbStore(own, id));
    await deleted!.save({ ...memory, entries: [] });
    for (let n = 0; n < 900; n += 150) await deleted!.append({ entries: memory.entries.slice(n, n + 150) });
    await deleted!.remove(removalOf(memory, [17, 777]));
    await never!.save(without(memory, [17, 777]));
    const rowsOf = async (id: string): Promise<unknown> =>
      own.read(MEMORY_TABLES, async (transaction) => {
        const tables = await Promise.all(MEMORY_TABLES.map((name) => transaction.objectStore(name).getAll()));
        const rows = tables.flat().filter((row) => ("memory" in row ? row.memory : row.id) === id);
        const plain = toJson(rows)
          .replaceAll(`"${id}"`, '"m"')
          .replace(/"stamp":"\w+"/, '"stamp":""');
        return JSON.parse(plain) as unknown;
      });
    expect(await rowsOf("deleted")).toEqual(await rowsOf("never"));
    expect(bitsOf(await deleted!.load())).toStrictEqual(bitsOf(without(memory, [17, 777])));
  });
});

test("deletion leaves no byte of hashes or vectors in any row, and all of the others", async () => {
  const own = await freshDatabase();
  const store = openIndexedDbStore(own, "m");
  const whole = makeMemory(upTo(64));
  await store.save({ ...whole, entries: [] });
  for (let n = 0; n < 64; n += 16) await store.append({ entries: whole.entries.slice(n, n + 16) });
  const deleted = [0, 5, 8, 13, 21, 34, 55, 63];
  const kept = upTo(64).filter((n) => !deleted.includes(n));
  const traces = (n: number): Buffer[] => [
    Buffer.from(termsOf(n)),
    Buffer.from(digestFor(n)),
    Buffer.from(`"${makeEntry(n).id}"`),
    bytesOf(makeEntry(n).key),
    bytesOf(makeEntry(n).residual),
  ];
  const before = await allBytes(own);
  for (const n of upTo(64)) for (const trace of traces(n)) expect(before.includes(trace)).toBe(true);
  await store.remove(removalOf(whole, deleted));
  const after = await allBytes(own);
  for (const n of deleted) for (const trace of traces(n)) expect(after.includes(trace)).toBe(false);
  for (const n of kept) for (const trace of traces(n)) expect(after.includes(trace)).toBe(true);
  own.close();
});

describe("several memories and several tabs", () => {
  test("memories of one database do not touch each other, also where one id begins the other", async () => {
    const own = await freshDatabase();
    const ids = ["a", "ab", "a\u0000", ""];
    for (const [i, id] of ids.entries()) await openIndexedDbStore(own, id).save(makeMemory(upTo(i + 1)));
    for (const id of ["ab", ""]) await removeNotebook(own, id);
    for (const [i, id] of ids.entries())
      expect(bitsOf(await openIndexedDbStore(own, id).load())).toStrictEqual(
        bitsOf(id === "ab" || id === "" ? null : makeMemory(upTo(i + 1))),
      );
    const facts = ids.map(async (id) => (await readMemoryHead(own, id))?.facts ?? null);
    expect(await Promise.all(facts)).toEqual([1, null, 3, null]);
    own.close();
  });

  test("one that loaded an older state may not write over a newer one", async () => {
    const id = `memory ${count++}`;
    const slow = openIndexedDbStore(database, id);
    expect(await slow.load()).toBeNull();
    await openIndexedDbStore(database, id).save(makeMemory([1]));
    const attempts = [
      () => slow.save(makeMemory([3])),
      () => slow.append({ entries: [makeEntry(3)] }),
      () => slow.remove(removalOf(makeMemory([1]), [1])),
    ];
    for (const attempt of attempts)
      await expect(attempt()).rejects.toThrow(
        /was changed in another tab since it was loaded.*load it again/,
      );
    expect((await slow.load())!.entries.map(({ tokens }) => tokens)).toEqual([4]);
    await slow.append({ entries: [makeEntry(3)] });
    expect((await openIndexedDbStore(database, id).load())!.entries).toHaveLength(2);
  });

  test("a row that is lost or cut is told, and nothing is written", async () => {
    for (const damage of ["lost", "cut"] as const) {
      const id = `memory ${count++}`;
      await openIndexedDbStore(database, id).save(makeMemory(upTo(9)));
      await database.write(["vectors"], async (transaction) => {
        const vectors = transaction.objectStore("vectors");
        const row = (await vectors.get([id, 1]))!;
        if (damage === "lost") await vectors.delete([id, 1]);
        else await vectors.put({ ...row, keys: (row.keys as Float32Array).slice(10) });
      });
      await expect(openIndexedDbStore(database, id).load()).rejects.toThrow(
        damage === "lost"
          ? /is damaged: a row of its block 1 of entries is missing/
          : /block 1 of "memory \d+" is damaged: 20 and 18 values for 3 entries of 10 and 6/,
      );
    }
  });
});

describe("pages", () => {
  const memory = makeMemory(upTo(9));

  test("a fact that waits has its words until its entry is stored or it is deleted, and no longer", async () => {
    const own = await freshDatabase();
    const store = openIndexedDbStore(own, "m");
    await store.save(makeMemory(upTo(9), 4));
    const wordsOf = async (): Promise<number[]> => {
      const bytes = await allBytes(own);
      return upTo(9).filter((n) => bytes.includes(`vault ${n * 7919 + 104729}`));
    };
    expect(await readMemoryHead(own, "m")).toMatchObject({ facts: 4, pending: 5 });
    expect(await wordsOf()).toEqual([4, 5, 6, 7, 8]);
    await store.append({ entries: [makeEntry(5), makeEntry(7)] });
    expect(await wordsOf()).toEqual([4, 6, 8]);
    await store.remove(removalOf(makeMemory(upTo(9)), [8]));
    expect(await wordsOf()).toEqual([4, 6]);
    await store.append({ entries: [makeEntry(4), makeEntry(6)] });
    expect(await readMemoryHead(own, "m")).toMatchObject({ facts: 8, pending: 0 });
    expect(await wordsOf()).toEqual([]);
    own.close();
  });

  test("rows of facts are in the memory's order, and no vector is read", async () => {
    const store = fresh();
    const id = `memory ${count - 1}`;
    await store.save(makeMemory(upTo(9), 4));
    expect(await readMemoryHead(database, id)).toMatchObject({ facts: 4, pending: 5 });
    await store.append({ entries: memory.entries.slice(4) });
    await database.write(["vectors", "routingVectors"], async (transaction) => {
      await transaction.objectStore("vectors").clear();
      await transaction.objectStore("routingVectors").clear();
    });
    const rows = await readFacts(database, id);
    expect(await readMemoryHead(database, id)).toMatchObject({ facts: 9, pending: 0 });
    expect(rows.map(({ id }) => id)).toEqual(memory.entries.map(({ id }) => id));
    expect(rows[3]).toStrictEqual({
      id: makeEntry(3).id,
      documentId: makeEntry(3).documentId,
      anchor: "anchor 3",
      order: 3,
      index: 1,
      offset: 300,
      layer: layerIndex(0),
      tokens: 6,
      digest: digestFor(3),
      exact: false,
      fidelity: 1 / 3,
      steps: 3,
      deltaNorm: 3.1,
      margin: 3.2,
      memorizedAt: "2026-01-01T00:00:00Z",
    });
    expect(await readFacts(database, "none")).toEqual([]);
  });

  test("one entry, its curve, and the head of a memory", async () => {
    const store = fresh();
    const id = `memory ${count - 1}`;
    await store.save(memory);
    const entry = makeEntry(7);
    expect(bitsOf(await readParts(database, id, entry.id))).toStrictEqual(bitsOf([entry]));
    expect(await readParts(database, id, makeEntry(40).id)).toEqual([]);
    const wanted = [8, 40, 1].map((n) => makeEntry(n).id);
    expect(await readCurves(database, id, wanted)).toStrictEqual([
      [{ part: 1, tokens: 11, losses: [...makeEntry(8).report.losses] }],
      [],
      [{ part: 1, tokens: 4, losses: [...makeEntry(1).report.losses] }],
    ]);
    const other: MemoryEntry = { ...entry, part: 3, start: 10, layer: layerIndex(0), tokens: 2 };
    const cut = fresh();
    await cut.save({ ...memory, entries: [other, entry] });
    expect(await readCurves(database, `memory ${count - 1}`, [entry.id])).toStrictEqual([
      [entry, other].map(({ part, tokens, report }) => ({ part, tokens, losses: [...report.losses] })),
    ]);
    expect(await readMemoryHead(database, id)).toMatchObject({
      facts: 9,
      vectors: 9,
      embedder: "model:mean",
    });
    expect(await readMemoryHead(database, "none")).toBeNull();
  });
});

describe("a memory that is opened", () => {
  test("has no vector until a block is asked for, and reads that one alone", async () => {
    const id = `memory ${count++}`;
    const memory = makeCompact(upTo(600));
    await openIndexedDbStore(database, id).save(memory);
    const opened = (await openIndexedDbStore(database, id).open())!;
    expect(JSON.stringify(opened.entries)).not.toContain("residual");
    const layer = opened.blocks.filter((block) => block.layer === 1);
    expect(layer.map(({ entries }) => entries.length)).toEqual([1, 199]);
    const { keys, residuals } = await layer[1]!.read();
    expect([bytesOfRows(keys), bytesOfRows(residuals)]).toEqual([199 * (10 + 4), 199 * 6 * 2]);
  });

  test("says so where it was changed since", async () => {
    const id = `memory ${count++}`;
    const memory = makeMemory(upTo(9));
    await openIndexedDbStore(database, id).save(memory);
    const opened = (await openIndexedDbStore(database, id).open())!;
    await openIndexedDbStore(database, id).append({ entries: [makeEntry(20)] });
    await expect(opened.blocks[0]!.read()).rejects.toBeInstanceOf(StoreChanged);
  });

  test("is not written over what another store made of it since", async () => {
    const id = `memory ${count++}`;
    await openIndexedDbStore(database, id).save(makeMemory(upTo(9)));
    const store = openIndexedDbStore(database, id);
    await store.open();
    await openIndexedDbStore(database, id).append({ entries: [makeEntry(20)] });
    const removal = { ids: new Set([makeEntry(2).id]), routing: [], sources: [] };
    await expect(store.remove(removal)).rejects.toThrow("was changed in another tab since it was loaded");
    expect((await openIndexedDbStore(database, id).load())!.entries).toHaveLength(10);
  });

  test("says so where a block is lost", async () => {
    const id = `memory ${count++}`;
    await openIndexedDbStore(database, id).save(makeMemory(upTo(9)));
    const opened = (await openIndexedDbStore(database, id).open())!;
    await database.write(["vectors"], (transaction) => transaction.objectStore("vectors").delete([id, 0]));
    await expect(opened.blocks[0]!.read()).rejects.toThrow(
      /is damaged: a row of its block 0 of entries is missing/,
    );
  });
});
