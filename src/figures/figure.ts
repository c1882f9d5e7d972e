/** @file What all figures share: columns, rows and their run. Chart, table, CSV and JSON are made from the rows. */

import type { FactRow, Stamp } from "../records/notebook.ts";
import { guardedText, quotedCell } from "../lib/csv.ts";

export type Value = number | string | boolean | null;
export type ValueType = "number" | "text" | "boolean";
export type Row = Readonly<Record<string, Value>>;

export interface Column {
  readonly name: string;
  readonly label: string;
  readonly unit: string;
  readonly type: ValueType;
  /** The column with the id of the fact that this one names; the table on the page makes a link of the two. */
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

interface Maker<K extends string, A extends readonly unknown[], R extends Row> extends Traits<R> {
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
type ColumnWords = readonly [
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

type RowUnder<C extends Columns> = { readonly [N in keyof C]: ValuesBy[C[N][2]] };

export function defineFigure<const K extends string, const C extends Columns, I>(
  props: Partial<Traits<RowUnder<C>>> & {
    readonly kind: K;
    readonly columns: C;
    readonly make: (
      input: I,
    ) => Pick<Figure<RowUnder<C>>, "title" | "caption" | "rows"> & Partial<Pick<Figure, "id" | "guides">>;
  },
): Maker<K, [input: I, source: Source], RowUnder<C>> {
  const { columns, make, ...traits } = props;
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

/** At most `count` equal bins of the whole numbers 0..largest; bounds are inclusive. */
export function wholeBins(largest: number, count: number): { from: number; to: number }[] {
  const width = Math.max(1, Math.ceil((largest + 1) / count));
  return Array.from({ length: Math.ceil((largest + 1) / width) }, (_, i) => ({
    from: i * width,
    to: (i + 1) * width - 1,
  }));
}

/** Indices of at most `count` of n items, evenly spread, including the first and the last. */
export function spreadIndices(n: number, count: number): number[] {
  if (n <= count) return Array.from({ length: n }, (_, i) => i);
  if (count <= 1) return count === 1 ? [0] : [];
  return Array.from({ length: count }, (_, i) => Math.round((i * (n - 1)) / (count - 1)));
}

export const FORMAT = "palimpsest figure 1";

/** CSV of RFC 4180 with LF, after a head of comment lines. */
export function toCsv({ kind, id, title, caption, columns, guides, source, rows }: Figure): string {
  const head = Object.entries({ format: FORMAT, kind, id, title, caption, columns, guides, source });
  return [
    ...head.map(([name, value]) => `# ${name}: ${inOneCell(JSON.stringify(value))}`),
    columns.map(({ label, unit }) => quotedCell(unit === "" ? label : `${label} (${unit})`)).join(","),
    ...rows.map((row) => columns.map(({ name, type }) => cell(row[name] ?? null, type)).join(",")),
    "",
  ].join("\n");
}

/** JSON with commas and semicolons escaped in its texts, so that a spreadsheet does not split the line into cells. */
const inOneCell = (json: string): string =>
  json.replace(/"(?:[^"\\]|\\.)*"/g, (text) =>
    text.replace(/[,;]/g, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );

/** The figure as JSON. NaN, infinities and −0 are written as strings. */
export function toJson(figure: Figure): string {
  const plain = (value: Value): Value =>
    typeof value === "number" && (!Number.isFinite(value) || Object.is(value, -0)) ? number(value) : value;
  const rows = figure.rows.map((row) =>
    Object.fromEntries(figure.columns.map(({ name }) => [name, plain(row[name] ?? null)])),
  );
  return JSON.stringify({ format: FORMAT, ...figure, rows });
}

/** The figure's columns as a Python script without imports: a dictionary of lists, by the names that the JSON uses. */
export function toPython({ title, caption, columns, rows, source }: Figure): string {
  const comment = [title, caption, `${source.run}, ${source.model}, ${source.at}`].filter(Boolean);
  const lists = columns.map(({ name, label, unit }) => {
    const values = rows.map((row) => inPython(row[name] ?? null)).join(", ");
    return `    ${JSON.stringify(name)}: [${values}],  # ${plainLine(unit === "" ? label : `${label} (${unit})`)}`;
  });
  return [...comment.map((line) => `# ${plainLine(line)}`), "data = {", ...lists, "}", ""].join("\n");
}

const plainLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, " ");

function inPython(value: Value): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return JSON.stringify(value);
  return Number.isFinite(value) ? (Object.is(value, -0) ? "-0.0" : String(value)) : `float("${value}")`;
}

function cell(value: Value, type: ValueType): string {
  if (value === null) return "";
  if (type === "number") return number(value as number);
  return type === "boolean" ? String(value) : quotedCell(guardedText(String(value)));
}

const number = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));
