import "fake-indexeddb/auto";
import { forceCloseDatabase } from "fake-indexeddb";
import { openDB, unwrap } from "idb";
import { describe, expect, test, vi } from "vitest";
import type { MethodParams } from "../records/params.ts";
import { withVectors, type EntryVectors } from "../records/vectors.ts";
import { openDatabase, wipe, type DatabaseEvent } from "./database.ts";
import { addDocument, listDocuments } from "./documents.ts";
import { openIndexedDbStore } from "./indexedDb.ts";
import { loadNotebook, saveNotebook } from "./notebooks.ts";
import { StoreFull, StoreVersion } from "./port.ts";
import { createRun, listRuns } from "./runs.ts";
import { SCHEMA_VERSION, STEPS, TABLES, type Schema, type Upgrade } from "./schema.ts";
import { allBytes, freshDatabase, fullAt } from "./testing/database.ts";
import { bitsOf, makeCompact, makeMemory, removalOf, upTo } from "./testing/memory.ts";
import { documentOfText, makeRun } from "./testing/records.ts";

/** A database as an app of that version leaves it, with its tables filled from a current one. */
async function olderDatabase(name: string, version: number): Promise<void> {
  const full = await freshDatabase();
  await openIndexedDbStore(full, "m").save(makeMemory(upTo(9)));
  await saveNotebook(full, {
    id: "n",
    title: "Old",
    updated: "2026-01-01",
    cells: 2,
    revision: 0,
    body: [1],
  });
  const old = await openDB<Schema>(name, version, {
    upgrade: async (database, _, __, transaction) => {
      for (const step of STEPS.slice(0, version)) await step(database, transaction);
    },
  });
  for (const table of old.objectStoreNames) {
    const rows = await full.read([table], (transaction) => transaction.objectStore(table).getAll());
    for (const row of rows) await old.put(table, row as never);
  }
  expect(old.version).toBe(version);
  old.close();
  full.close();
}

/** Makes of a database what the app of its version wrote: no parameters of vectors, and rows that are float32. */
async function withoutVectorForms(name: string): Promise<void> {
  const old = await openDB<Schema>(name);
  for (const { keys, residuals } of await old.getAll("vectors"))
    expect([keys, residuals].every((rows) => rows instanceof Float32Array)).toBe(true);
  const record = (await old.get("memories", "m"))!;
  const params = Object.entries(record.head.params).filter(([name]) => name !== "vectors");
  const head = { ...record.head, params: Object.fromEntries(params) as unknown as MethodParams };
  await old.put("memories", { ...record, head });
  old.close();
}

describe("upgrading", () => {
  test.each(STEPS.map((_, i) => i + 1))("from version %i keeps all that it holds", async (version) => {
    const name = `from ${version}`;
    await olderDatabase(name, version);
    const database = await openDatabase({ name });
    expect(bitsOf(await openIndexedDbStore(database, "m").load())).toStrictEqual(bitsOf(makeMemory(upTo(9))));
    expect(await loadNotebook(database, "n")).toMatchObject({ title: "Old", revision: 1, body: [1] });
    await addDocument(database, documentOfText("d", "some text"), "some text");
    await createRun(database, makeRun("r", "n"));
    expect(await listDocuments(database)).toHaveLength(1);
    expect(await listRuns(database, "n")).toHaveLength(1);
    database.close();
  });

  test("from version 4, whose vectors are all float32: they are read by blocks, joined by smaller ones, and deleted", async () => {
    const name = "float32";
    await olderDatabase(name, 4);
    await withoutVectorForms(name);
    const database = await openDatabase({ name });
    const before = makeMemory(upTo(9));
    const vectors = ({ key, residual }: EntryVectors) => bitsOf([key, residual]);
    const opened = (await openIndexedDbStore(database, "m").open())!;
    expect(opened.params.vectors).toBe("float32");
    expect((await withVectors(opened, opened.entries)).map(vectors)).toEqual(before.entries.map(vectors));
    const { entries, params } = makeCompact(upTo(12));
    const added = entries.slice(9).map((entry) => ({ ...entry, params: 0 }));
    await openIndexedDbStore(database, "m").append({ entries: added, earlier: [params] });
    const numbers = Buffer.from(before.entries[3]!.key.buffer);
    expect((await allBytes(database)).includes(numbers)).toBe(true);
    await openIndexedDbStore(database, "m").remove(removalOf(before, [3]));
    const left = (await openIndexedDbStore(database, "m").load())!.entries;
    expect(left.map(vectors)).toEqual([...before.entries.toSpliced(3, 1), ...added].map(vectors));
    expect((await allBytes(database)).includes(numbers)).toBe(false);
    database.close();
  });

  test("version 1 has neither documents nor runs: the step makes them", async () => {
    await olderDatabase("one", 1);
    const old = await openDB("one");
    expect([...old.objectStoreNames]).not.toContain("documents");
    old.close();
    const database = await openDatabase({ name: "one" });
    await database.read(TABLES, async ({ objectStoreNames }) => {
      expect([...objectStoreNames].sort()).toEqual([...TABLES].sort());
    });
    database.close();
  });

  test("a step that changes what is stored sees all of it, and steps run in turn", async () => {
    await olderDatabase("changing", 1);
    const rename: Upgrade = async (_, transaction) => {
      const notebooks = transaction.objectStore("notebooks");
      for (const head of await notebooks.getAll()) await notebooks.put({ ...head, title: `${head.title}er` });
    };
    const database = await openDatabase({ name: "changing", steps: [...STEPS, rename, rename] });
    expect(await loadNotebook(database, "n")).toMatchObject({ title: "Olderer", body: [1] });
    database.close();
  });

  test("a step that fails leaves the database as it was, in its version", async () => {
    await olderDatabase("failing", 1);
    const half: Upgrade = async (_, transaction) => {
      await transaction.objectStore("notebooks").clear();
      throw new Error("no such field");
    };
    await expect(openDatabase({ name: "failing", steps: [...STEPS, half] })).rejects.toThrow(
      `store: failing could not be upgraded to format ${STEPS.length + 1} (no such field). It is as it was`,
    );
    const old = await openDB("failing");
    expect([old.version, [...old.objectStoreNames].includes("documents")]).toEqual([1, false]);
    expect(await old.count("notebooks")).toBe(1);
    old.close();
  });

  test("a newer database is neither read nor written", async () => {
    const newer = await openDB("newer", SCHEMA_VERSION + 1, {
      upgrade: (database) => void database.createObjectStore("memories", { keyPath: "id" }),
    });
    await newer.put("memories", { id: "m", what: "only the newer app knows" });
    newer.close();
    const error = await openDatabase({ name: "newer" }).catch((e: unknown) => e as Error);
    expect(error).toBeInstanceOf(StoreVersion);
    expect((error as Error).message).toBe(
      `store: newer was written by a newer Palimpsest, in format ${SCHEMA_VERSION + 1}; this version reads formats up to ${SCHEMA_VERSION}. Nothing was changed: close every tab of Palimpsest and open it again to get the newer one.`,
    );
    const again = await openDB("newer");
    expect([again.version, await again.count("memories")]).toEqual([SCHEMA_VERSION + 1, 1]);
    again.close();
  });
});

describe("other tabs", () => {
  test("an older one that does not let go is waited for, and told of", async () => {
    await olderDatabase("held", 1);
    const old = await openDB("held", 1);
    const events: DatabaseEvent[] = [];
    const opening = openDatabase({
      name: "held",
      onEvent: (event) => {
        events.push(event);
        old.close();
      },
    });
    (await opening).close();
    expect(events).toEqual([
      { kind: "waiting", message: expect.stringMatching(/Close the other tabs; this one then goes on/) },
    ]);
  });

  test("a newer one takes over: this one is closed and says so from then on", async () => {
    const events: DatabaseEvent[] = [];
    const database = await openDatabase({ name: "old", onEvent: (event) => events.push(event) });
    const store = openIndexedDbStore(database, "m");
    await store.save(makeMemory([1]));
    (await openDB("old", SCHEMA_VERSION + 1)).close();
    expect(events.map(({ kind }) => kind)).toEqual(["superseded"]);
    await expect(store.load()).rejects.toThrow(/taken over by a newer Palimpsest.*reload this tab/);
  });

  test("a connection that the browser ends says so from then on", async () => {
    const events: DatabaseEvent[] = [];
    const database = await openDatabase({ name: "ended", onEvent: (event) => events.push(event) });
    await database.read(["memories"], async ({ db }) => forceCloseDatabase(unwrap(db) as never));
    await expect.poll(() => events.map(({ kind }) => kind)).toEqual(["terminated"]);
    await expect(openIndexedDbStore(database, "m").load()).rejects.toThrow(
      /the browser closed ended.*Reload/,
    );
  });

  test("after close every call says so", async () => {
    const database = await freshDatabase();
    database.close();
    await expect(openIndexedDbStore(database, "m").load()).rejects.toThrow(/was closed; open it again/);
  });
});

describe("no more room", () => {
  const before = makeMemory(upTo(6));
  const after = makeMemory(upTo(9));

  test.each(["request", "commit"] as const)("at any row, by the %s: nothing stored is lost", async (how) => {
    const database = await freshDatabase();
    const store = openIndexedDbStore(database, "m");
    await store.save(before);
    let failures = 0;
    for (let n = 0; ; n++) {
      const error = await fullAt(n, how, () => store.save(after));
      if (!error) break;
      failures++;
      expect(error).toBeInstanceOf(StoreFull);
      expect((error as Error).message).toMatch(
        /the browser gives no more room.*Nothing was lost: what was stored before is unchanged\. Free some space/,
      );
      expect(bitsOf(await store.load())).toStrictEqual(bitsOf(before));
    }
    expect(failures).toBeGreaterThan(5);
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(after));
    database.close();
  });

  test("an append or a removal that does not fit changes nothing and can be done again", async () => {
    const database = await freshDatabase();
    const store = openIndexedDbStore(database, "m");
    await store.save(before);
    const bytes = await allBytes(database);
    const batch = { entries: after.entries.slice(6) };
    expect(await fullAt(2, "commit", () => store.append(batch))).toBeInstanceOf(StoreFull);
    const removal = { ids: new Set([before.entries[5]!.id]), routing: [], sources: [] };
    const failed = await fullAt(0, "request", () => store.remove({ ...removal, routing: renewed() }));
    expect(failed).toBeInstanceOf(StoreFull);
    expect((await allBytes(database)).equals(bytes)).toBe(true);
    await store.append(batch);
    expect((await store.load())!.entries).toHaveLength(9);
    database.close();

    function renewed() {
      const holding = before.routing.find(({ facts }) => facts.some(({ id }) => removal.ids.has(id)))!;
      return [{ ...holding, facts: holding.facts.filter(({ id }) => !removal.ids.has(id)) }];
    }
  });

  test("the numbers of the browser are told where it has some", async () => {
    const database = await freshDatabase();
    const store = openIndexedDbStore(database, "m");
    const storage = {
      estimate: async () => ({ usage: 9_500_000, quota: 10e6 }),
      persisted: async () => false,
    };
    vi.stubGlobal("navigator", { storage });
    try {
      const error = await fullAt(0, "request", () => store.save(before));
      expect(error).toMatchObject({ name: "StoreFull", usage: 9_500_000, quota: 10e6 });
      expect((error as Error).message).toContain("(9.5 MB of 10.0 MB are used)");
    } finally {
      vi.unstubAllGlobals();
    }
    database.close();
  });

  test("another failure of the browser is told as one, with nothing changed", async () => {
    const database = await freshDatabase();
    const failing = database.write(["bodies"], async (transaction) => {
      await transaction.objectStore("bodies").put({ id: "n", body: 1 });
      await transaction.objectStore("bodies").put({ id: "n", body: () => 1 });
    });
    await expect(failing).rejects.toThrow(
      /the browser could not do it \(DataCloneError.*Nothing was changed/,
    );
    expect(await loadNotebook(database, "n")).toBeNull();
    expect((await allBytes(database)).toString()).toBe("[]");
    database.close();
  });
});

test("wipe leaves nothing", async () => {
  const database = await freshDatabase();
  await openIndexedDbStore(database, "m").save(makeMemory(upTo(9)));
  await saveNotebook(database, { id: "n", title: "", updated: "", cells: 0, revision: 0, body: null });
  await addDocument(database, documentOfText("d", "text"), "text");
  await createRun(database, makeRun("r", "n"));
  await wipe(database);
  expect((await allBytes(database)).toString()).toBe("[]");
  database.close();
});
