/**
 * @file Every figure has its place everywhere. What is forgotten or mixed up does not compile: the lines under
 * "ts-expect-error" are checked by tsc.
 */

import { describe, expect, it } from "vitest";
import { defineFigure } from "../../figures/figure.ts";
import { marginRows, roundRobin } from "../../figures/layers.ts";
import { mapRows } from "../../figures/gates.ts";
import { traitsOf, type FigureKind, type FigureOf, type RowOf } from "../../figures/registry.ts";
import { layerIndex, type FactId } from "../../records/ids.ts";
import { DRAWINGS, type Drawings, Compare } from "./FigureView.tsx";
import { roundRobinFigure } from "./GridFigures.tsx";
import { marginsFigure } from "./PlainFigures.tsx";

declare const map: FigureOf<"map">;
declare const steps: FigureOf<"steps-histogram">;
declare const withoutMap: Omit<Drawings, "map">;

/** Never called: what is in it only has to compile, or not. */
export function neverCalled(): void {
  // @ts-expect-error a figure without a drawing
  const drawings: Drawings = withoutMap;
  // @ts-expect-error a drawing for which there is no figure
  const more: Drawings = { ...DRAWINGS, clouds: "table" };
  // @ts-expect-error the drawing of another figure
  const another: Drawings["map"] = marginsFigure;
  // @ts-expect-error a kind that no list has
  traitsOf("clouds");
  // @ts-expect-error rows with a column that the figure lacks
  const row: RowOf<"steps-histogram">["clouds"] = 1;
  // @ts-expect-error a figure beside one of another kind
  const pair = <Compare a={map} b={steps} />;
  // @ts-expect-error an input without θ
  marginRows({ margins: [], layer: 1 }, steps.source);
  const columns = { layer: ["layer", "", "number"], note: ["note", "", "text?"] } as const;
  const head = { title: "", caption: "" };
  defineFigure({ kind: "made", columns, make: () => ({ ...head, rows: [{ layer: 1, note: null }] }) });
  // @ts-expect-error rows that lack a column
  defineFigure({ kind: "made", columns, make: () => ({ ...head, rows: [{ layer: 1 }] }) });
  // @ts-expect-error rows with nothing where something must be
  defineFigure({ kind: "made", columns, make: () => ({ ...head, rows: [{ layer: null, note: "" }] }) });
  void [drawings, more, another, row, pair];
}

describe("drawings", () => {
  const kinds = Object.keys(DRAWINGS) as FigureKind[];

  it("figures that count facts lead to lists of them, and of the others only what compares keys", () => {
    const listing = kinds.filter((kind) => traitsOf(kind).leads === "list");
    const counting = kinds.filter((kind) => traitsOf(kind).counts !== null);
    expect(listing.filter((kind) => !counting.includes(kind))).toEqual(["similarity-matrix"]);
    expect(counting.filter((kind) => !listing.includes(kind))).toEqual([]);
  });
});

const SOURCE = { run: "", at: "", backend: "", model: "", app: "" };

it("a key whose neighbour is of its own fact opens no gate after a deletion", () => {
  const key = (id: string, rivalId: string, margin: number) => ({
    ...{ id: id as FactId, key: id, rival: rivalId, rivalId: rivalId as FactId },
    ...{ rivalSimilarity: 1 - margin, margin },
  });
  const margins = [key("a", "a", 0.1), key("a", "b", 0.2), key("b", "a", 0.5)];
  const figure = marginRows(
    { margins, layer: 2, theta: 0.6 },
    { run: "", at: "", backend: "", model: "", app: "" },
  );
  expect(figure.caption).toContain("for 3 keys");
  const { below } = marginsFigure(figure, null);
  expect(below).toContain("2 keys of 3");
  expect(below).toContain("For 1 it is the key of another fact");
});

it("Eq. 2 is worked with the K of the memory, however few places have a fact", () => {
  const layers = [2, 3, 4].map(layerIndex);
  const facts = [{ id: "a" as FactId, anchor: "Mary", anchorOrder: 0, index: 1, layer: layers[0]! }];
  const { below } = roundRobinFigure(roundRobin({ facts, layers }, SOURCE), null);
  expect(below).toContain("(0 + 0) mod 3 = 0");
});

it("a map of one vector claims no share of a variance", () => {
  const request = { of: "residual", layer: null, method: "pca", limit: 9, seed: 1 } as const;
  const map = mapRows({ request, available: 1, points: [], explained: [0, 0] }, SOURCE);
  expect(map.caption).not.toContain("variance");
});
