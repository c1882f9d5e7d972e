import "fake-indexeddb/auto";
import { forceCloseDatabase } from "fake-indexeddb";
import { openDB, unwrap, type IDBPDatabase } from "idb";
import { describe, expect, test, vi } from "vitest";
import { openDatabase, wipe, type DatabaseEvent } from "./database.ts";
import { addDocument } from "./documents.ts";
import { openIndexedDbStore } from "./indexedDb.ts";
import { loadNotebook, saveNotebook } from "./notebooks.ts";
import { StoreFull, StoreVersion } from "./port.ts";
import { putRun } from "./runs.ts";
import { SCHEMA_VERSION, TABLES, type Schema } from "./schema.ts";
import { allBytes, freshDatabase, fullAt } from "./testing/database.ts";
import { bitsOf, makeMemory, upTo } from "./testing/memory.ts";
import { documentOfText, makeRun } from "./testing/records.ts";

describe("a database of another version", () => {
  test("a new one gets every table", async () => {
    const database = await freshDatabase();
    await database.read(TABLES, async ({ objectStoreNames }) => {
      expect([...objectStoreNames].sort()).toEqual([...TABLES].sort());
    });
    database.close();
  });

  test("an upgrade that fails leaves the database as it was, in its version", async () => {
    const database = await openDatabase({ name: "failing" });
    await saveNotebook(database, { id: "n", title: "", updated: "", cells: 0, revision: 0, body: [1] });
    database.close();
    const half = (upgraded: IDBPDatabase<Schema>): void => {
      upgraded.deleteObjectStore("notebooks");
      throw new Error("no such field");
    };
    await expect(openDatabase({ name: "failing", version: 2, upgrade: half })).rejects.toThrow(
      "store: failing could not be upgraded to format 2 (no such field). It is as it was",
    );
    const old = await openDB("failing");
    expect(old.version).toBe(1);
    expect(await old.count("notebooks")).toBe(1);
    old.close();
  });

  test("one of a test version that lacks tables is neither read nor written", async () => {
    const early = await openDB("early", SCHEMA_VERSION, {
      upgrade: (database) => void database.createObjectStore("memories", { keyPath: "id" }),
    });
    await early.put("memories", { id: "m", what: "only the early version knows" });
    early.close();
    const error = await openDatabase({ name: "early" }).catch((e: unknown) => e as Error);
    expect(error).toBeInstanceOf(StoreVersion);
    expect((error as Error).message).toMatch(/the database early has an early test version.*export what you/);
    const again = await openDB("early");
    expect(await again.count("memories")).toBe(1);
    again.close();
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
      `store: the database newer has format ${SCHEMA_VERSION + 1}; this version of Palimpsest reads format ${SCHEMA_VERSION}. Nothing was changed. Close every tab of Palimpsest and open the page again: a newer version may have written it. If it is from before version 1.0, export what you need with that version, then clear the data of this page in the browser's settings.`,
    );
    const again = await openDB("newer");
    expect([again.version, await again.count("memories")]).toEqual([SCHEMA_VERSION + 1, 1]);
    again.close();
  });
});

describe("other tabs", () => {
  test("an older one that does not let go is waited for, and told of", async () => {
    (await openDatabase({ name: "held" })).close();
    const old = await openDB("held", 1);
    const events: DatabaseEvent[] = [];
    const opening = openDatabase({
      name: "held",
      version: 2,
      upgrade: () => undefined,
      onEvent: (event) => {
        events.push(event);
        old.close();
      },
    });
    (await opening).close();
    expect(events).toEqual([
      { kind: "waiting", message: expect.stringMatching(/Close the other tabs; this one then continues/) },
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

  test("a connection that the browser ends is opened again, once for all calls, and nothing is lost", async () => {
    const events: DatabaseEvent[] = [];
    const database = await openDatabase({ name: "ended", onEvent: (event) => events.push(event) });
    const store = openIndexedDbStore(database, "m");
    await store.save(makeMemory([1, 2]));
    await database.read(["memories"], async ({ db }) => forceCloseDatabase(unwrap(db) as never));
    await expect.poll(() => events.map(({ kind }) => kind)).toEqual(["terminated"]);
    const opened = vi.spyOn(indexedDB, "open");
    const [one, other] = await Promise.all([store.load(), store.revision()]);
    expect(opened).toHaveBeenCalledTimes(1);
    opened.mockRestore();
    expect(bitsOf(one)).toEqual(bitsOf(makeMemory([1, 2])));
    expect(other).not.toBeNull();
    await store.append({ entries: makeMemory([3]).entries });
    expect((await store.load())!.entries).toHaveLength(3);
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
      expect(error).toMatchObject({ name: "StoreFull" });
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
  await putRun(database, makeRun("r", "n"));
  await wipe(database);
  expect((await allBytes(database)).toString()).toBe("[]");
  database.close();
});
