/** @file What is saved opens again: outputs that cannot be read do not stand in its way, and what cannot be opened can be exported. */

import { MOST_CELLS } from "../records/notebook.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readNotebook } from "../notebook/file.ts";
import { packed } from "../store/testing/archives.ts";
import { makeMemory, upTo } from "../store/testing/memory.ts";
import { createHarness, recorded, type Harness } from "./testing/harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = createHarness();
  await harness.app.actions.start();
});
afterEach(() => {
  harness.close();
});

const current = () => harness.state().open[harness.state().currentId!]!;
const odd = () => {
  const output = recorded("ask");
  return { ...output, stamp: { ...output.stamp, milliseconds: Infinity } };
};

it("an output that could not be read again is not saved, which is said, and its cell stays", async () => {
  const { id } = current().notebook;
  const ask = current().notebook.cells.find(({ kind }) => kind === "ask")!;
  harness.app.actions.setOutput(ask.id, "ask", odd);
  await harness.until(({ open }) => open[id]!.save.status === "saved" && open[id]!.revision > 0);
  const saved = (await harness.app.library().loadNotebook({ id }))!.body;
  expect(readNotebook(saved)).toEqual(current().notebook);
  expect(current().notebook.cells.find((cell) => cell.id === ask.id)).toEqual({ ...ask, output: null });
  expect(harness.state().notice).toMatch(/left out: cells.*milliseconds is null/);
});

it("a notebook that an older version saved so opens without that output, and is exported as it is", async () => {
  const { notebook } = current();
  const cells = notebook.cells.map((cell) => (cell.kind === "ask" ? { ...cell, output: odd() } : cell));
  const body = { ...notebook, id: "odd", cells };
  const saved = { id: "odd", title: "Odd", updated: "2026", cells: cells.length, revision: 0 };
  await harness.app.library().saveNotebook({ ...saved, body });
  await harness.app.actions.openNotebook("odd");
  expect(current().notebook.cells.map(({ id, output }) => [id, output !== null])).toEqual(
    cells.map(({ id, kind, output }) => [id, kind !== "ask" && output !== null]),
  );
  await harness.app.library().saveNotebook({ ...saved, id: "newer", body: { ...notebook, version: 99 } });
  await expect(harness.app.actions.openNotebook("newer")).rejects.toThrow(/newer Palimpsest/);
  expect(JSON.parse(await harness.app.actions.exportSaved("newer"))).toEqual({ ...notebook, version: 99 });
});

it("the cell after the last that a notebook may have is not added, which is said", () => {
  const { actions } = harness.app;
  while (current().notebook.cells.length < MOST_CELLS) expect(actions.addCell("note")).not.toBeNull();
  expect(actions.addCell("note")).toBeNull();
  expect(current().notebook.cells).toHaveLength(MOST_CELLS);
  expect(harness.state().notice).toMatch(/at most 500 cells/);
});

const fileOf = (name: string, ...parts: BlobPart[]) => new File(parts, name);
const memory = async () => fileOf("memory.zip", await packed(makeMemory(upTo(7), 5)));

it("a notebook and its memory go out as one file and come in again, and a broken file changes nothing", async () => {
  const { actions } = harness.app;
  // The example's own memory was never stored here: a memory alone opens in a new notebook.
  expect(await actions.openFile(await memory())).toMatch(/^\d facts imported from memory.zip.$/);
  actions.setTitle("Both");
  const before = current().notebook;
  const whole = await actions.exportWhole();
  const said = await actions.openFile(fileOf("both.palimpsest", whole));
  expect(said).toMatch(/^“Both \(2\)” was opened with its memory of \d facts.$/);
  expect(current().notebook.id).not.toBe(before.id);
  expect(current().notebook.cells.map(({ kind }) => kind)).toEqual(before.cells.map(({ kind }) => kind));
  const factsIn = (id: string) => harness.app.library().facts({ memory: id });
  const facts = await factsIn(before.id);
  expect(facts.length).toBeGreaterThan(0);
  expect(await factsIn(current().notebook.id)).toEqual(facts);

  const open = Object.keys(harness.state().open);
  const damaged = fileOf("half.palimpsest", whole.slice(0, whole.size >> 1));
  await expect(actions.openFile(damaged)).rejects.toThrow(/"half.palimpsest" .*truncated/);
  const text = fileOf("own.txt", "Mary moved to the garden.");
  await expect(actions.openFile(text)).rejects.toThrow(/own.txt is not JSON, .* To memorise a text,/);
  expect(Object.keys(harness.state().open)).toEqual(open);
});

it("a notebook that comes without its memory asks for it, and takes its file", async () => {
  const { actions } = harness.app;
  expect(harness.state().memory.missing).toBe(false);
  expect(await actions.openFile(fileOf("n.palimpsest.json", actions.exportNotebook()))).toBeNull();
  await harness.until((state) => state.memory.missing);
  expect(await actions.takeMemory(await memory())).toMatch(/memory.zip. They are of other texts/);
  expect(harness.state().memory.missing).toBe(false);
  expect(harness.state().memory.info?.facts).toBeGreaterThan(0);
});
