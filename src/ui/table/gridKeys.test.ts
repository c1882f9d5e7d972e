import { describe, expect, it } from "vitest";
import type { FactId } from "../../records/ids.ts";
import { NOTHING, toggle, type Selection } from "./Table.tsx";
import { gridAction } from "./Grid.tsx";

const [a, b, c] = ["a", "b", "c"].map((name) => name as FactId) as [FactId, FactId, FactId];
const shown = [a, b, c];
const plain = { shiftKey: false, ctrlKey: false, metaKey: false };
const press = (key: string, selection: Selection<FactId>, held: Partial<typeof plain> = {}) =>
  gridAction({ ...plain, ...held, key }, selection, shown, 2);
const onB = toggle(NOTHING, b);

describe("gridAction", () => {
  it("moves the cursor and says where to scroll", () => {
    expect(press("ArrowDown", NOTHING)).toMatchObject({ selection: { cursor: a }, scrollTo: 0 });
    expect(press("End", onB)).toMatchObject({ selection: { cursor: c, ids: new Set([b]) }, scrollTo: 2 });
  });

  it("selects by Space, Shift with an arrow, and all at once", () => {
    expect(press(" ", onB)).toMatchObject({ selection: { ids: new Set() } });
    expect(press("ArrowDown", onB, { shiftKey: true })).toMatchObject({
      selection: { ids: new Set([b, c]) },
    });
    expect(press("A", NOTHING, { metaKey: true })).toMatchObject({ selection: { ids: new Set(shown) } });
    expect(press("Escape", onB)).toMatchObject({ selection: { ids: new Set(), cursor: b } });
  });

  it("acts on the row that has the keyboard", () => {
    expect(press("Enter", onB)).toEqual({ kind: "open", id: b });
    expect(press("Enter", NOTHING)).toBeNull();
  });

  it("opens and closes the parts of a row that has some", () => {
    const side = (key: string, open: boolean | null) =>
      gridAction({ ...plain, key }, onB, shown, 2, open)?.kind ?? null;
    expect(["ArrowRight", "ArrowLeft"].map((key) => side(key, false))).toEqual(["parts", null]);
    expect(["ArrowRight", "ArrowLeft"].map((key) => side(key, true))).toEqual([null, "parts"]);
    expect(side("ArrowRight", null)).toBeNull();
  });

  it("deletes what is selected, else the row that has the keyboard", () => {
    expect(press("Delete", toggle(onB, c))).toEqual({ kind: "delete", ids: [b, c] });
    expect(press("Backspace", { ...NOTHING, cursor: a })).toEqual({ kind: "delete", ids: [a] });
    expect(press("Delete", NOTHING)).toBeNull();
  });

  it("leaves the browser's keys alone", () => {
    for (const key of ["c", "f", "Tab"]) expect(press(key, onB, { ctrlKey: true })).toBeNull();
    expect(press("Tab", onB)).toBeNull();
    expect(press("Escape", NOTHING)).toBeNull();
  });
});
