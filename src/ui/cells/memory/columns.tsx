/** @file The columns of the fact table: what each is called, how wide it is, and what stands in its cells. */

import type { ReactNode } from "react";
import { vectorsOf } from "../../../records/factRow.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { LayerChip } from "../../facts/LayerChip.tsx";
import { StoredFact } from "../../facts/StoredFact.tsx";
import { shortOfOne } from "../../facts/words.ts";
import { age, count, dateTime } from "../../format.ts";
import type { Column } from "../../table/column.ts";
import type { DocumentInfo } from "./documents.ts";
import { COLUMNS, type ColumnId } from "./view.ts";
import { Text } from "../../controls/layout.tsx";
import s from "./FactTable.module.css";

export interface CellContext {
  readonly documents: ReadonlyMap<string, DocumentInfo>;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly onOpenSentence: (row: FactRow) => void;
}

interface FactColumn extends Pick<Column<FactRow>, "about" | "look" | "width"> {
  readonly label: string;
  readonly about: string;
  readonly cell: (row: FactRow, context: CellContext) => ReactNode;
}

export const COLUMN_INFO: Readonly<Record<ColumnId, FactColumn>> = {
  anchor: {
    label: "Anchor",
    about: "e: what the fact is filed under",
    width: "minmax(5.5rem, 0.62fr)",
    cell: ({ anchor }) => <span title={anchor}>{anchor}</span>,
  },
  index: {
    label: "j",
    about: "the fact's number under its anchor",
    width: "1.9rem",
    look: "number",
    cell: ({ index }) => <span className="num">{index}</span>,
  },
  value: {
    label: "As recalled",
    about: "what the model says; where it is not exact, with the difference to the stored sentence",
    width: "minmax(13rem, 1fr)",
    cell: (row) => <StoredFact row={row} room={VALUE_ROOM} />,
  },
  layer: {
    label: "Layer",
    about: "ℓ: where the residual is stored; of a fact in parts where its first is",
    width: "3.4rem",
    cell: ({ layer }) => <LayerChip layer={layer} />,
  },
  fidelity: {
    label: "Fidelity",
    about: "exact, or the token F1 of the recall",
    width: "4.1rem",
    look: "number",
    cell: (row) => <Fidelity of={row} />,
  },
  tokens: {
    label: "Tokens",
    about: "t: tokens of the stored sentence",
    width: "3.9rem",
    look: "number",
    cell: ({ tokens }) => <span className="num">{tokens}</span>,
  },
  vectors: {
    label: "Vectors",
    about: "in how many vectors it is stored; one holds only so many tokens exactly",
    width: "4rem",
    look: "number",
    cell: (row) => <span className="num">{vectorsOf(row)}</span>,
  },
  steps: {
    label: "Steps",
    about:
      "optimisation steps of the vectors that stand; the inspector has those of tries that were given up",
    width: "3.5rem",
    look: "number",
    cell: ({ steps }) => <span className="num">{steps}</span>,
  },
  offset: {
    label: "Offset",
    about: "o: where the sentence starts in its document",
    width: "4.6rem",
    look: "number",
    cell: (row, context) => <Offset row={row} context={context} />,
  },
  document: {
    label: "Document",
    about: "which text the fact came from",
    width: "minmax(4.5rem, 0.4fr)",
    cell({ documentId }, { documents }) {
      const title = documents.get(documentId)?.title ?? documentId;
      return <span title={title}>{title}</span>;
    },
  },
  age: {
    label: "Age",
    about: "when its document was memorised",
    width: "6.2rem",
    cell: ({ memorizedAt }, { now }) => (
      <time dateTime={memorizedAt} title={dateTime(memorizedAt)}>
        {age(memorizedAt, now)}
      </time>
    ),
  },
};

/** Shown before anyone chooses: the rest is one click away. */
export const FIRST_COLUMNS: readonly ColumnId[] = COLUMNS.filter(
  (id) => id !== "tokens" && id !== "vectors" && id !== "steps",
);

export const factColumns = (visible: readonly ColumnId[], context: CellContext): readonly Column<FactRow>[] =>
  visible.map((id) => ({
    ...COLUMN_INFO[id],
    id,
    cell: (row) => COLUMN_INFO[id].cell(row, context),
  }));

/** Characters after which a narrow line would hide the first difference. */
const VALUE_ROOM = 38;

export function Fidelity({ of: { exact, fidelity } }: { readonly of: Pick<FactRow, "exact" | "fidelity"> }) {
  if (exact) return <Text tone="verdigris">exact</Text>;
  return (
    <Text tone="ochre" title={`token F1 ${fidelity.toFixed(3)}`}>
      <span className="visually-hidden">inexact, F1 </span>
      <span className="num">{shortOfOne(fidelity)}</span>
    </Text>
  );
}

/** The offset; a way to the sentence where the text is still kept. */
function Offset({ row, context }: { readonly row: FactRow; readonly context: CellContext }) {
  const number = <span className="num">{count(row.offset)}</span>;
  if (!context.documents.get(row.documentId)?.kept)
    return <span title="The text is no longer kept; the memory does not need it.">{number}</span>;
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
