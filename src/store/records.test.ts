/** @file Notebooks, documents and runs. */

import "fake-indexeddb/auto";
import { describe, expect, test } from "vitest";
import {
  CHUNK_CHARACTERS,
  addDocument,
  forgetText,
  listDocuments,
  readDocument,
  readText,
} from "./documents.ts";
import { openIndexedDbStore } from "./indexedDb.ts";
import { StaleNotebook, listNotebooks, loadNotebook, removeNotebook, saveNotebook } from "./notebooks.ts";
import { appendCases, listRuns, loadRun, putRun, removeRun } from "./runs.ts";
import { storageState } from "./database.ts";
import { allBytes, freshDatabase } from "./testing/database.ts";
import { makeMemory } from "./testing/memory.ts";
import { documentOfText, makeRun } from "./testing/records.ts";

const notebook = {
  id: "n",
  title: "Ledgers",
  updated: "2026-01-02",
  cells: 3,
  revision: 0,
  body: { cells: [1] },
};

describe("notebooks", () => {
  test("are saved by revision: a tab that has not seen the last one is refused", async () => {
    const database = await freshDatabase();
    expect(await loadNotebook(database, "n")).toBeNull();
    expect(await saveNotebook(database, notebook)).toBe(1);
    expect(await saveNotebook(database, { ...notebook, revision: 1, body: "second" })).toBe(2);
    const stale = saveNotebook(database, { ...notebook, revision: 1, body: "stale" });
    await expect(stale).rejects.toBeInstanceOf(StaleNotebook);
    await expect(stale).rejects.toThrow(
      'notebook "Ledgers" was saved elsewhere since (revision 2, here 1). Nothing was written: reload this tab',
    );
    expect(await loadNotebook(database, "n")).toEqual({ ...notebook, revision: 2, body: "second" });
    await removeNotebook(database, "n");
    await expect(saveNotebook(database, { ...notebook, revision: 2 })).rejects.toThrow(
      /was removed elsewhere/,
    );
    expect(await saveNotebook(database, notebook)).toBe(1);
    database.close();
  });

  test("are listed newest first, without their cells", async () => {
    const database = await freshDatabase();
    await saveNotebook(database, notebook);
    await saveNotebook(database, { ...notebook, id: "later", updated: "2026-02-02" });
    const heads = await listNotebooks(database);
    expect(heads.map(({ id }) => id)).toEqual(["later", "n"]);
    expect(heads[1]).toEqual({ id: "n", title: "Ledgers", updated: "2026-01-02", cells: 3, revision: 1 });
    database.close();
  });

  test("go with their memory, runs and texts, and leave those of others", async () => {
    const database = await freshDatabase();
    const [mine, shared] = ["only here", "in both"].map((text) => documentOfText(text, text));
    for (const document of [mine!, shared!]) await addDocument(database, document, document.title);
    for (const id of ["n", "other"]) {
      await saveNotebook(database, { ...notebook, id });
      await openIndexedDbStore(database, id).save(makeMemory([1, 2]));
      await putRun(database, makeRun(`run of ${id}`, id));
      await appendCases(database, `run of ${id}`, new Map([["1", 1]]));
    }
    await removeNotebook(database, "n", [mine!.id]);
    expect((await listNotebooks(database)).map(({ id }) => id)).toEqual(["other"]);
    expect(await openIndexedDbStore(database, "n").load()).toBeNull();
    expect((await openIndexedDbStore(database, "other").load())!.entries).toHaveLength(2);
    expect(await listRuns(database, "n")).toEqual([]);
    expect(await listRuns(database, "other")).toMatchObject([{ id: "run of other", cases: 1 }]);
    expect((await listDocuments(database)).map(({ title }) => title)).toEqual(["in both"]);
    expect((await allBytes(database)).includes("only here")).toBe(false);
    database.close();
  });
});

describe("documents", () => {
  // Surrogate pairs across every border of a row, and a last row that is not full.
  const text = "\u{1f5dd}".repeat(CHUNK_CHARACTERS).slice(1, CHUNK_CHARACTERS * 2 + 2 - 10_001);
  const document = documentOfText("Long", text);

  test("any stretch of a text is read back exactly, from the rows it lies in", async () => {
    const database = await freshDatabase();
    await addDocument(database, document, text);
    const borders = [
      0,
      1,
      CHUNK_CHARACTERS - 1,
      CHUNK_CHARACTERS,
      CHUNK_CHARACTERS + 1,
      text.length - 1,
      text.length,
    ];
    for (const start of borders)
      for (const end of borders)
        expect(
          (await readText(database, document.id, start, end)) === text.slice(start, Math.max(start, end)),
        ).toBe(true);
    expect((await readText(database, document.id)) === text).toBe(true);
    expect(await readText(database, document.id, -5, 2)).toBe(text.slice(0, 2));
    await database.write(["texts"], async (transaction) => {
      await transaction.objectStore("texts").delete([document.id, 1]);
    });
    expect(await readText(database, document.id, 0, CHUNK_CHARACTERS)).toHaveLength(CHUNK_CHARACTERS);
    database.close();
  });

  test("a forgotten text is gone from every row; what is known of the document stays", async () => {
    const database = await freshDatabase();
    await addDocument(database, document, text);
    expect(await readDocument(database, document.id)).toEqual({ ...document, kept: true });
    await forgetText(database, document.id);
    expect((await allBytes(database)).includes("\u{1f5dd}")).toBe(false);
    expect(await listDocuments(database)).toEqual([{ ...document, kept: false }]);
    await expect(readText(database, document.id, 0, 1)).rejects.toThrow(/the text of "Long" was forgotten/);
    await addDocument(database, { ...document, added: "2027-01-01" }, text);
    expect(await readDocument(database, document.id)).toEqual({ ...document, kept: true });
    const unknown = documentOfText("Other", "other").id;
    await expect(readText(database, unknown, 0, 1)).rejects.toThrow(/no document "[0-9a-f]+" is stored/);
    database.close();
  });

  test("are listed as they were added; an empty one and one of another length", async () => {
    const database = await freshDatabase();
    await addDocument(database, documentOfText("b", "b", "2026-02-01"), "b");
    await addDocument(database, documentOfText("a", "", "2026-01-01"), "");
    expect((await listDocuments(database)).map(({ title, kept }) => [title, kept])).toEqual([
      ["a", true],
      ["b", true],
    ]);
    expect(await readText(database, documentOfText("a", "").id)).toBe("");
    await expect(addDocument(database, documentOfText("c", "c"), "cc")).rejects.toThrow(
      /the text of "c" has 2 characters, 1 expected/,
    );
    database.close();
  });
});

describe("runs", () => {
  test("grow case by case, and go on where they were", async () => {
    const database = await freshDatabase();
    const run = makeRun("r", "n");
    await putRun(database, run);
    await appendCases(database, "r", new Map([["16 facts", { exact: 0.5, loss: NaN }]]));
    await appendCases(database, "r", new Map([["32 facts", { exact: 0.4 }]]));
    await appendCases(database, "r", new Map([["16 facts", { exact: 0.6 }]]));
    await putRun(database, makeRun("rr", "other", "2027-01-01"));
    expect(await loadRun(database, "r")).toEqual({
      run,
      cases: new Map([
        ["16 facts", { exact: 0.6 }],
        ["32 facts", { exact: 0.4 }],
      ]),
    });
    expect(await listRuns(database, "other")).toMatchObject([{ id: "rr", cases: 0 }]);
    expect(await listRuns(database, "n")).toEqual([{ ...run, cases: 2 }]);
    await removeRun(database, "r");
    expect(await loadRun(database, "r")).toBeNull();
    await expect(appendCases(database, "r", new Map([["x", 1]]))).rejects.toThrow(/no run "r" is stored/);
    expect(await loadRun(database, "rr")).toMatchObject({ cases: new Map() });
    database.close();
  });
});

test("the state of storage is what the browser says, and unknown where it says nothing", async () => {
  const port = (persisted: boolean) => ({
    estimate: async () => ({ usage: 5, quota: 10 }),
    persisted: async () => persisted,
  });
  expect(await storageState(port(false))).toEqual({ usage: 5, quota: 10, persisted: false });
  expect(await storageState(port(true))).toEqual({ usage: 5, quota: 10, persisted: true });
  expect(await storageState(undefined)).toEqual({ usage: null, quota: null, persisted: false });
});
