import { describe, expect, it } from "vitest";
import type { FactId } from "../../records/ids.ts";
import {
  cursorAfter,
  extendTo,
  moveTo,
  NOTHING,
  prune,
  selectAll,
  selectNone,
  shownState,
  toggle,
} from "./Table.tsx";

const id = (name: string): FactId => name as FactId;
const shown = ["a", "b", "c", "d", "e"].map(id);

describe("selection", () => {
  it("takes one in and out", () => {
    const once = toggle(NOTHING, id("b"));
    expect([...once.ids]).toEqual(["b"]);
    expect(toggle(once, id("b")).ids.size).toBe(0);
  });

  it("extends from where the range began, both ways, and adds to what there is", () => {
    const from = toggle(toggle(NOTHING, id("e")), id("b"));
    const down = extendTo(from, id("d"), shown);
    expect([...down.ids].sort()).toEqual(["b", "c", "d", "e"]);
    const up = extendTo(down, id("a"), shown);
    expect([...up.ids].sort()).toEqual(["a", "b", "c", "d", "e"]);
    expect(up.anchor).toBe("b");
    expect(up.cursor).toBe("a");
  });

  it("begins a range where there is no start, or where the start is filtered out", () => {
    expect([...extendTo(NOTHING, id("c"), shown).ids]).toEqual(["c"]);
    const hidden = moveTo(NOTHING, id("x"));
    expect([...extendTo(hidden, id("c"), shown).ids]).toEqual(["c"]);
    expect(extendTo(hidden, id("y"), shown)).toBe(hidden);
  });

  it("begins a range at the cursor's place without selecting on the way", () => {
    const moved = moveTo(moveTo(NOTHING, id("a")), id("c"));
    expect(moved.ids.size).toBe(0);
    expect([...extendTo(moved, id("d"), shown).ids]).toEqual(["c", "d"]);
  });

  it("selects all that is shown and keeps what is not", () => {
    const all = selectAll(toggle(NOTHING, id("hidden")), shown);
    expect(all.ids.size).toBe(6);
    expect(selectNone(all).ids.size).toBe(0);
  });

  it("forgets what is gone", () => {
    const some = toggle(toggle(NOTHING, id("a")), id("b"));
    const left = prune(some, new Set([id("a")]));
    expect([...left.ids]).toEqual(["a"]);
    expect(left.cursor).toBeNull();
    expect(prune(some, new Set(shown))).toBe(some);
  });

  it("says how much of what is shown is selected", () => {
    expect(shownState(new Set<FactId>(), shown)).toBe("none");
    expect(shownState(new Set([id("x")]), shown)).toBe("none");
    expect(shownState(new Set([id("a")]), shown)).toBe("some");
    expect(shownState(new Set([...shown, id("x")]), shown)).toBe("all");
    expect(shownState(new Set([id("x")]), [])).toBe("none");
  });
});

describe("cursorAfter", () => {
  it("moves by one, a page, and to the ends, and stays inside", () => {
    expect(cursorAfter("ArrowDown", -1, 5, 3)).toBe(0);
    expect(cursorAfter("ArrowDown", 4, 5, 3)).toBe(4);
    expect(cursorAfter("ArrowUp", -1, 5, 3)).toBe(0);
    expect(cursorAfter("PageDown", 1, 5, 3)).toBe(4);
    expect(cursorAfter("k", 3, 5, 3)).toBe(2);
    expect(cursorAfter("End", 0, 5, 3)).toBe(4);
    expect(cursorAfter("Home", 3, 5, 3)).toBe(0);
  });

  it("leaves other keys and empty tables alone", () => {
    expect(cursorAfter("x", 0, 5, 3)).toBeNull();
    expect(cursorAfter("ArrowDown", -1, 0, 3)).toBeNull();
  });
});
