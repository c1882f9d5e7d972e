/** @file Type tests: a kind of cell that is forgotten in one of the tables does not compile. */

import { describe, expect, expectTypeOf, it } from "vitest";
import { CELL_KINDS, KINDS } from "../../notebook/kinds.ts";
import type { CellKind } from "../../records/notebook.ts";
import { JOBS } from "../../state/actions/runs.ts";
import { PRINTED, FIGURES } from "../report/cells.tsx";
import { CELL_TYPES } from "./registry.ts";

function without<T extends { readonly ask: unknown }>(table: T): Omit<T, "ask"> {
  const { ask, ...others } = table;
  expect(ask).toBeDefined();
  return others;
}

describe("kinds of cells", () => {
  it("have a row in every table, in one order", () => {
    expectTypeOf<keyof typeof KINDS>().toEqualTypeOf<CellKind>();
    expectTypeOf<keyof typeof CELL_TYPES>().toEqualTypeOf<CellKind>();
    expectTypeOf<keyof typeof JOBS>().toEqualTypeOf<CellKind>();
    for (const table of [KINDS, CELL_TYPES, PRINTED, FIGURES, JOBS])
      expect(Object.keys(table)).toEqual([...CELL_KINDS]);
  });

  it("cannot be forgotten in any of them", () => {
    // @ts-expect-error a kind without a row
    const withoutKind: typeof KINDS = without(KINDS);
    // @ts-expect-error a kind that cannot be drawn
    const withoutType: typeof CELL_TYPES = without(CELL_TYPES);
    // @ts-expect-error a kind that cannot be printed
    const withoutPrint: typeof PRINTED = without(PRINTED);
    // @ts-expect-error a kind of which nobody says what figures it has in print
    const withoutFigures: typeof FIGURES = without(FIGURES);
    // @ts-expect-error a kind of which nobody says how it runs
    const withoutJob: typeof JOBS = without(JOBS);
    for (const table of [withoutKind, withoutType, withoutPrint, withoutFigures, withoutJob])
      expect(table).not.toHaveProperty("ask");
  });

  it("have something to run exactly where a run button stands, or where running reads again", () => {
    const buttons = CELL_KINDS.filter((kind) => CELL_TYPES[kind].run !== null);
    for (const kind of buttons) expect(JOBS[kind]).not.toBeNull();
    expect(JOBS.note).toBeNull();
  });
});
