/**
 * @file The shape that all figures share: columns with names and units, plain rows, and the run they come from. A
 * chart, the data table behind it, CSV and JSON are all made from this and nothing else. A figure is defined once:
 * its columns say what its rows hold, and with them stand where its rows lead and what is said when there are none.
 */

import type { FactRow, Stamp } from "../records/notebook.ts";

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
  /** Of a share of a sample: the columns with its 95 % interval and n. Tables on the page show them in its cells. */
  readonly interval?: { readonly low: string; readonly high: string; readonly n: string };
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

export interface Figure<R extends Row = Row, K extends string = string> {
  /** Which definition it is of. */
  readonly kind: K;
  /** The kind, and what varies of it: the name of its files. */
  readonly id: string;
  readonly title: string;
  /** What is shown, what was sampled or left out, in one or two sentences. */
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly R[];
  readonly guides: readonly Guide[];
  readonly source: Source;
}

/** What a row's facts are found by. */
export type Counted = Pick<
  FactRow,
  "id" | "documentId" | "anchor" | "layer" | "tokens" | "steps" | "offset" | "parts"
>;

/** Which facts a row that counts some of them counts, and these in words. */
export interface Counts<R> {
  readonly holds: (fact: Counted, row: R, facts: readonly Counted[]) => boolean;
  readonly says: (row: R) => string;
  /** How many there are, where that can be none. */
  readonly size?: (row: R) => number;
}

/** What is the same for all figures of a kind. */
export interface Traits<R> {
  /** Words for a figure without rows: what would have to happen for there to be some. */
  readonly empty: string;
  /** It wants the whole width; others can stand in pairs. */
  readonly wide: boolean;
  /** Where a row leads: to the fact that it names, to a list of those that it counts or compares, or nowhere. */
  readonly leads: "fact" | "list" | null;
  readonly counts: Counts<R> | null;
}

/** A figure's definition: called, it makes the figure. */
export interface Maker<K extends string, A extends readonly unknown[], R extends Row> extends Traits<R> {
  (...from: A): Figure<R, K>;
  readonly kind: K;
}

interface Definition<K extends string, A extends readonly unknown[], R extends Row> extends Partial<
  Traits<R>
> {
  readonly kind: K;
  /** The id is the kind unless it says another. */
  readonly make: (
    ...from: A
  ) => Omit<Figure<R, K>, "kind" | "id" | "guides"> & Partial<Pick<Figure, "id" | "guides">>;
}

/** Defines a figure whose columns depend on what it is made from. */
export function openFigure<const K extends string, A extends readonly unknown[], R extends Row>({
  kind,
  make,
  empty = "There is nothing to show here yet.",
  wide = false,
  leads = null,
  counts = null,
}: Definition<K, A, R>): Maker<K, A, R> {
  const maker = (...from: A): Figure<R, K> => ({ kind, id: kind, guides: [], ...make(...from) });
  return Object.assign(maker, { kind, empty, wide, leads, counts });
}

/** Columns by field; a type with "?" may be nothing. */
type Columns = Readonly<Record<string, ColumnWords>>;
export type ColumnWords = readonly [
  label: string,
  unit: string,
  type: ValueType | `${ValueType}?`,
  /** The column with the id of the fact that is named. */
  fact?: string | undefined,
  interval?: Column["interval"],
];

interface ValuesBy {
  readonly number: number;
  readonly text: string;
  readonly boolean: boolean;
}
type ValueAs<T> = T extends ValueType
  ? ValuesBy[T]
  : T extends `${infer V extends ValueType}?`
    ? ValuesBy[V] | null
    : never;

/** The rows that columns stand over. */
export type RowUnder<C extends Columns> = { readonly [N in keyof C]: ValueAs<C[N][2]> };

interface Made<R extends Row> extends Pick<Figure, "title" | "caption"> {
  readonly rows: readonly R[];
  readonly id?: string;
  readonly guides?: readonly Guide[];
}

/** Defines a figure by its columns and how its rows come from an input. */
export function defineFigure<const K extends string, const C extends Columns, I>({
  columns,
  make,
  ...traits
}: Partial<Traits<RowUnder<C>>> & {
  readonly kind: K;
  readonly columns: C;
  readonly make: (input: I) => Made<RowUnder<C>>;
}): Maker<K, [input: I, source: Source], RowUnder<C>> {
  const all = columnsOf(columns);
  const leads = all.some(({ fact }) => fact !== undefined) ? "fact" : traits.counts ? "list" : null;
  return openFigure({
    leads,
    ...traits,
    make: (input: I, source: Source) => ({ ...make(input), columns: all, source }),
  });
}

/** Columns as a list. */
export const columnsOf = (columns: Columns): Column[] =>
  Object.entries(columns).map(([name, [label, unit, type, fact, interval]]) => ({
    ...{ name, label, unit, type: type.replace("?", "") as ValueType },
    ...(fact === undefined ? {} : { fact }),
    ...(interval === undefined ? {} : { interval }),
  }));

/** Columns that name a fact. */
export const FACT = { fact: ["fact", "id", "text"], key: ["key κ", "", "text", "fact"] } as const;

/** Columns of five numbers. */
export const fiveColumns = (smallest: string, unit: string) =>
  ({
    min: [smallest, unit, "number"],
    q1: ["first quartile", unit, "number"],
    median: ["median", unit, "number"],
    q3: ["third quartile", unit, "number"],
    max: ["largest", unit, "number"],
  }) as const;
