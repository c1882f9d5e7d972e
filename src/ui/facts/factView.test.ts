import { beforeAll, describe, expect, it } from "vitest";
import { documentId, layerIndex, type FactId } from "../../records/ids.ts";
import type { FactFilters } from "../../records/notebook.ts";
import { keyText } from "../../records/fact.ts";
import { factRow, manyRows } from "../cells/memory/testing/rows.ts";
import {
  COLUMNS,
  COLUMN_INFO,
  compareBy,
  filterFacts,
  inSourceOrder,
  loadWordSearch,
  toggledColumn,
} from "./factColumns.tsx";

beforeAll(loadWordSearch);

const other = documentId("bbbbbbbbbbbbbbbb");
const rows = [
  factRow({ offset: 10 }),
  factRow({ offset: 20, anchor: "Mary", index: 2, layer: layerIndex(3) }),
  factRow({
    offset: 30,
    anchor: "Mary Ann",
    exact: false,
    fidelity: 0.75,
    documentId: other,
  }),
];
const show = (search: string, filters: FactFilters = {}, found: readonly FactId[] = []) =>
  filterFacts(rows, { search, filters }, new Set(found)).map(keyText);

describe("filterFacts", () => {
  it("gives the same rows back where nothing is asked", () => {
    expect(filterFacts(rows, { search: "  ", filters: { anchor: " " } })).toBe(rows);
  });

  it("finds every word of a search in the key, or in the sentence by its hashes", () => {
    expect(show("MARY ann")).toEqual(["Mary Ann (1)"]);
    expect(show("sandra (1)")).toEqual(["Sandra (1)"]);
    expect(show("garden")).toEqual([]);
    expect(show("garden", {}, [rows[1]!.id])).toEqual(["Mary (2)"]);
    expect(show("garden", { fidelity: "inexact" }, [rows[1]!.id])).toEqual([]);
  });

  it("filters by anchor, layer, document and fidelity, all at once", () => {
    expect(show("", { anchor: "mary" })).toEqual(["Mary (2)", "Mary Ann (1)"]);
    expect(show("", { layers: [3, 7] })).toEqual(["Mary (2)"]);
    expect(show("", { documents: [other] })).toEqual(["Mary Ann (1)"]);
    expect(show("", { fidelity: "exact" })).toEqual(["Sandra (1)", "Mary (2)"]);
    expect(show("", { fidelity: "inexact" })).toEqual(["Mary Ann (1)"]);
    expect(show("", { anchor: "mary", fidelity: "exact" })).toEqual(["Mary (2)"]);
  });
});

describe("sorting", () => {
  it("orders anchors as people do, with their facts by index", () => {
    const named = ["room 10", "Room 2", "ärger", "Azur"].map((anchor) => factRow({ anchor }));
    const twice = [...named, factRow({ anchor: "Room 2", index: 0 })];
    expect(twice.toSorted(COLUMN_INFO.anchor.compare).map(keyText)).toEqual([
      "ärger (1)",
      "Azur (1)",
      "Room 2 (0)",
      "Room 2 (1)",
      "room 10 (1)",
    ]);
  });

  it("has an order for every column that is the reverse of itself read backwards", () => {
    const many = manyRows(60);
    for (const column of COLUMNS)
      for (const a of many)
        for (const b of many.slice(0, 12))
          expect(
            Math.sign(COLUMN_INFO[column].compare(a, b)) + Math.sign(COLUMN_INFO[column].compare(b, a)),
            column,
          ).toBe(0);
  });

  it("is the source's own where nothing is sorted", () => {
    const late = factRow({ offset: 1, anchor: "late", memorizedAt: "2026-11-22T00:00:00.000Z" });
    const rows = [
      late,
      factRow({ offset: 9 }),
      factRow({ offset: 4, documentId: other }),
      factRow({ offset: 2 }),
    ];
    expect(inSourceOrder(rows).map(({ offset }) => offset)).toEqual([2, 9, 4, 1]);
  });

  it("puts a column back where it belongs", () => {
    expect(toggledColumn(["anchor", "layer"], "value")).toEqual(["anchor", "value", "layer"]);
    expect(toggledColumn(["anchor", "layer"], "anchor")).toEqual(["layer"]);
  });

  it("sorts sentences by what the model says, once all are read back", () => {
    const sort = { column: "value", descending: false };
    expect(compareBy(sort, null)).toBeUndefined();
    const said = new Map(rows.map(({ id }, i) => [id, ["c", "a", "b"][i]!]));
    expect(rows.toSorted(compareBy(sort, said)).map(keyText)).toEqual([
      "Mary (2)",
      "Mary Ann (1)",
      "Sandra (1)",
    ]);
    expect(compareBy({ ...sort, column: "layer" }, null)).toBe(COLUMN_INFO.layer.compare);
  });
});
