/**
 * @file Which facts a memory cell shows and in what order: search, filters and sorting over FactRow[], as plain
 * functions of what the notebook saves.
 */

import { vectorsOf } from "../../../records/factRow.ts";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow, StoreCell } from "../../../records/notebook.ts";
import type { Compare } from "../../table/column.ts";
import { keyText } from "../../../records/fact.ts";

/** What the notebook keeps of the table: search, sort and filters. */
export type FactView = StoreCell["input"];

/** Facts that were recalled token for token, the others, or a share of matching tokens of at least / less than. */
export type FidelityFilter =
  | { readonly kind: "exact" }
  | { readonly kind: "inexact" }
  /** F1 in [from, to]. */
  | { readonly kind: "range"; readonly from: number; readonly to: number };

/** The filters of a view, read from the strings that are saved. */
export interface FactFilters {
  /** Part of an anchor, in any case of letters. */
  readonly anchor: string;
  /** Any of these layers; empty: all. */
  readonly layers: ReadonlySet<number>;
  /** Any of these documents; empty: all. */
  readonly documents: ReadonlySet<string>;
  readonly fidelity: FidelityFilter | null;
}

const list = (text: string | undefined): string[] => (text ? text.split(",").filter(Boolean) : []);

/** Reads saved filters; a value that is not understood filters nothing. */
export function readFilters(saved: FactView["filters"]): FactFilters {
  return {
    anchor: saved["anchor"] ?? "",
    layers: new Set(list(saved["layer"]).map(Number).filter(Number.isInteger)),
    documents: new Set(list(saved["document"])),
    fidelity: readFidelity(saved["fidelity"]),
  };
}

function readFidelity(saved: string | undefined): FidelityFilter | null {
  if (saved === "exact" || saved === "inexact") return { kind: saved };
  const [from, to] = (saved ?? "").split("..").map((part) => (part.trim() === "" ? NaN : Number(part)));
  if (from === undefined || to === undefined || !(from <= to)) return null;
  return { kind: "range", from, to };
}

/** The form in which filters are saved; what filters nothing is left out. */
export function saveFilters({ anchor, layers, documents, fidelity }: FactFilters): FactView["filters"] {
  const range = fidelity?.kind === "range" ? `${fidelity.from}..${fidelity.to}` : fidelity?.kind;
  return {
    ...(anchor === "" ? {} : { anchor }),
    ...(layers.size === 0 ? {} : { layer: [...layers].sort((a, b) => a - b).join(",") }),
    ...(documents.size === 0 ? {} : { document: [...documents].sort().join(",") }),
    ...(range === undefined ? {} : { fidelity: range }),
  };
}

/** What a person looks for, in lower case: every word must be in the fact. */
const wordsOf = (search: string): string[] => search.toLowerCase().split(/\s+/).filter(Boolean);

const keeps = (filter: FidelityFilter | null, { exact, fidelity }: FactRow): boolean => {
  if (filter === null) return true;
  if (filter.kind === "range") return fidelity >= filter.from && fidelity <= filter.to;
  return exact === (filter.kind === "exact");
};

/**
 * The facts of `rows` that a view shows, in their order; `rows` itself where it shows all. `found` are facts without
 * words that hold those of the search.
 */
export function filterFacts(
  rows: readonly FactRow[],
  { search, filters }: Pick<FactView, "search" | "filters">,
  found: ReadonlySet<FactId> = NOTHING_FOUND,
): readonly FactRow[] {
  const words = wordsOf(search);
  const wanted = readFilters(filters);
  const anchor = wanted.anchor.trim().toLowerCase();
  if (words.length === 0 && Object.keys(saveFilters({ ...wanted, anchor })).length === 0) return rows;
  return rows.filter(
    (row) =>
      (wanted.layers.size === 0 || wanted.layers.has(row.layer)) &&
      (wanted.documents.size === 0 || wanted.documents.has(row.documentId)) &&
      keeps(wanted.fidelity, row) &&
      row.anchor.toLowerCase().includes(anchor) &&
      (words.length === 0 || found.has(row.id) || containsAll(row, words)),
  );
}

const NOTHING_FOUND: ReadonlySet<FactId> = new Set();

/** Search reads the key as it is written, e.g. "Sandra (1)", the sentence, and what the model says instead. */
function containsAll(row: FactRow, words: readonly string[]): boolean {
  const text = `${keyText(row)} ${row.value ?? ""} ${row.recalled ?? ""}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Columns of the table in reading order, with what a person is told about each. */
export const COLUMNS = [
  "anchor",
  "index",
  "value",
  "layer",
  "fidelity",
  "tokens",
  "vectors",
  "steps",
  "offset",
  "document",
  "age",
] as const;
export type ColumnId = (typeof COLUMNS)[number];

const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true });

/** Ascending orders. Equal facts stay in source order, because sorting is stable. */
export const COMPARE: Readonly<Record<ColumnId, Compare<FactRow>>> = {
  anchor: (a, b) => (a.anchor === b.anchor ? a.index - b.index : collator.compare(a.anchor, b.anchor)),
  index: (a, b) => a.index - b.index,
  value: (a, b) => collator.compare(a.recalled ?? a.value ?? "", b.recalled ?? b.value ?? ""),
  layer: (a, b) => a.layer - b.layer,
  // Two facts of fidelity 1 may differ in exactness: the same tokens in another order.
  fidelity: (a, b) => a.fidelity - b.fidelity || Number(a.exact) - Number(b.exact),
  tokens: (a, b) => a.tokens - b.tokens,
  vectors: (a, b) => vectorsOf(a) - vectorsOf(b),
  steps: (a, b) => a.steps - b.steps,
  offset: (a, b) => a.offset - b.offset,
  document: (a, b) => collator.compare(a.documentId, b.documentId) || a.offset - b.offset,
  age: (a, b) => (a.memorizedAt < b.memorizedAt ? -1 : a.memorizedAt > b.memorizedAt ? 1 : 0),
};

/** The order without a sort: documents as they were memorised, each from its start. */
export const inSourceOrder = (rows: readonly FactRow[]): readonly FactRow[] =>
  rows.toSorted(
    (a, b) =>
      COMPARE.age(a, b) ||
      (a.documentId === b.documentId ? a.offset - b.offset : a.documentId < b.documentId ? -1 : 1),
  );

const isColumn = (name: string): name is ColumnId => (COLUMNS as readonly string[]).includes(name);

/** `visible` with a column put in at its place, or taken out. */
export const toggledColumn = (visible: readonly ColumnId[], column: ColumnId): readonly ColumnId[] =>
  COLUMNS.filter((id) => visible.includes(id) !== (id === column));

/** The order that a saved sort asks for; a column that is not known sorts nothing. */
export const compareBy = (sort: FactView["sort"]): Compare<FactRow> | undefined =>
  sort && isColumn(sort.column) ? COMPARE[sort.column] : undefined;
