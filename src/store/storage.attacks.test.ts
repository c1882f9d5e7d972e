/** @file The browser's storage under attack: no more room in the middle of every kind of write, databases that go, two writers. */

import "fake-indexeddb/auto";
import { deleteDB, openDB } from "idb";
import { expect } from "vitest";
import { attacks, refused, type Stakes } from "../lib/testing/attacks.ts";
import type { StageRates } from "../records/cost.ts";
import { charOffset, documentId } from "../records/ids.ts";
import { importMemory } from "./archive.ts";
import { writeRates } from "./costs.ts";
import { databaseOnDemand, openDatabase, wipe, type Database, type DatabaseEvent } from "./database.ts";
import { addDocument, forgetText, readText } from "./documents.ts";
import { openIndexedDbStore } from "./indexedDb.ts";
import { loadNotebook, removeNotebook, saveNotebook } from "./notebooks.ts";
import { StoreFull } from "./port.ts";
import { appendCases, putRun, removeRun } from "./runs.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { packed } from "./testing/archives.ts";
import { allBytes, freshDatabase, fullAt } from "./testing/database.ts";
import { bitsOf, makeMemory, removalOf, upTo } from "./testing/memory.ts";
import { documentOfText, makeRun } from "./testing/records.ts";

const FACTS = 9;
const MEMORY = makeMemory(upTo(FACTS));
const NOTEBOOK = { id: "n", title: "Kept", updated: "2026-01-01", cells: 1, revision: 0, body: ["kept"] };
const TEXT = "Mary lives in Lisbon. ".repeat(60_000);

/** A database with one of everything. */
async function filled(): Promise<Database> {
  const database = await freshDatabase();
  await openIndexedDbStore(database, "n").save(MEMORY);
  await saveNotebook(database, NOTEBOOK);
  await addDocument(database, documentOfText("d", "some text"), "some text");
  await putRun(database, makeRun("r", "n"));
  return database;
}

/** The room runs out at each row that `write` writes, by the request and by the commit: all stays as it was. */
async function fullEverywhere(write: (database: Database) => Promise<unknown>): Promise<Stakes> {
  let tries = 0;
  for (const how of ["request", "commit"] as const) {
    const database = await filled();
    const before = await allBytes(database);
    for (let n = 0; ; n++) {
      const error = await fullAt(n, how, () => write(database));
      if (error === undefined) break;
      tries++;
      expect(error, `row ${n}`).toBeInstanceOf(StoreFull);
      expect((error as Error).message).toMatch(/Nothing was lost/);
      expect((await allBytes(database)).equals(before), "what was stored").toBe(true);
    }
    database.close();
  }
  expect(tries, "writes that did not fit").toBeGreaterThan(1);
  return { facts: FACTS * tries, lost: 0 };
}

const RATES: StageRates = { encode: { seconds: 1, units: 2 } };

attacks("storage", {
  "no room while a memory is saved": () =>
    fullEverywhere((database) => openIndexedDbStore(database, "n").save(makeMemory(upTo(12)))),
  "no room while facts are added": () =>
    fullEverywhere((database) =>
      openIndexedDbStore(database, "n").append({ entries: makeMemory(upTo(12)).entries.slice(FACTS) }),
    ),
  "no room while facts are deleted": () =>
    fullEverywhere((database) => openIndexedDbStore(database, "n").remove(removalOf(MEMORY, [2]))),
  "no room while an archive is imported": async () => {
    const archive = await packed(makeMemory(upTo(12)));
    return fullEverywhere((database) =>
      importMemory(openIndexedDbStore(database, "n"), archive, { name: "m.zip", mode: "merge" }),
    );
  },
  "no room while a text is kept": () =>
    fullEverywhere((database) => addDocument(database, documentOfText("long", TEXT), TEXT)),
  "no room while a notebook is saved": () =>
    fullEverywhere((database) => saveNotebook(database, { ...NOTEBOOK, revision: 1, body: ["new"] })),
  "no room while a run is made": () => fullEverywhere((database) => putRun(database, makeRun("r2", "n"))),
  "no room while a case of a run is kept": () =>
    fullEverywhere((database) => appendCases(database, "r", new Map([["c", { measured: 1 }]]))),
  "no room while rates are kept": () => fullEverywhere((database) => writeRates(database, "k", RATES)),
  "a disk that is full lets things go all the same": async () => {
    const database = await filled();
    for (const free of [
      () => forgetText(database, documentOfText("d", "some text").id),
      () => removeRun(database, "r"),
      () => removeNotebook(database, "other"),
    ])
      expect(await fullAt(0, "request", free)).toBeUndefined();
    expect(bitsOf(await openIndexedDbStore(database, "n").load())).toStrictEqual(bitsOf(MEMORY));
    database.close();
    return { facts: FACTS, lost: 0 };
  },
  "the database deleted under an open page": {
    fault: "was told as a newer Palimpsest that took over, and to reload, which loses what is on the page",
    attack: async () => {
      const events: DatabaseEvent[] = [];
      const database = await openDatabase({ name: "gone", onEvent: (event) => events.push(event) });
      const store = openIndexedDbStore(database, "m");
      await store.save(MEMORY);
      await deleteDB("gone");
      expect(events.map(({ kind }) => kind)).toEqual(["deleted"]);
      await refused(store.load(), /was deleted.*export the notebook to a file before you reload/);
    },
  },
  "the database deleted, and a notebook saved again": {
    fault: "nothing could be saved any more before the page was loaded again, without what was not saved",
    attack: async () => {
      const database = databaseOnDemand({ name: "gone again" });
      await saveNotebook(await database(), NOTEBOOK);
      await deleteDB("gone again");
      await refused(saveNotebook(await database(), { ...NOTEBOOK, revision: 1 }), /was removed elsewhere/);
      await saveNotebook(await database(), { ...NOTEBOOK, id: "copy" });
      expect(await loadNotebook(await database(), "copy")).toMatchObject({ title: "Kept" });
    },
  },
  "the database upgraded under an open page": async () => {
    const database = await openDatabase({ name: "upgraded" });
    const store = openIndexedDbStore(database, "m");
    await store.save(MEMORY);
    const newer = await openDB("upgraded", SCHEMA_VERSION + 1);
    await refused(store.append({ entries: [] }), /newer Palimpsest.*The stored data is safe/);
    expect(await newer.count("memories")).toBe(1);
    newer.close();
    await refused(openDatabase({ name: "upgraded" }), /reads format 1/);
    return { facts: FACTS, lost: 0 };
  },
  "two writers of one memory": async () => {
    const database = await freshDatabase();
    const [first, second] = [openIndexedDbStore(database, "m"), openIndexedDbStore(database, "m")];
    await first.save(MEMORY);
    await second.load();
    await first.append({ entries: makeMemory(upTo(11)).entries.slice(FACTS) });
    await refused(second.save(makeMemory([])), /was changed in another tab/);
    await refused(second.remove(removalOf(MEMORY, [1])), /was changed in another tab/);
    expect((await first.load())!.entries).toHaveLength(11);
    database.close();
    return { facts: 11, lost: 0 };
  },
  "two writers of one notebook": async () => {
    const database = await freshDatabase();
    await saveNotebook(database, NOTEBOOK);
    await saveNotebook(database, { ...NOTEBOOK, revision: 1, body: ["theirs"] });
    await refused(saveNotebook(database, { ...NOTEBOOK, revision: 1, body: ["ours"] }), /saved elsewhere/);
    expect(await loadNotebook(database, "n")).toMatchObject({ body: ["theirs"] });
    database.close();
  },
  "a text read while it is forgotten": async () => {
    const database = await freshDatabase();
    const document = documentOfText("long", TEXT);
    await addDocument(database, document, TEXT);
    const [read] = await Promise.all([
      readText(database, document.id).catch((error: unknown) => (error as Error).message),
      forgetText(database, document.id),
    ]);
    expect(read === TEXT || /was forgotten/.test(read)).toBe(true);
    await refused(readText(database, document.id), /was forgotten/);
    database.close();
  },
  "all of it removed while a memory is written": async () => {
    const database = await filled();
    const store = openIndexedDbStore(database, "n");
    await store.load();
    await wipe(database);
    await refused(store.append({ entries: [] }), /was changed in another tab/);
    expect(await store.load()).toBeNull();
    database.close();
  },
  "a memory whose id is a path": async () => {
    const database = await filled();
    const store = openIndexedDbStore(database, "../n");
    expect(await store.load()).toBeNull();
    await store.save(makeMemory([1]));
    expect((await openIndexedDbStore(database, "n").load())!.entries).toHaveLength(FACTS);
    database.close();
    return { facts: FACTS, lost: 0 };
  },
  "offsets far outside a text": async () => {
    const database = await filled();
    const { id } = documentOfText("d", "some text");
    expect(await readText(database, id, charOffset(5), Number.MAX_SAFE_INTEGER)).toBe("text");
    expect(await readText(database, id, charOffset(1e15), 2e15)).toBe("");
    await refused(readText(database, documentId("f".repeat(64))), /no document/);
    database.close();
  },
});
