/** @file What Palimpsest 0.1 saved opens with every fact, and the model of that time says the same tokens of it. */

import "fake-indexeddb/auto";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { open, type Opened } from "../engine/testing/models.ts";
import { openReader } from "../memory/read.ts";
import { readNotebook, readNotebookFile, writeNotebookFile } from "../notebook/file.ts";
import type { Memory } from "../records/memory.ts";
import { nodeModelFiles } from "../weights/nodeFile.ts";
import { importMemory } from "./archive.ts";
import { openDatabase, type Database } from "./database.ts";
import { diskStore } from "./disk.ts";
import { readDocument, readText } from "./documents.ts";
import { readFacts } from "./facts.ts";
import { openIndexedDbStore } from "./indexedDb.ts";
import { inMemoryStore } from "./inMemory.ts";
import { loadNotebook } from "./notebooks.ts";
import { listRuns, loadRun } from "./runs.ts";
import { bitsOf } from "./testing/memory.ts";
import {
  restoreDatabase,
  V01_FOLDER,
  V01_MODEL,
  V01_NOTEBOOK,
  v01Archive,
  v01Database,
  v01Notebook,
  v01Recall,
  type Recalled,
} from "./testing/v01.ts";

const expected = v01Recall();

let opened: Opened;
let database: Database;
let folder: string;
beforeAll(async () => {
  opened = await open(await nodeModelFiles(V01_MODEL));
  const dump = v01Database();
  await restoreDatabase(dump);
  database = await openDatabase({ name: dump.name });
  // A store locks its folder, and removes what it does not count on.
  folder = await mkdtemp(path.join(tmpdir(), "palimpsest-v01-"));
  await cp(V01_FOLDER, folder, { recursive: true });
});
afterAll(async () => {
  database.close();
  await opened.engine.dispose();
  await opened.device.dispose();
  await rm(folder, { recursive: true });
});

async function fromArchive(): Promise<Memory | null> {
  const store = inMemoryStore();
  const result = await importMemory(store, v01Archive(), { name: "memory.zip", mode: "replace" });
  expect(result.added).toBe(expected.app.length);
  return store.load();
}

const FORMS: [form: string, load: () => Promise<Memory | null>, facts: readonly Recalled[]][] = [
  ["a folder", () => diskStore(folder).load(), expected.folder],
  ["an archive", fromArchive, expected.app],
  ["a database", () => openIndexedDbStore(database, V01_NOTEBOOK).load(), expected.app],
];

describe.each(FORMS)("%s of version 0.1", (_, load, facts) => {
  it("opens with every fact, and recall gives the same tokens", async () => {
    const memory = (await load())!;
    expect([memory.model.sha256, opened.engine.model.sha256]).toEqual([expected.model, expected.model]);
    const values = new Map(memory.routing.flatMap((one) => one.facts.map(({ id, value }) => [id, value])));
    expect(
      memory.entries.map(({ id, report }) => ({ id, value: values.get(id), exact: report.exact })),
    ).toEqual(facts.map(({ id, value, exact }) => ({ id, value, exact })));
    const reader = openReader(opened.engine, memory, memory.params);
    const recalled = await reader.recall(memory.entries);
    reader.dispose();
    expect(recalled.map(({ id, tokens, text }) => ({ id, tokens, text }))).toEqual(
      facts.map(({ id, tokens, text }) => ({ id, tokens, text })),
    );
  });

  it("goes through today's store of its kind bit for bit", async () => {
    const memory = (await load())!;
    for (const store of [diskStore(path.join(folder, "again")), openIndexedDbStore(database, "again")]) {
      await store.save(memory);
      expect(bitsOf(await store.load())).toStrictEqual(bitsOf(memory));
    }
  });
});

describe("a notebook of version 0.1", () => {
  it("opens with every cell and output, from a file and from the database", async () => {
    const notebook = readNotebookFile(v01Notebook());
    expect(notebook.cells.map(({ kind, output }) => [kind, output !== null])).toEqual([
      ["note", false],
      ["model", true],
      ["source", false],
      ["memorize", true],
      ["store", true],
      ["ask", true],
      ["probe", true],
      ["experiment", true],
    ]);
    const stored = (await loadNotebook(database, V01_NOTEBOOK))!;
    expect(readNotebook(stored.body)).toEqual(notebook);
    // All that was saved is kept, but for the steps of a layer's probe, which 0.1 wrote and never read.
    const saved = JSON.parse(v01Notebook()) as { readonly cells: readonly unknown[] };
    const cells = saved.cells.map(withoutProbeSteps);
    expect(JSON.parse(writeNotebookFile(notebook))).toMatchObject({ cells });
  });

  it("has its answers, certificate and changed fact", () => {
    const { cells } = readNotebookFile(v01Notebook());
    const ask = cells.find((cell) => cell.kind === "ask")!;
    expect(ask.output!.history.map(({ answer }) => answer.question)).toEqual([
      "What did Sandra sell?",
      "Where is Mary?",
    ]);
    const store = cells.find((cell) => cell.kind === "store")!;
    expect(store.output!.certificates[0]!.certificate.keys).toEqual(["Daniel (1)"]);
    expect(store.output!.reencodings![0]!.after.value).toBe("John found the tower.");
  });
});

describe("the rest of a database of version 0.1", () => {
  it("lists its facts, and keeps the text that was not forgotten", async () => {
    const rows = await readFacts(database, V01_NOTEBOOK);
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(expected.app.map(({ id }) => id)));
    const [document] = rows.filter(({ value }) => value!.startsWith("Mary visited"));
    expect(await readDocument(database, document!.documentId)).toMatchObject({ kept: true });
    const text = await readText(database, document!.documentId);
    expect(text.slice(document!.offset)).toMatch(/^Mary visited the garden\./);
  });

  it("has its experiment with every case", async () => {
    const [run] = await listRuns(database, V01_NOTEBOOK);
    expect(run).toMatchObject({ study: "capacity", cases: 4 });
    const { cases } = (await loadRun(database, run!.id))!;
    expect([...cases.keys()].sort()).toEqual([
      "capacity/memory/paper/4",
      "capacity/memory/paper/8",
      "capacity/memory/sharp/4",
      "capacity/memory/sharp/8",
    ]);
  });
});

const withoutProbeSteps = (cell: unknown): unknown =>
  JSON.parse(JSON.stringify(cell), (_, value: unknown) => {
    if (typeof value !== "object" || value === null || !("exactRate" in value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== "steps"));
  }) as unknown;
