/** @file The fact table: its columns, and the search, filters and order of its rows. */

import type { ReactNode } from "react";
import { vectorsOf } from "../../records/factRow.ts";
import type { FactRow, StoreCell } from "../../records/notebook.ts";
import { LayerChip, Said } from "./Recalled.tsx";
import { shortOfOne, type DocumentInfo } from "./words.ts";
import { age, count, dateTime } from "../format.ts";
import type { Column, Compare } from "../table/Table.tsx";
import { Text } from "../controls/basics.tsx";
import type { FactId } from "../../records/ids.ts";
import type { wordSearch as WordSearchMaker, WordSearch } from "../../lib/wordSearch.ts";
import { keyText } from "../../records/fact.ts";
import s from "../controls/Press.module.css";

export interface CellContext {
  readonly documents: ReadonlyMap<string, DocumentInfo>;
  readonly now: number;
  readonly onOpenSentence: (row: FactRow) => void;
}

interface FactColumn extends Pick<Column<FactRow>, "look" | "width"> {
  readonly label: string;
  readonly about: string;
  /** Ascending order; equal facts stay in source order, because sorting is stable. */
  readonly compare: Compare<FactRow>;
  readonly cell: (row: FactRow, context: CellContext) => ReactNode;
}

const numbers = (label: string, about: string, width: string, of: (row: FactRow) => number) => ({
  ...{ label, about, width, look: "number" as const },
  compare: (a: FactRow, b: FactRow) => of(a) - of(b),
  cell: (row: FactRow) => <span className="num">{of(row)}</span>,
});

const collator = new Intl.Collator("en", { sensitivity: "base", numeric: true });
const byAge: Compare<FactRow> = (a, b) =>
  a.memorizedAt < b.memorizedAt ? -1 : a.memorizedAt > b.memorizedAt ? 1 : 0;

const columns = {
  anchor: {
    label: "Anchor",
    about: "e: the name that the fact is stored under",
    width: "minmax(5.5rem, 0.62fr)",
    compare: (a, b) => (a.anchor === b.anchor ? a.index - b.index : collator.compare(a.anchor, b.anchor)),
    cell: ({ anchor }) => <span title={anchor}>{anchor}</span>,
  },
  index: numbers("No.", "j: the fact's number under its anchor", "2.2rem", ({ index }) => index),
  value: {
    label: "As recalled",
    about: "the sentence as the model says it; no sentence is stored",
    width: "minmax(13rem, 1fr)",
    // compareBy sorts by the sentences that the model said.
    compare: () => 0,
    cell: ({ id }) => <Said id={id} />,
  },
  layer: {
    label: "Layer",
    about: "ℓ: the layer of the residual; for a fact in parts, the layer of its first part",
    width: "3.4rem",
    compare: (a, b) => a.layer - b.layer,
    cell: ({ layer }) => <LayerChip layer={layer} />,
  },
  fidelity: {
    label: "Fidelity",
    about: "exact, or the token F1 of the recall",
    width: "4.1rem",
    look: "number",
    // The same tokens in another order give an F1 of 1 without being exact.
    compare: (a, b) => a.fidelity - b.fidelity || Number(a.exact) - Number(b.exact),
    cell: (row) => <Fidelity of={row} />,
  },
  tokens: numbers("Tokens", "t: tokens of the stored sentence", "3.9rem", ({ tokens }) => tokens),
  vectors: numbers(
    "Vectors",
    "the number of vectors that store the fact; long facts need several",
    "4rem",
    vectorsOf,
  ),
  steps: numbers(
    "Steps",
    "optimisation steps of the stored vectors; the inspector also counts abandoned attempts",
    "3.5rem",
    ({ steps }) => steps,
  ),
  offset: {
    label: "Offset",
    about: "o: where the sentence starts in its document",
    width: "4.6rem",
    look: "number",
    compare: (a, b) => a.offset - b.offset,
    cell: (row, context) => <Offset row={row} context={context} />,
  },
  document: {
    label: "Document",
    about: "the text that the fact came from",
    width: "minmax(4.5rem, 0.4fr)",
    compare: (a, b) => collator.compare(a.documentId, b.documentId) || a.offset - b.offset,
    cell({ documentId }, { documents }) {
      const title = documents.get(documentId)?.title ?? documentId;
      return <span title={title}>{title}</span>;
    },
  },
  age: {
    label: "Age",
    about: "time since memorising its document began",
    width: "6.2rem",
    compare: byAge,
    cell: ({ memorizedAt }, { now }) => (
      <time dateTime={memorizedAt} title={dateTime(memorizedAt)}>
        {age(memorizedAt, now)}
      </time>
    ),
  },
} satisfies Readonly<Record<string, FactColumn>>;

export type ColumnId = keyof typeof columns;

export const COLUMN_INFO: Readonly<Record<ColumnId, FactColumn>> = columns;
export const COLUMNS = Object.keys(columns) as readonly ColumnId[];

export const FIRST_COLUMNS: readonly ColumnId[] = COLUMNS.filter(
  (id) => id !== "tokens" && id !== "vectors" && id !== "steps",
);

export const factColumns = (visible: readonly ColumnId[], context: CellContext): readonly Column<FactRow>[] =>
  visible.map((id) => ({
    ...COLUMN_INFO[id],
    id,
    cell: (row) => COLUMN_INFO[id].cell(row, context),
  }));

export function Fidelity({ of: { exact, fidelity } }: { readonly of: Pick<FactRow, "exact" | "fidelity"> }) {
  if (exact) return <Text tone="verdigris">exact</Text>;
  return (
    <Text tone="ochre" title={`token F1 ${fidelity.toFixed(3)}`}>
      <span className="visually-hidden">inexact, F1 </span>
      <span className="num">{shortOfOne(fidelity)}</span>
    </Text>
  );
}

function Offset({ row, context }: { readonly row: FactRow; readonly context: CellContext }) {
  const number = <span className="num">{count(row.offset)}</span>;
  if (!context.documents.get(row.documentId)?.kept)
    return <span title="The text is no longer stored; the memory does not need it.">{number}</span>;
  return (
    <button
      type="button"
      className={s.link}
      // The row has the keyboard; "o" opens the sentence from there.
      tabIndex={-1}
      title="Open the sentence in its text (o)"
      aria-label={`Open the sentence at ${row.offset} in its text`}
      onClick={(event) => {
        event.stopPropagation();
        context.onOpenSentence(row);
      }}
    >
      {number}
    </button>
  );
}

export type FactView = StoreCell["input"];

export const isFiltering = ({ search, filters }: Pick<FactView, "search" | "filters">): boolean =>
  search.trim() !== "" ||
  Boolean(filters.anchor?.trim() || filters.layers?.length || filters.documents?.length || filters.fidelity);

/** The facts that a view shows; `rows` itself if it filters nothing. @param found facts with the words of the search */
export function filterFacts(
  rows: readonly FactRow[],
  view: Pick<FactView, "search" | "filters">,
  found: ReadonlySet<FactId> = NOTHING_FOUND,
): readonly FactRow[] {
  if (!isFiltering(view)) return rows;
  const { anchor = "", layers = [], documents = [], fidelity } = view.filters;
  const matching = view.search.trim() === "" ? null : searchOf(rows)?.(view.search);
  const typed = anchor.trim().toLowerCase();
  return rows.filter(
    (row, position) =>
      (layers.length === 0 || layers.includes(row.layer)) &&
      (documents.length === 0 || documents.includes(row.documentId)) &&
      (fidelity === undefined || row.exact === (fidelity === "exact")) &&
      row.anchor.toLowerCase().includes(typed) &&
      (!matching || matching.has(position) || found.has(row.id)),
  );
}

const NOTHING_FOUND: ReadonlySet<FactId> = new Set();

let makeSearch: typeof WordSearchMaker | null = null;

/** Fetches the code of the word search; until then `filterFacts` applies only the filters. */
export async function loadWordSearch(): Promise<true> {
  ({ wordSearch: makeSearch } = await import("../../lib/wordSearch.ts"));
  return true;
}

function searchOf(rows: readonly FactRow[]): WordSearch | null {
  const known = SEARCHES.get(rows);
  if (known) return known;
  if (!makeSearch) return null;
  const search = makeSearch(rows.map(keyText));
  SEARCHES.set(rows, search);
  return search;
}

const SEARCHES = new WeakMap<readonly FactRow[], WordSearch>();

/** The order without a sort: documents as they were memorised, each from its start. */
export const inSourceOrder = (rows: readonly FactRow[]): readonly FactRow[] =>
  rows.toSorted(
    (a, b) =>
      byAge(a, b) ||
      (a.documentId === b.documentId ? a.offset - b.offset : a.documentId < b.documentId ? -1 : 1),
  );

export const toggledColumn = (visible: readonly ColumnId[], column: ColumnId): readonly ColumnId[] =>
  COLUMNS.filter((id) => visible.includes(id) !== (id === column));

/** The order of a saved sort; undefined for an unknown column, and by the sentence while `said` is null. */
export function compareBy(
  sort: FactView["sort"],
  said: ReadonlyMap<FactId, string> | null,
): Compare<FactRow> | undefined {
  const column = COLUMNS.find((id) => id === sort?.column);
  if (column !== "value") return column && COLUMN_INFO[column].compare;
  return said ? (a, b) => collator.compare(said.get(a.id) ?? "", said.get(b.id) ?? "") : undefined;
}
