/** @file What is saved opens again: outputs that cannot be read do not stand in its way, and what cannot be opened can be exported. */

import { MOST_CELLS } from "../records/notebook.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readNotebook } from "../notebook/file.ts";
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
