import { describe, expect, it } from "vitest";
import type { FactId } from "../../../records/ids.ts";
import { closeNow, EMPTY_WINDOW, hold, propose, tick, undo, UNDO_MS, waitingIds } from "./undoWindow.ts";

const [a, b, c] = ["a", "b", "c"].map((name) => name as FactId) as [FactId, FactId, FactId];

describe("undo window", () => {
  it("asks for nothing to be deleted before it has run out", () => {
    const open = propose(EMPTY_WINDOW, [a, b], "2 facts");
    expect([...waitingIds(open)]).toEqual([a, b]);
    const before = tick(open, UNDO_MS - 1);
    expect(before.due).toEqual([]);
    const after = tick(before.state, 1);
    expect(after.due.map(({ ids }) => ids)).toEqual([[a, b]]);
    expect(after.state.pending).toEqual([]);
    expect(tick(after.state, UNDO_MS).due).toEqual([]);
  });

  it("deletes nothing that was undone", () => {
    const open = propose(EMPTY_WINDOW, [a], "a");
    const undone = undo(open, open.pending[0]!.number);
    expect(waitingIds(undone).size).toBe(0);
    expect(tick(undone, 2 * UNDO_MS).due).toEqual([]);
  });

  it("runs each window for itself and takes no fact twice", () => {
    const first = tick(propose(EMPTY_WINDOW, [a], "a"), 5000).state;
    const both = propose(first, [a, b], "b");
    expect(both.pending.map(({ ids, left }) => [ids, left])).toEqual([
      [[a], UNDO_MS - 5000],
      [[b], UNDO_MS],
    ]);
    expect(propose(both, [b], "b")).toBe(both);
    expect(tick(both, 3000).due.map(({ ids }) => ids)).toEqual([[a]]);
  });

  it("stands still while it is held, and can be closed at once", () => {
    const [n, open] = [1, propose(EMPTY_WINDOW, [a], "a")];
    const held = hold(open, n, true);
    expect(tick(held, UNDO_MS)).toEqual({ state: held, due: [] });
    const more = propose(held, [c], "c");
    expect(tick(more, UNDO_MS).due.map(({ ids }) => ids)).toEqual([[c]]);
    expect(tick(hold(held, n, false), UNDO_MS).due).toHaveLength(1);
    expect(tick(closeNow(held, n), 1).due).toHaveLength(1);
  });
});
