/** @file One tab writes, the others read: what a tab does when it becomes the one or the other. */

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EXAMPLE_ID } from "../notebook/file.ts";
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

const notebook = (id = harness.state().currentId!) => harness.state().open[id]!.notebook;
const cellOf = <K extends Cell["kind"]>(kind: K) =>
  notebook().cells.find((cell) => cell.kind === kind) as Extract<Cell, { kind: K }>;

describe("a reader", () => {
  it("changes and runs nothing, and goes on from what the writer saved when its turn comes", async () => {
    await harness.until(({ open }) => open[EXAMPLE_ID]!.save.status === "saved");
    harness.writer.become("reader");
    const before = notebook();
    harness.app.actions.setTitle("x");
    expect(harness.app.actions.addCell("note")).toBeNull();
    expect(await harness.app.actions.runCell(cellOf("ask").id)).toBe(false);
    expect(notebook()).toBe(before);
    const { id, updated, cells } = before;
    const body = { ...before, title: "Written there" };
    await harness.app
      .library()
      .saveNotebook({ id, title: body.title, updated, cells: cells.length, revision: 1, body });
    await harness.app.actions.takeOver();
    await harness.until(() => notebook().title === "Written there");
    harness.app.actions.setTitle("y");
    expect(notebook().title).toBe("y");
  });

  it("stops what waits and what runs: another tab writes now, and nothing is deleted here", async () => {
    const ids = ["d:0" as FactId];
    const asked = vi.fn(() => Promise.reject(new Error("a reader deletes nothing")));
    harness.engine.forget = asked;
    harness.app.actions.deleteFacts(cellOf("store").id, ids);
    const signals: AbortSignal[] = [];
    harness.engine.ask = (_, { signal } = {}) =>
      new Promise((_, reject) => {
        signals.push(signal!);
        signal!.addEventListener("abort", () => reject(new DOMException("stopped", "AbortError")));
      });
    const running = harness.app.actions.runCell(cellOf("ask").id);
    await harness.until(() => signals.length > 0);
    harness.writer.become("reader");
    expect(await running).toBe(false);
    await harness.until(({ memory }) => memory.leaving.size === 0);
    expect([signals[0]!.aborted, asked.mock.calls.length]).toEqual([true, 0]);
  });
});
