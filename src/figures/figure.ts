/**
 * @file The shape that all figures share: columns with names and units, plain rows, and the run they come from. The
 * chart, its table, CSV and JSON are all made from these rows. A figure is defined once, with `defineFigure`.
 */

import type { FactRow, Stamp } from "../records/notebook.ts";

export type Value = number | string | boolean | null;
export type ValueType = "number" | "text" | "boolean";
export type Row = Readonly<Record<string, Value>>;

export interface Column {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  readonly type: ValueType;
  /**
   * The column with the id of the fact that this one names. Exports keep the id as a column; the table on the page
   * makes a link of the two.
   */
  readonly fact?: string;
  /** For a share of a sample: the columns with its 95 % interval and n. The page shows them in the share's cell. */
  readonly interval?: { readonly low: string; readonly high: string; readonly n: string };
}

/** A line across the figure, e.g. θ. On an axis of words, `value` is the number of places before the line. */
export interface Guide {
  readonly axis: "x" | "y";
  readonly value: number;
  readonly label: string;
}

export type Source = Pick<Stamp, "at" | "backend" | "model" | "app"> & {
  /** The run in words: "layer probe", "run capacity-20261121". */
  readonly run: string;
};

export interface Figure<R extends Row = Row, K extends string = string> {
  readonly kind: K;
  readonly id: string;
  readonly title: string;
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly R[];
  readonly guides: readonly Guide[];
  readonly source: Source;
}

export type Counted = Pick<
  FactRow,
  "id" | "documentId" | "anchor" | "layer" | "tokens" | "steps" | "offset" | "parts"
>;

export interface Counts<R> {
  readonly includes: (row: R, facts: readonly Counted[]) => (fact: Counted) => boolean;
  readonly words: (row: R) => string;
  /** Number of these facts; without it every row counts at least one. */
  readonly size?: (row: R) => number;
}

export interface Traits<R> {
  /** Shown in place of a figure without rows. */
  readonly empty: string;
  readonly wide: boolean;
  readonly leads: "fact" | "list" | null;
  readonly counts: Counts<R> | null;
}

export interface Maker<K extends string, A extends readonly unknown[], R extends Row> extends Traits<R> {
  (...from: A): Figure<R, K>;
  readonly kind: K;
}

/** Defines a figure whose columns depend on its input. The id is the kind unless `make` returns another. */
export function openFigure<const K extends string, A extends readonly unknown[], R extends Row>({
  kind,
  make,
  empty = "There is nothing to show here yet.",
  wide = false,
  leads = null,
  counts = null,
}: Partial<Traits<R>> & {
  readonly kind: K;
  readonly make: (
    ...from: A
  ) => Omit<Figure<R, K>, "kind" | "id" | "guides"> & Partial<Pick<Figure, "id" | "guides">>;
}): Maker<K, A, R> {
  const maker = (...from: A): Figure<R, K> => ({ kind, id: kind, guides: [], ...make(...from) });
  return Object.assign(maker, { kind, empty, wide, leads, counts });
}

/** Columns by field; a type with "?" may be null. */
type Columns = Readonly<Record<string, ColumnWords>>;
export type ColumnWords = readonly [
  label: string,
  unit: string,
  type: ValueType | `${ValueType}?`,
  fact?: string | undefined,
  interval?: Column["interval"],
];

interface ValuesBy {
  readonly number: number;
  readonly text: string;
  readonly boolean: boolean;
  readonly "number?": number | null;
  readonly "text?": string | null;
  readonly "boolean?": boolean | null;
}

export type RowUnder<C extends Columns> = { readonly [N in keyof C]: ValuesBy[C[N][2]] };

export function defineFigure<const K extends string, const C extends Columns, I>({
  columns,
  make,
  ...traits
}: Partial<Traits<RowUnder<C>>> & {
  readonly kind: K;
  readonly columns: C;
  readonly make: (
    input: I,
  ) => Pick<Figure<RowUnder<C>>, "title" | "caption" | "rows"> & Partial<Pick<Figure, "id" | "guides">>;
}): Maker<K, [input: I, source: Source], RowUnder<C>> {
  const all = columnsOf(columns);
  const leads = all.some(({ fact }) => fact !== undefined) ? "fact" : traits.counts ? "list" : null;
  return openFigure({
    leads,
    ...traits,
    make: (input: I, source: Source) => ({ ...make(input), columns: all, source }),
  });
}

export const columnsOf = (columns: Columns): Column[] =>
  Object.entries(columns).map(([name, [label, unit, type, fact, interval]]) => ({
    ...{ name, label, unit, type: type.replace("?", "") as ValueType },
    ...(fact === undefined ? {} : { fact }),
    ...(interval === undefined ? {} : { interval }),
  }));

export const FACT = { fact: ["fact", "id", "text"], key: ["key κ", "", "text", "fact"] } as const;
