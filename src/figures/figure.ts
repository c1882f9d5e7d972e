/**
 * @file The shape that all figures share: columns with names and units, plain rows, and the run they come from. A
 * chart, the data table behind it, CSV and JSON are all made from this and nothing else.
 */

import type { Stamp } from "../records/notebook.ts";

export type Value = number | string | boolean | null;
export type ValueType = "number" | "text" | "boolean";
export type Row = Readonly<Record<string, Value>>;

/** One column; `label` and `unit` are for readers, `name` is the field of the rows. */
export interface Column {
  readonly name: string;
  readonly label: string;
  /** Empty where there is none. */
  readonly unit: string;
  readonly type: ValueType;
  /**
   * The column with the id of the fact that this one names, so that a reader can go to the fact. Exports have the id
   * as a column of its own; the table on the page makes a link of the two.
   */
  readonly fact?: string;
}

/** A line across the figure, e.g. θ. */
export interface Guide {
  readonly axis: "x" | "y";
  readonly value: number;
  readonly label: string;
}

/** The run a figure was drawn from. */
export type Source = Pick<Stamp, "at" | "backend" | "model" | "app"> & {
  /** What was run, in words: "layer probe", "run capacity-20261121". */
  readonly run: string;
};

export interface Figure<R extends Row = Row> {
  readonly id: string;
  readonly title: string;
  /** What is shown, what was sampled or left out, in one or two sentences. */
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly R[];
  readonly guides: readonly Guide[];
  readonly source: Source;
}

type ColumnWords = readonly [label: string, unit: string, type: ValueType, fact?: string];

/** Makes a figure; columns are given by field as [label, unit, type, id column], so none can be forgotten. */
export function figure<R extends Row>({
  columns,
  ...rest
}: Omit<Figure<R>, "columns"> & {
  readonly columns: { readonly [K in keyof R & string]: ColumnWords };
}): Figure<R> {
  const entries = Object.entries<ColumnWords>(columns);
  return {
    ...rest,
    columns: entries.map(([name, [label, unit, type, fact]]) => ({
      ...{ name, label, unit, type },
      ...(fact === undefined ? {} : { fact }),
    })),
  };
}
