/** @file The text embedder of a memorise cell: opened before what embeds, once, and put back by what a memory remembers. */

import { afterEach, beforeEach, expect, it } from "vitest";
import { readNotebookFile, writeNotebookFile } from "../../notebook/file.ts";
import { staleReasons } from "../../notebook/kinds.ts";
import type { EmbedderChoice } from "../../records/embedder.ts";
import { layerIndex } from "../../records/ids.ts";
import type { MemoryHead } from "../../records/memory.ts";
import type { CellOfKind } from "../../records/notebook.ts";
import type { ChooseEmbedder } from "../../service/types.ts";
import { createHarness, type Harness } from "../testing/harness.ts";

const HUB: EmbedderChoice = {
  from: { kind: "hub", repo: "someone/tiny", revision: "main" },
  dtype: "q8",
  device: "wasm",
};
const FILES: EmbedderChoice = { ...HUB, from: { kind: "files", name: "mine" }, dtype: "fp32" };
const READY = { name: "transformers.js someone/tiny (mean, q8)", denseFloor: 0.5 };

let harness: Harness;
let asked: ChooseEmbedder[];
beforeEach(async () => {
  harness = createHarness();
  asked = [];
  harness.engine.chooseEmbedder = async (argument) => {
    asked.push(argument);
    return READY;
  };
  harness.engine.embedder = async () => READY;
  await harness.app.actions.start();
});
afterEach(() => {
  harness.close();
});

const notebook = () => harness.state().open[harness.state().currentId!]!.notebook;
const cellOf = <K extends "memorize" | "ask">(kind: K): CellOfKind<K> =>
  notebook().cells.find((cell): cell is CellOfKind<K> => cell.kind === kind)!;

it("is chosen in the engine before a run, once, and the model's own again when it is taken out", async () => {
  const { actions } = harness.app;
  const { id } = cellOf("memorize");
  await actions.runCell(id);
  expect(asked).toEqual([]);
  actions.setEmbedder(id, HUB);
  expect(staleReasons(notebook(), cellOf("memorize"))).toContain("another text embedder is set");
  expect(await actions.runCell(id)).toBe(true);
  expect(await actions.runCell(cellOf("ask").id)).toBe(true);
  expect(asked).toEqual([{ choice: HUB }]);
  expect(harness.state().device.embedder).toEqual(READY);
  const saved = readNotebookFile(writeNotebookFile(notebook())).cells.find((cell) => cell.id === id);
  expect(saved!.input).toEqual(cellOf("memorize").input);
  actions.setEmbedder(id, null);
  expect(cellOf("memorize").input).not.toHaveProperty("embedder");
  await actions.runCell(cellOf("ask").id);
  expect(asked).toEqual([{ choice: HUB }, { choice: null }]);
});

it("keeps the layers of a probe, and is kept by them", async () => {
  const { actions } = harness.app;
  const { id } = cellOf("memorize");
  actions.setInput(id, "memorize", (input) => ({ ...input, layers: [layerIndex(2)] }));
  actions.setEmbedder(id, HUB);
  expect(cellOf("memorize").input).toMatchObject({ layers: [2], embedder: HUB });
});

it("of files asks for them where they are not there, and fails the run that needs them", async () => {
  const { actions } = harness.app;
  const { id } = cellOf("memorize");
  actions.setEmbedder(id, FILES);
  expect(await actions.openEmbedder(id)).toBe(false);
  expect(harness.state().runs[id]!.problem!.message).toMatch(
    /^The files of the text embedder "mine" .* under "Text embedder"/,
  );
  const files = new Map([["config.json", new Blob(["{}"])]]);
  actions.setEmbedder(id, FILES, files);
  expect(await actions.openEmbedder(id)).toBe(true);
  expect([...asked[0]!.files!.keys()]).toEqual(["config.json"]);
});

it("of a memory is set by one press, as far as its name says it", async () => {
  const { actions, store } = harness.app;
  const indexedBy = (embedder: string): void =>
    store.setState(({ memory }) => ({ memory: { ...memory, info: { embedder } as MemoryHead } }));
  const ask = cellOf("ask").id;
  // What the start of the app still reads of the memory comes before this, and not over what is set here.
  await actions.refreshMemory();
  indexedBy(READY.name);
  expect(await actions.takeMemorysEmbedder(ask)).toBe(true);
  expect(cellOf("memorize").input.embedder).toEqual(HUB);
  indexedBy("something of another program");
  expect(await actions.takeMemorysEmbedder(ask)).toBe(false);
  expect(harness.state().notice).toContain("is not a text embedder that this page can open");
  indexedBy("mean-pooled hidden states");
  expect(await actions.takeMemorysEmbedder(ask)).toBe(true);
  expect(cellOf("memorize").input.embedder).toBeUndefined();
});
