import "fake-indexeddb/auto";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { rounds } from "../lib/testing/thorough.ts";
import { charOffset, factId, layerIndex, type FactId } from "../records/ids.ts";
import { joining } from "../records/parameterSets.ts";
import type { Memory } from "../records/memory.ts";
import { withVectors } from "../records/vectors.ts";
import { exportMemory, importMemory } from "./archive.ts";
import { unpackMemory } from "./archiveRead.ts";
import { openDatabase } from "./database.ts";
import { openIndexedDbStore } from "./indexedDb.ts";
import { inMemoryStore } from "./inMemory.ts";
import { memoryFileStore } from "../../tools/node/memoryFile.ts";
import type { Store } from "./port.ts";
import {
  anchorOf,
  bitsOf,
  makeCompact,
  makeEntry,
  makeMemory,
  makeRouting,
  removalOf,
  upTo,
  without,
} from "./testing/memory.ts";

const root = mkdtempSync(path.join(tmpdir(), "palimpsest-store-"));
afterAll(() => rm(root, { recursive: true }));
let count = 0;
const database = await openDatabase();
afterAll(() => database.close());

interface Kind {
  /** A new store, and a way to open the same one again. */
  make(): { store: Store; reopen: () => Store };
}

const KINDS: Record<string, Kind> = {
  "in memory": {
    make: () => {
      const store = inMemoryStore();
      return { store, reopen: () => store };
    },
  },
  "in a browser's database": {
    make: () => {
      const id = `memory ${count++}`;
      return { store: openIndexedDbStore(database, id), reopen: () => openIndexedDbStore(database, id) };
    },
  },
  "in a memory file": {
    make: () => {
      const file = path.join(root, String(count++), "deep", "memory.zip");
      const open = () => memoryFileStore(file, { pause: 0 });
      return { store: open(), reopen: open };
    },
  },
};

describe.each(Object.entries(KINDS))("a store %s", (_, kind) => {
  test("is empty at first", async () => {
    const { store, reopen } = kind.make();
    expect(await store.load()).toBeNull();
    expect(await reopen().load()).toBeNull();
    await store.save(makeMemory([2]));
    expect((await reopen().load())?.entries).toHaveLength(1);
  });

  test("has a new revision after every change, by any writer", async () => {
    const { store, reopen } = kind.make();
    expect(await store.revision()).toBeNull();
    const seen = new Set<string | null>();
    const look = async (): Promise<void> => {
      const revision = await store.revision();
      expect(await reopen().revision()).toBe(revision);
      await store.load();
      expect(await store.revision()).toBe(revision);
      expect(seen.has(revision)).toBe(false);
      seen.add(revision);
    };
    const { entries, routing, ...head } = makeMemory([1, 2]);
    await store.save({ ...head, entries: [], routing });
    await look();
    await store.append({ entries });
    await look();
    const other = reopen();
    await other.load();
    await other.remove({ ids: new Set([entries[0]!.id]), routing: [], sources: [] });
    await look();
    await other.save(makeMemory([1, 2]));
    await look();
  });

  test("opens as it loads, its vectors when they are asked for", async () => {
    const { store, reopen } = kind.make();
    expect(await store.open()).toBeNull();
    const memory = makeCompact(upTo(9));
    await store.save(memory);
    await store.append({ entries: [makeEntry(12), makeEntry(4)] });
    const [{ entries, ...loaded }, { entries: metas, blocks, ...opened }] = [
      (await reopen().load())!,
      (await reopen().open())!,
    ];
    expect(bitsOf(opened)).toStrictEqual(bitsOf(loaded));
    expect(metas.map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
    const all = await withVectors({ ...opened, blocks }, metas);
    expect(bitsOf(all.map(({ key, residual }) => [key, residual]))).toEqual(
      bitsOf(entries.map(({ key, residual }) => [key, residual])),
    );
  });

  test("gives back every bit of vectors in smaller forms, beside those that are float32", async () => {
    const { store, reopen } = kind.make();
    const [memory, more] = [makeCompact(upTo(9)), makeCompact(upTo(12))];
    await store.save(memory);
    await store.append({ entries: more.entries.slice(9) });
    expect(bitsOf((await reopen().load())!.entries)).toStrictEqual(bitsOf(more.entries));
    await store.remove({
      ids: new Set([more.entries[3]!.id]),
      routing: removalOf(memory, [3]).routing,
      sources: [],
    });
    const left = more.entries.toSpliced(3, 1);
    expect(bitsOf((await reopen().load())!.entries)).toStrictEqual(bitsOf(left));
    const elsewhere = kind.make();
    await importMemory(elsewhere.store, await exportMemory(store, "1.0.0"), {
      name: "m.zip",
      mode: "replace",
    });
    expect(bitsOf((await elsewhere.reopen().load())!.entries)).toStrictEqual(bitsOf(left));
  });

  test("gives back every bit of every vector, number and text", async () => {
    const sets = fc.uniqueArray(fc.nat(40), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(sets, async (facts) => {
        const { store, reopen } = kind.make();
        const memory = makeMemory(facts);
        await store.save(memory);
        expect(bitsOf(await reopen().load())).toStrictEqual(bitsOf(memory));
      }),
      { seed: 8, numRuns: rounds(8, 25) },
    );
  });

  test("batches appended one by one make the same memory as one save", async () => {
    const { store, reopen } = kind.make();
    const whole = makeMemory(upTo(30));
    await store.save({ ...whole, entries: [] });
    for (let n = 0; n < 30; n += 7) await store.append({ entries: whole.entries.slice(n, n + 7) });
    expect(bitsOf(await reopen().load())).toStrictEqual(bitsOf(whole));
    await store.save(whole);
    expect(bitsOf(await reopen().load())).toStrictEqual(bitsOf(whole));
  });

  test("is flushed without a change to the memory, and takes more afterwards", async () => {
    const { store, reopen } = kind.make();
    const whole = makeMemory(upTo(40));
    await store.save({ ...whole, entries: [] });
    for (let n = 0; n < 39; n++) await store.append({ entries: whole.entries.slice(n, n + 1) });
    await store.flush();
    expect(bitsOf(await reopen().load())).toStrictEqual(
      bitsOf({ ...whole, entries: whole.entries.slice(0, 39) }),
    );
    await store.append({ entries: whole.entries.slice(39) });
    await store.flush();
    expect(bitsOf(await reopen().load())).toStrictEqual(bitsOf(whole));
  });

  test("what is appended under a known id takes its place", async () => {
    const { store, reopen } = kind.make();
    const memory = makeMemory(upTo(8));
    await store.save(memory);
    const entry = { ...makeEntry(3), layer: layerIndex(2), residual: new Float32Array(6).fill(0.5) };
    const document = { ...makeRouting([2, 6, 10]).find((d) => d.anchor === anchorOf(2))!, order: 2 };
    const source = { ...memory.sources[0]!, title: "Ledgers, second edition" };
    await store.append({ entries: [entry, makeEntry(9)], routing: [document], sources: [source] });
    const expected = {
      ...memory,
      sources: [source],
      entries: [...memory.entries.map((e) => (e.id === entry.id ? entry : e)), makeEntry(9)],
      routing: memory.routing.map((d) => (d.anchor === document.anchor ? document : d)),
    };
    expect(bitsOf(await reopen().load())).toStrictEqual(bitsOf(expected));
  });

  test("a fact waits with its words until its entry is appended, or it is removed", async () => {
    const { store, reopen } = kind.make();
    const memory = makeMemory(upTo(6), 2);
    await store.save(memory);
    expect(bitsOf(await reopen().load())).toStrictEqual(bitsOf(memory));
    await store.append({ entries: [makeEntry(2), makeEntry(3)] });
    await store.flush();
    const left = { ...makeMemory(upTo(6), 4) };
    expect(bitsOf(await reopen().load())).toStrictEqual(bitsOf(left));
    expect((await reopen().open())!.waiting).toEqual(left.waiting);
    await store.remove(removalOf(memory, [4]));
    expect((await reopen().load())!.waiting).toEqual(left.waiting.slice(1));
    await store.append({ waiting: [left.waiting[0]!] });
    await store.flush();
    expect((await reopen().load())!.waiting.map(({ id }) => id).sort()).toEqual(
      left.waiting.map(({ id }) => id),
    );
  });

  test("removes facts and nothing else: what is left is as it was, in the order of its text", async () => {
    const sets = fc.uniqueArray(fc.nat(40), { minLength: 1, maxLength: 16 });
    await fc.assert(
      fc.asyncProperty(sets, fc.nat(16), async (facts, cut) => {
        const { store, reopen } = kind.make();
        const memory = makeMemory(facts);
        const half = facts.length >> 1;
        await store.save({ ...memory, entries: memory.entries.slice(0, half) });
        await store.append({ entries: memory.entries.slice(half) });
        const gone = facts.slice(0, cut);
        await store.remove(removalOf(memory, gone));
        const left = without(memory, gone);
        const entries = left.entries.toSorted((a, b) => a.offset - b.offset);
        expect(bitsOf(await reopen().load())).toStrictEqual(bitsOf({ ...left, entries }));
      }),
      { seed: 3, numRuns: rounds(8, 25) },
    );
  });

  test("gives facts the new ids and offsets of a removal, and their sources the new form", async () => {
    const { store, reopen } = kind.make();
    const memory = makeMemory(upTo(9), 6);
    await store.save(memory);
    const nameOf = (n: number) => factId(`${memory.sources[0]!.id}~e`, charOffset(n * 100 - 100));
    const renamed = new Map([2, 3, 4, 5, 6, 7, 8].map((n) => [makeEntry(n).id, nameOf(n)]));
    const removal = removalOf(memory, [1]);
    const left = without(memory, [1]);
    const named = <T extends { readonly id: FactId }>(one: T): T => ({
      ...one,
      id: renamed.get(one.id) ?? one.id,
    });
    const routing = left.routing.map((document) => ({ ...document, facts: document.facts.map(named) }));
    const texts = [{ ...memory.sources[0]!, characters: 8 }];
    // A fact that was encoded again comes with its former id.
    const again = { ...makeEntry(4), index: 1, tokens: 77 };
    await store.remove({ ...removal, routing, renamed, texts, entries: [again] });
    const entries = left.entries
      .map((entry) => (entry.id === again.id ? again : entry))
      .map((entry) =>
        entry.offset > 100 ? { ...named(entry), offset: charOffset(entry.offset - 100) } : entry,
      );
    const waiting = left.waiting.map(named);
    expect(bitsOf(await reopen().load())).toStrictEqual(
      bitsOf({ ...left, entries, routing, waiting, sources: texts }),
    );
  });

  test("removes every version of what was replaced, and passes over what is not stored", async () => {
    const { store, reopen } = kind.make();
    const memory = makeMemory(upTo(12));
    await store.save(memory);
    await store.append({
      entries: [{ ...makeEntry(3), tokens: 77 }],
      routing: makeRouting(upTo(12)).slice(3),
    });
    const [unknown] = makeMemory([39]).entries;
    const removal = removalOf(memory, [3]);
    await store.remove({ ...removal, ids: new Set([...removal.ids, unknown!.id]) });
    expect(bitsOf(await reopen().load())).toStrictEqual(bitsOf(without(memory, [3])));
    await store.append({ entries: [makeEntry(3)], routing: makeRouting(upTo(12)).slice(3) });
    expect((await reopen().load())!.entries.map(({ tokens }) => tokens)).toEqual(
      [0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 3].map((n) => makeEntry(n).tokens),
    );
  });

  test("removing all, with the source, leaves an empty memory that can be appended to", async () => {
    const { store, reopen } = kind.make();
    const memory = makeMemory(upTo(5));
    await store.save(memory);
    const sources = memory.sources.map(({ id }) => id);
    await store.remove({ ...removalOf(memory, upTo(5)), sources });
    expect(await reopen().load()).toEqual({ ...memory, entries: [], routing: [], sources: [] });
    const { entries, routing } = memory;
    await store.append({ entries, routing, sources: memory.sources });
    expect(bitsOf(await reopen().load())).toStrictEqual(bitsOf(memory));
  });

  test("refuses a removal that would leave words behind, and changes nothing", async () => {
    const { store } = kind.make();
    const memory = makeMemory(upTo(9));
    const removal = removalOf(memory, [1]);
    await expect(store.remove(removal)).rejects.toThrow(/nothing is saved to delete from/);
    await store.save(memory);
    await expect(store.remove({ ...removal, routing: [] })).rejects.toThrow(
      /routing document "anchor 1" keeps 1 of 2 facts; give its new form without the others/,
    );
    await expect(
      store.remove({ ...removal, routing: memory.routing.filter(({ anchor }) => anchor === "anchor 1") }),
    ).rejects.toThrow(/routing document "anchor 1" still contains "[0-9a-f]+:100", which is to be deleted/);
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(memory));
  });

  test("replaces the whole memory on save", async () => {
    const { store, reopen } = kind.make();
    await store.save(makeMemory(upTo(9)));
    await store.save(makeMemory([4]));
    expect(bitsOf(await reopen().load())).toStrictEqual(bitsOf(makeMemory([4])));
  });

  test("keeps nothing of the caller's arrays, and lends none of its own", async () => {
    const { store } = kind.make();
    const memory = makeMemory([1, 2]);
    await store.save(memory);
    memory.entries[0]!.key.fill(7);
    (await store.load())!.entries[1]!.residual.fill(7);
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(makeMemory([1, 2])));
  });

  test("vectors that are views of one large buffer are stored alone", async () => {
    const { store } = kind.make();
    const large = new Float32Array(1e5).fill(1, 50, 51);
    const entry = { ...makeEntry(1), key: large.subarray(50, 60), residual: large.subarray(7, 13) };
    await store.save({ ...makeMemory([]), entries: [entry] });
    const loaded = (await store.load())!.entries[0]!;
    expect(loaded.key.buffer.byteLength).toBe(40);
    expect(loaded.residual.buffer.byteLength).toBe(24);
  });

  test("calls made at once run one after another, and a failed one does not stop the rest", async () => {
    const { store } = kind.make();
    const calls = [
      store.append({ entries: [makeEntry(1)] }),
      store.save(makeMemory([])),
      store.append({ entries: [makeEntry(1)] }),
      store.append({ entries: [{ ...makeEntry(2), key: new Float32Array(3) }] }),
      store.append({ entries: [makeEntry(3)] }),
    ];
    const results = await Promise.allSettled(calls);
    expect(results.map((r) => r.status)).toEqual([
      "rejected",
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    expect((await store.load())!.entries.map((e) => e.tokens)).toEqual([4, 6]);
  });

  test("refuses what it could not give back, and changes nothing", async () => {
    const { store } = kind.make();
    await expect(store.append({ entries: [makeEntry(1)] })).rejects.toThrow(
      /nothing is saved to append to; save a memory first/,
    );
    const memory = makeMemory(upTo(4));
    await store.save(memory);
    const twice = { ...memory, entries: [makeEntry(1), makeEntry(1)] };
    await expect(store.save(twice)).rejects.toThrow(/entry "0123456789abcdef:100" occurs twice/);
    const short = { ...makeEntry(1), residual: new Float32Array(5) };
    await expect(store.append({ entries: [short] })).rejects.toThrow(
      /its residual has 5 values, but dModel of the memory's model is 6/,
    );
    const routing = makeRouting([0, 1]).map((d, i) => (i === 1 ? { ...d, vector: new Float32Array(3) } : d));
    await expect(store.append({ routing })).rejects.toThrow(
      /routing document "anchor 1" has a vector of 3 values and one of 5/,
    );
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(memory));
  });

  test("keeps with which parameters an entry was made, through an archive and a merge too", async () => {
    const older = makeMemory([1, 2]);
    const { params } = older;
    const now = { ...params, steps: params.steps + 5 };
    const joined = joining({ params: now }, older, older.entries);
    const memory = { ...makeMemory([1, 2, 3]), ...joined, params: now };
    const { store, reopen } = kind.make();
    await store.save(memory);
    await store.append({ entries: [makeEntry(3)] });
    const made = (loaded: Memory) =>
      loaded.entries.map(({ params: place }) =>
        place === undefined ? loaded.params : loaded.earlier![place],
      );
    const reopened = reopen();
    expect(made((await reopened.load())!)).toStrictEqual([params, params, now]);
    // Into a memory that has entries of other parameters still, and is run with the older ones.
    const third = { ...params, steps: params.steps + 9 };
    const into = kind.make();
    const held = makeMemory([4, 8]);
    const others = joining({ params }, { params: third }, held.entries.slice(0, 1));
    await into.store.save({ ...held, ...others, entries: [...others.entries, held.entries[1]!] });
    const archive = await exportMemory(reopened, "0.1.0");
    expect(bitsOf(await unpackMemory(archive, "a"))).toStrictEqual(bitsOf(await reopened.load()));
    await importMemory(into.store, archive, { name: "a", mode: "merge" });
    const merged = (await into.reopen().load())!;
    expect(made(merged)).toStrictEqual([third, params, params, params, now]);
    expect(merged.earlier).toStrictEqual([third, now]);
  });
});
