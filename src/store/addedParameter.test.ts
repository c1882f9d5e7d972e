/** @file A parameter is added by its row alone: it is everywhere, and what version 0.1 saved opens as it was made. */

import "../records/testing/addedParameter.ts";
import "fake-indexeddb/auto";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { methodHelp, methodParams } from "../../tools/methodOptions.ts";
import { readNotebookFile } from "../notebook/file.ts";
import { staleReasons } from "../notebook/stale.ts";
import { ALL_HEADINGS, namesUnder, paramsText, problemsOf } from "../records/parameterText.ts";
import { PAPER, QUESTION_NAMES, savedParams, SHARP } from "../records/params.ts";
import { importMemory } from "./archive.ts";
import { openDatabase } from "./database.ts";
import { diskStore } from "./disk.ts";
import { readMemoryHead } from "./facts.ts";
import { openIndexedDbStore } from "./indexedDb.ts";
import { inMemoryStore } from "./inMemory.ts";
import {
  restoreDatabase,
  V01_FOLDER,
  V01_NOTEBOOK,
  v01Archive,
  v01Database,
  v01Notebook,
} from "./testing/v01.ts";

test("presets, forms, flags, check and report have it", () => {
  expect([PAPER, SHARP]).toMatchObject([{ patience: 3 }, { patience: 4 }]);
  // The forms draw these names.
  expect(ALL_HEADINGS.flatMap(namesUnder)).toContain("patience");
  expect(QUESTION_NAMES).toContain("patience");
  expect(methodHelp()).toContain("a whole number from 0 to 9 (4; paper 3)");
  expect(methodParams({ set: ["patience=7"] }, {}, SHARP)).toEqual({ ...SHARP, patience: 7 });
  expect(() => methodParams({ set: ["patience=10"] }, {}, SHARP)).toThrow("a whole number from 0 to 9");
  expect(problemsOf(Object.assign({}, SHARP, { patience: 10 }))).toEqual([
    "Patience must be a whole number from 0 to 9.",
  ]);
  expect(() => savedParams({ ...SHARP, patience: "long" }, "file: params")).toThrow(
    "params.patience must be a number",
  );
  expect(paramsText(SHARP)).toContain("ψ = 4");
});

test("a notebook of version 0.1 opens with what that version did, and nothing in it is stale for it", () => {
  const notebook = readNotebookFile(v01Notebook());
  const memorize = notebook.cells.find((cell) => cell.kind === "memorize")!;
  expect(memorize.input.params).toMatchObject({ patience: 1 });
  expect(staleReasons(notebook, memorize)).not.toContain("the parameters changed");
  const ask = notebook.cells.find((cell) => cell.kind === "ask")!;
  expect(ask.output!.history[0]!.answer.settings).toMatchObject({ patience: 1 });
});

test("so do its archive, folder and database", async () => {
  const store = inMemoryStore();
  await importMemory(store, v01Archive(), { name: "memory.zip", mode: "replace" });
  expect((await store.load())!.params).toMatchObject({ patience: 1 });

  const folder = await mkdtemp(path.join(tmpdir(), "palimpsest-added-"));
  await cp(V01_FOLDER, folder, { recursive: true });
  expect((await diskStore(folder).load())!.params).toMatchObject({ patience: 1 });
  await rm(folder, { recursive: true });

  const dump = v01Database();
  await restoreDatabase(dump);
  const database = await openDatabase({ name: dump.name });
  expect((await openIndexedDbStore(database, V01_NOTEBOOK).load())!.params).toMatchObject({ patience: 1 });
  expect((await readMemoryHead(database, V01_NOTEBOOK))!.params).toMatchObject({ patience: 1 });
  database.close();
});
