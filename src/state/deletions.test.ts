/** @file Deletions: taken back, made at once, stopped, and certified. */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Cancelled } from "../lib/assert.ts";
import { holdsWords } from "../notebook/edits.ts";
import { EXAMPLE_ID } from "../notebook/file.ts";
import type { Reconstruction } from "../records/answer.ts";
import type { FactId } from "../records/ids.ts";
import type { Cell } from "../records/notebook.ts";
import { createHarness, type Harness } from "./testing/harness.ts";

let harness: Harness;
beforeEach(async () => {
  harness = createHarness();
  await harness.app.actions.start();
});
afterEach(() => {
  harness.close();
});

const cellOf = <K extends Cell["kind"]>(kind: K) => {
  const { open, currentId } = harness.state();
  return open[currentId!]!.notebook.cells.find((cell) => cell.kind === kind) as Extract<Cell, { kind: K }>;
};

describe("deletions", () => {
  const ids = ["d:0" as FactId];
  const certificate = { keys: ["Mary (1)"], before: [], after: [], compared: 5, retained: 5, changed: 0 };

  /** The actions of a page whose deletions wait until they are carried out. */
  const withLongWindow = async () => {
    harness.close();
    harness = createHarness({ undoWindow: 60_000 });
    const { actions } = harness.app;
    await actions.start();
    harness.engine.forget = async () => ({ certificate, renamed: new Map() });
    await actions.restartWorker("engine");
    return actions;
  };

  it("can be taken back until the undo window is over", async () => {
    const { undo, now } = harness.app.actions.deleteFacts(cellOf("store").id, ids);
    expect(harness.state().memory.leaving).toEqual(new Set(ids));
    undo();
    now();
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(harness.state().memory.leaving.size).toBe(0);
    expect(harness.calls).not.toContain("open");
  });

  it("need not wait for the end of it, and cannot be taken back once begun", async () => {
    harness.engine.forget = async () => ({ certificate, renamed: new Map() });
    await harness.app.actions.restartWorker("engine");
    const { undo, now } = harness.app.actions.deleteFacts(cellOf("store").id, ids);
    now();
    // At once, and not when a timer fires.
    expect(harness.state().runs[cellOf("store").id]).toBeDefined();
    undo();
    expect(harness.state().memory.leaving).toEqual(new Set(ids));
    await harness.until(() => cellOf("store").output !== null);
    expect(cellOf("store").output!.certificates).toHaveLength(1);
  });

  it("are carried out before a question that is asked while they wait", async () => {
    const actions = await withLongWindow();
    const { decided, undo } = actions.deleteFacts(cellOf("store").id, ids);
    expect(await actions.runCell(cellOf("ask").id)).toBe(true);
    await decided;
    undo();
    expect(cellOf("store").output!.certificates).toHaveLength(1);
    expect(harness.calls.filter((call) => call === "forget" || call === "ask")).toEqual(["forget", "ask"]);
  });

  it("that wait are all carried out before a question", async () => {
    const actions = await withLongWindow();
    actions.deleteFacts(cellOf("store").id, ids);
    actions.deleteFacts(cellOf("store").id, ["d:9" as FactId]);
    const answered = actions.runCell(cellOf("ask").id);
    expect(harness.state().runs[cellOf("ask").id]).toMatchObject({ status: "queued" });
    expect(await answered).toBe(true);
    expect(harness.calls.filter((call) => call === "forget" || call === "ask")).toEqual([
      "forget",
      "forget",
      "ask",
    ]);
  });

  it("are reported until they have ended, so that the page can ask before it is left", async () => {
    const { actions } = harness.app;
    let finish: (() => void) | undefined;
    harness.engine.forget = () =>
      new Promise((resolve) => (finish = () => resolve({ certificate, renamed: new Map() })));
    await actions.restartWorker("engine");
    expect(actions.isDeleting()).toBe(false);
    const { undo } = actions.deleteFacts(cellOf("store").id, ids);
    expect(actions.isDeleting()).toBe(true);
    undo();
    expect(actions.isDeleting()).toBe(false);
    actions.deleteFacts(cellOf("store").id, ids).now();
    await expect.poll(() => finish).toBeDefined();
    expect(actions.isDeleting()).toBe(true);
    finish!();
    await expect.poll(actions.isDeleting).toBe(false);
  });

  it("can be stopped while they ask and compare; the facts come back into view, and no certificate is left", async () => {
    harness.engine.forget = (_, { signal } = {}) =>
      new Promise((_, reject) => signal!.addEventListener("abort", () => reject(new Cancelled("stopped"))));
    harness.app.actions.deleteFacts(cellOf("store").id, ids);
    await harness.app.actions.restartWorker("engine");
    await harness.until(() => harness.calls.includes("forget"));
    harness.app.actions.cancelCell(cellOf("store").id);
    await harness.until(({ runs }) => runs[cellOf("store").id]?.status === "cancelled");
    await harness.until(({ memory }) => memory.leaving.size === 0);
    expect(cellOf("store").output).toBeNull();
  });

  it("that were stopped before they began leave the facts in view", async () => {
    let finish: (() => void) | undefined;
    harness.engine.open = () => new Promise((_, reject) => (finish = () => reject(new Cancelled("stopped"))));
    await harness.app.actions.restartWorker("engine");
    void harness.app.actions.runCell(cellOf("model").id);
    await harness.until(({ runs }) => runs[cellOf("model").id]?.status === "running");
    harness.app.actions.deleteFacts(cellOf("store").id, ids);
    await harness.until(({ runs }) => runs[cellOf("store").id]?.status === "queued");
    expect(harness.state().memory.leaving).toEqual(new Set(ids));
    harness.app.actions.cancelCell(cellOf("store").id);
    await harness.until(({ memory }) => memory.leaving.size === 0);
    expect(harness.calls).not.toContain("forget");
    await harness.until(() => finish !== undefined);
    finish!();
  });

  it("end with a certificate in the store cell, and others go on under the new ids of their facts", async () => {
    const asked: unknown[] = [];
    const renamed = new Map([["d:9", "d~e:4"]] as [FactId, FactId][]);
    const notes: unknown[] = [];
    harness.engine.forget = async (argument, { onProgress } = {}) => {
      asked.push(argument);
      onProgress?.({ stage: "after", done: 24, total: 257 });
      await harness.until(({ runs }) => runs[cellOf("store").id]?.progress?.kind === "count");
      notes.push(harness.state().runs[cellOf("store").id]!.progress);
      return { certificate, renamed };
    };
    harness.app.actions.deleteFacts(cellOf("store").id, ids);
    harness.app.actions.inspect("d:9" as FactId);
    // The engine's methods were taken when it was connected: a new connection has the new one.
    await harness.app.actions.restartWorker("engine");
    await harness.until(() => cellOf("store").output !== null);
    expect(asked).toEqual([{ memory: EXAMPLE_ID, ids }]);
    expect(notes).toEqual([{ kind: "count", note: "Recalled after it and compared", done: 24, total: 257 }]);
    expect(cellOf("store").output!.certificates).toMatchObject([{ certificate, stamp: { backend: "cpu" } }]);
    expect(harness.state().inspector).toBe("d~e:4");
    // A deletion that was asked for under the former id.
    harness.app.actions.deleteFacts(cellOf("store").id, ["d:9" as FactId]).now();
    await harness.until(() => asked.length === 2);
    expect(asked[1]).toEqual({ memory: EXAMPLE_ID, ids: ["d~e:4"] });
  });

  it("change the copy that an answer is restored from, and so do cleared words", async () => {
    const { actions } = harness.app;
    const takeCopy = actions.copyCell(cellOf("ask"));
    const copies = () => harness.state().open[EXAMPLE_ID]!.copies as ReturnType<typeof cellOf<"ask">>[];
    const answerOf = () => copies()[0]!.output!.history[0]!.answer;
    const [gone, moved] = answerOf().recalled as [Reconstruction, Reconstruction];
    const renamed = new Map([[moved.id, "d~e:4"]] as [FactId, FactId][]);
    harness.engine.forget = async () => ({ certificate, renamed });
    await actions.restartWorker("engine");
    actions.deleteFacts(cellOf("store").id, [gone.id]).now();
    await harness.until(() => cellOf("store").output !== null);
    expect(answerOf().recalled[1]).toEqual({ ...moved, id: "d~e:4", read: expect.anything() });
    expect(JSON.stringify(answerOf())).not.toContain(`"${gone.id}"`);
    actions.clearWords();
    const copy = takeCopy()!;
    expect(JSON.stringify(copy)).not.toContain(moved.text);
    expect(holdsWords(copy)).toBe(false);
    expect(copies()).toEqual([]);
    expect(takeCopy()).toBeNull();
  });
});
