/** @file Every row leads to the facts it names, and to exactly the facts it counts. */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { documentId, layerIndex } from "../records/ids.ts";
import { stepsHistogram, factsPerLayer, layerProbe, similarityCells } from "./layers.ts";
import type { Figure, Source } from "./figure.ts";
import type { FactRow } from "../records/notebook.ts";
import { galleryFigures, type Gallery } from "./testing/gallery.ts";
import {
  traitsOf,
  countedFacts,
  isLeading,
  namedFacts,
  readableColumns,
  type FigureKind,
  type FigureOf,
  type RowOf,
} from "./registry.ts";

const SOURCE: Source = { at: "2026-01-01T00:00:00Z", backend: "cpu", model: "m@0", app: "0", run: "test" };
const gallery = JSON.parse(readFileSync("docs/runs/gallery.json", "utf8")) as Gallery;
const BOOK = documentId("book");
const keys = new Map(gallery.facts.map(({ id, anchor, index }) => [id as string, `${anchor} (${index})`]));

const fact = fc.record({
  documentId: fc.constantFrom(BOOK, documentId("another")),
  anchor: fc.constantFrom("Mary", "John", "Sandra", "the lamp"),
  layer: fc.nat(6).map(layerIndex),
  tokens: fc.integer({ min: 1, max: 9 }),
  steps: fc.nat(60),
  offset: fc.nat(5000),
  exact: fc.boolean(),
  fidelity: fc.double({ min: 0, max: 1, noNaN: true }),
});
const facts = fc
  .array(fact, { minLength: 1, maxLength: 60 })
  .map((list) => list.map((one, i) => ({ ...one, id: `d:${i}` as Gallery["facts"][number]["id"] })));

describe("rows and their facts", () => {
  it("a bar holds as many facts as it says, and every fact stands in one bar", () => {
    fc.assert(
      fc.property(facts, (list) => {
        const check = <K extends FigureKind>(figure: FigureOf<K>, size: (row: RowOf<K>) => number): void => {
          const found = figure.rows.map((row) => countedFacts<K, (typeof list)[0]>(figure, row, list)!.facts);
          expect(found.map(({ length }) => length)).toEqual(figure.rows.map(size));
          for (const row of figure.rows) expect(isLeading<K>(figure, row)).toBe(size(row) > 0);
          expect(new Set(found.flat().map(({ id }) => id)).size).toBe(list.length);
        };
        check<"facts-per-layer">(
          factsPerLayer({ facts: list, layers: [layerIndex(7)], capacity: 16 }, SOURCE),
          (row) => row.facts,
        );
        check<"steps-histogram">(
          stepsHistogram({ facts: list, bins: 7 }, SOURCE),
          (row) => row.exact + row.inexact,
        );
      }),
    );
  });

  it("a row that names a key carries the id of the fact that has it, in every recorded figure", () => {
    let links = 0;
    for (const figure of galleryFigures(gallery).map((shown): Figure => shown.figure))
      for (const { name, fact: idColumn } of figure.columns)
        if (idColumn !== undefined)
          for (const row of figure.rows) {
            if (row[name] === null) expect(row[idColumn]).toBeNull();
            else
              // A part names its fact and itself: "wrote (1.2)" is of "wrote (1)".
              expect([figure.id, keys.get(row[idColumn] as string)]).toEqual([
                figure.id,
                String(row[name]).replace(/\.\d+\)$/, ")"),
              ]);
            links++;
          }
    expect(links).toBeGreaterThan(500);
  });

  it("says where rows lead, names each fact once, and keeps ids out of tables", () => {
    expect(
      (["margins", "similarity-matrix", "steps-histogram", "layer-probe"] as const).map(
        (kind) => traitsOf(kind).leads,
      ),
    ).toEqual(["fact", "list", "list", null]);
    const matrix = similarityCells({ matrix: gallery.geometry.matrix, theta: 0.6 }, SOURCE);
    expect(namedFacts(matrix, matrix.rows[0]!)).toHaveLength(1);
    expect(namedFacts(matrix, matrix.rows[1]!)).toHaveLength(2);
    expect(readableColumns(matrix).map(({ name }) => name)).toEqual([
      "row",
      "column",
      "a",
      "b",
      "similarity",
    ]);
    const probe = layerProbe(gallery.plan, SOURCE);
    const recorded = layerProbe(
      {
        ...gallery.plan,
        choices: gallery.plan.choices.map((choice) => ({ ...choice, work: 12, recorded: true as const })),
      },
      SOURCE,
    );
    expect(recorded.caption).toContain("recorded when the model was built");
    expect(recorded.rows.map(({ work, cost }) => [work, cost])).toEqual(recorded.rows.map(() => [12, null]));
    expect(countedFacts<"layer-probe", FactRow>(probe, probe.rows[0]!, gallery.facts)).toBeNull();
  });
});
