/** @file Facts encoded once more: the change is kept in the store cell, whoever asked for it, and the model is opened. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readNotebookFile, writeNotebookFile } from "../../notebook/file.ts";
import { layerIndex } from "../../records/ids.ts";
import type { AskCell, FactRow, StoreCell } from "../../records/notebook.ts";
import { createHarness, RECORDED, recorded, type Harness } from "../testing/harness.ts";

let harness: Harness;
beforeEach(() => {
  harness = createHarness();
});
afterEach(() => {
  harness.close();
});

const recall = recorded("ask").history[0]!.answer.recalled[0]!;
const [row, other] = RECORDED.facts as readonly [FactRow, FactRow];
const notebook = () => harness.state().open[harness.state().currentId!]!.notebook;
const cellOf = (kind: "store" | "memorize" | "ask") => notebook().cells.find((cell) => cell.kind === kind)!;
const output = () => (cellOf("store") as StoreCell).output;

/** The example with its rows read, and an engine that gives back what it was asked for. */
async function start(): Promise<void> {
  harness.engine.reencode = ({ id, layer = row.layer }) => Promise.resolve({ ...row, id, layer, steps: 5 });
  await harness.app.actions.start();
  await harness.app.actions.loadFacts();
}

describe("a fact encoded once more", () => {
  it("is kept with what it was and what it is, newest first, and survives the notebook's file", async () => {
    await start();
    const { actions } = harness.app;
    expect(await actions.reencode(cellOf("store").id, { id: row.id, value: "Another." })).toBe(true);
    expect(await actions.reencode(cellOf("memorize").id, { id: row.id, layer: layerIndex(3) })).toBe(true);
    expect(harness.calls.filter((name) => name === "open")).toHaveLength(1);
    const { layer } = row;
    const value = RECORDED.said[row.id]!;
    const key = `${row.anchor} (${row.index})`;
    expect(output()!.reencodings).toMatchObject([
      { id: row.id, key, before: { value, layer }, after: { value, layer: 3, steps: 5 } },
      { id: row.id, key, before: { value, layer }, after: { value: "Another.", layer } },
    ]);
    expect(output()!.certificates).toEqual([]);
    expect(readNotebookFile(writeNotebookFile(notebook()))).toEqual(notebook());
  });

  it("marks its fact as changed in answers and their copies if it got another value, and in their file", async () => {
    await start();
    const { actions } = harness.app;
    const ask = () => cellOf("ask") as AskCell;
    const takeCopy = actions.copyCell(ask());
    const changed = (cell: AskCell) =>
      cell.output!.history.flatMap(({ answer }) => answer.recalled.filter((fact) => fact.changed));
    await actions.reencode(cellOf("store").id, { id: recall.id });
    expect(changed(ask())).toEqual([]);
    await actions.reencode(cellOf("store").id, { id: recall.id, value: "Another." });
    const marked = changed(ask());
    expect(new Set(marked.map(({ id }) => id))).toEqual(new Set([recall.id]));
    expect(changed(takeCopy()!)).toEqual(marked);
    expect(readNotebookFile(writeNotebookFile(notebook()))).toEqual(notebook());
  });

  it("marks its fact as changed in the answers of a removed cell", async () => {
    await start();
    const { actions } = harness.app;
    actions.removeCell(cellOf("ask").id);
    await actions.reencode(cellOf("store").id, { id: recall.id, value: "Another." });
    actions.undo();
    const { history } = (cellOf("ask") as AskCell).output!;
    const facts = history.flatMap(({ answer }) => answer.recalled.filter(({ id }) => id === recall.id));
    expect(facts.length).toBeGreaterThan(0);
    expect(facts.every(({ changed }) => changed)).toBe(true);
  });

  it("is kept without what the model recalled of an inexact fact", async () => {
    const { id } = row;
    const facts = RECORDED.facts.map((fact) => (fact.id === id ? { ...fact, exact: false } : fact));
    harness.libraryChanges.facts = async () => facts;
    harness.engine.recall = async ({ ids }) =>
      ids.map((one) => ({ ...recall, id: one, text: "Misremembered." }));
    await start();
    await harness.app.actions.ensureModel(cellOf("ask").id);
    harness.app.actions.sayFact(id);
    await harness.until(({ memory }) => memory.said.get(id) === "Misremembered.");
    await harness.app.actions.reencode(cellOf("store").id, { id, value: "Another." });
    expect(output()!.reencodings).toMatchObject([{ before: { value: null }, after: { value: "Another." } }]);
  });

  it("stays beside a certificate that comes after it", async () => {
    harness.engine.forget = () =>
      Promise.resolve({
        certificate: { keys: ["Mary (1)"], before: [], after: [], compared: 5, retained: 5, changed: 0 },
        renamed: new Map(),
      });
    await start();
    await harness.app.actions.reencode(cellOf("store").id, { id: row.id });
    harness.app.actions.deleteFacts(cellOf("store").id, [other.id]);
    await harness.until(() => output()?.certificates.length === 1);
    expect(output()!.reencodings).toHaveLength(1);
  });

  it("goes with its fact: no cell says what a deleted one was", async () => {
    harness.engine.forget = () =>
      Promise.resolve({
        certificate: { keys: [row.anchor], before: [], after: [], compared: 5, retained: 5, changed: 0 },
        renamed: new Map(),
      });
    await start();
    for (const { id } of [row, other, row])
      expect(await harness.app.actions.reencode(cellOf("store").id, { id })).toBe(true);
    // Another store cell of the notebook, with the same kept.
    harness.app.actions.duplicateCell(cellOf("store").id);
    const copy = notebook().cells.filter(({ kind }) => kind === "store")[1]!.id;
    const last = harness.app.actions.addCell("store")!;
    harness.app.actions.removeCell(copy);
    harness.app.actions.deleteFacts(last, [row.id]);
    const kept = () =>
      notebook().cells.flatMap((cell) =>
        cell.kind === "store" ? [cell.output?.reencodings?.map(({ id }) => id)] : [],
      );
    await harness.until(() => kept().at(-2)?.length === 1);
    // Undo brings the removed cell back without it, too.
    harness.app.actions.undo();
    expect(kept()).toEqual([[other.id], [other.id], undefined]);
    // Of memories that were cleared or replaced nothing stays either, once the table is read again.
    await harness.app.actions.runCell(cellOf("store").id);
    expect(kept()).toEqual([[], [], undefined]);
  });

  it("leaves nothing behind where the engine refuses", async () => {
    await start();
    // The engine's methods were taken when it was connected: a new connection has the new one.
    harness.engine.reencode = () => Promise.reject(new Error("flow: the new value is blank"));
    await harness.app.actions.restartWorker("engine");
    const { id } = cellOf("store");
    expect(await harness.app.actions.reencode(id, { id: row.id, value: " " })).toBe(false);
    expect(harness.state().runs[id]!.problem!.message).toBe("The new value is blank");
    expect(output()).toBeNull();
  });
});

describe("the model of a cell", () => {
  it("is opened once, and again when the cell asks for another", async () => {
    await start();
    const { actions } = harness.app;
    const opened = () => harness.calls.filter((name) => name === "open").length;
    expect(await actions.ensureModel(cellOf("ask").id)).toBe(true);
    expect(await actions.ensureModel(cellOf("store").id)).toBe(true);
    expect(opened()).toBe(1);
    const model = notebook().cells.find((cell) => cell.kind === "model")!;
    actions.setInput(model.id, "model", (input) => ({ ...input, backend: "wasm" }));
    expect(await actions.ensureModel(cellOf("store").id)).toBe(true);
    expect(opened()).toBe(2);
    expect(harness.state().runs).toEqual({});
  });

  it("that cannot be opened is told where it was asked for", async () => {
    harness.engine.open = () => Promise.reject(new Error("engine: no room"));
    await start();
    expect(await harness.app.actions.ensureModel(cellOf("ask").id)).toBe(false);
    expect(harness.state().runs[cellOf("ask").id]!.problem!.message).toBe("No room");
  });
});
