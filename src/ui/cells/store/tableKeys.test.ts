import { describe, expect, it } from "vitest";
import type { FactId } from "../../../records/ids.ts";
import { NOTHING, toggle, type Selection } from "./selection.ts";
import { tableAction } from "./tableKeys.ts";

const [a, b, c] = ["a", "b", "c"].map((name) => name as FactId) as [FactId, FactId, FactId];
const shown = [a, b, c];
const plain = { shiftKey: false, ctrlKey: false, metaKey: false };
const press = (key: string, selection: Selection, held: Partial<typeof plain> = {}) =>
  tableAction({ ...plain, ...held, key }, selection, shown, 2);
const onB = toggle(NOTHING, b);

describe("tableAction", () => {
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
    expect(press("Enter", onB)).toEqual({ kind: "inspect", id: b });
    expect(press("o", onB)).toEqual({ kind: "sentence", id: b });
    expect(press("Enter", NOTHING)).toBeNull();
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
