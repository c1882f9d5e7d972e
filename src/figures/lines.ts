/** @file Lines in panels, and heat maps in panels: two kinds that every study and evaluation is drawn with. */

import { columnsOf, openFigure, type Figure, type Source } from "./figure.ts";
import { INTERVAL, INTERVAL_NAMES } from "./interval.ts";

/** A value with its 95 % interval and n; nulls if it is not a share of a sample. */
interface Measured {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number | null;
}

export type LineRow = Measured & {
  readonly panel: string;
  readonly line: string;
  readonly x: number | string;
};

type Words = readonly [label: string, unit: string];

interface Input<R> extends Pick<Figure, "id" | "title" | "caption"> {
  readonly panel: string;
  readonly x: Words;
  readonly value: Words;
  readonly rows: readonly R[];
}

const valueColumns = ([label, unit]: Words) =>
  ({ value: [label, unit, "number", undefined, INTERVAL_NAMES], ...INTERVAL }) as const;

/** One line per series over a common x axis, in one panel per measure, task or length. */
export const lines = openFigure({
  kind: "lines",
  wide: true,
  empty: "No case has finished yet.",
  make: (
    {
      panel,
      line,
      x,
      value,
      guides = [],
      ...input
    }: Input<LineRow> & {
      readonly line: string;
      readonly guides?: Figure["guides"];
    },
    source: Source,
  ) => ({
    ...input,
    guides,
    source,
    columns: columnsOf({
      panel: [panel, "", "text"],
      line: [line, "", "text"],
      x: [...x, input.rows.some((row) => typeof row.x === "string") ? "text" : "number"],
      ...valueColumns(value),
    }),
    rows: input.rows.map((row) => ({
      ...{ panel: row.panel, line: row.line, x: row.x },
      ...{ value: row.value, low: row.low, high: row.high, n: row.n },
    })),
  }),
});

export type GridRow = Measured & { readonly panel: string; readonly row: string; readonly column: string };

export const grid = openFigure({
  kind: "grid",
  wide: true,
  empty: "A grid needs two rows, or two columns.",
  make: ({ panel, row, x, value, ...input }: Input<GridRow> & { readonly row: Words }, source: Source) => ({
    ...input,
    source,
    columns: columnsOf({
      panel: [panel, "", "text"],
      row: [...row, "text"],
      column: [...x, "text"],
      ...valueColumns(value),
    }),
    rows: input.rows.map((cell) => ({
      ...{ panel: cell.panel, row: cell.row, column: cell.column },
      ...{ value: cell.value, low: cell.low, high: cell.high, n: cell.n },
    })),
  }),
});
