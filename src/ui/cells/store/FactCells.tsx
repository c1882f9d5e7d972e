/** @file What stands in one cell of the fact table. */

import type { FactRow } from "../../../records/notebook.ts";
import { age, count, dateTime } from "../../format.ts";
import { LayerChip } from "../../facts/LayerChip.tsx";
import { Recalled } from "../../facts/Recalled.tsx";
import { shortOfOne } from "../../facts/words.ts";
import type { ColumnId } from "./view.ts";
import s from "./FactTable.module.css";

/** What the table knows of a document. */
export interface DocumentInfo {
  readonly title: string;
  /** Whether the browser still keeps its text. */
  readonly kept: boolean;
}

export interface CellContext {
  readonly documents: ReadonlyMap<string, DocumentInfo>;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly onOpenSentence: (row: FactRow) => void;
}

/** Characters after which a narrow line would hide the first difference. */
const VALUE_ROOM = 38;

export function FactCell({
  row,
  column,
  context,
}: {
  readonly row: FactRow;
  readonly column: ColumnId;
  readonly context: CellContext;
}) {
  switch (column) {
    case "anchor":
      return <span title={row.anchor}>{row.anchor}</span>;
    case "value":
      return <Recalled stored={row.value} said={row.recalled} exact={row.exact} room={VALUE_ROOM} />;
    case "layer":
      return <LayerChip layer={row.layer} />;
    case "fidelity":
      return <Fidelity row={row} />;
    case "offset":
      return <Offset row={row} context={context} />;
    case "document": {
      const title = context.documents.get(row.documentId)?.title ?? row.documentId;
      return <span title={title}>{title}</span>;
    }
    case "age":
      return (
        <time dateTime={row.memorizedAt} title={dateTime(row.memorizedAt)}>
          {age(row.memorizedAt, context.now)}
        </time>
      );
    case "index":
    case "tokens":
    case "steps":
      return <span className="num">{row[column]}</span>;
  }
}

function Fidelity({ row: { exact, fidelity } }: { readonly row: FactRow }) {
  if (exact) return <span className={s.exact}>exact</span>;
  return (
    <span className={s.inexact} title={`token F1 ${fidelity.toFixed(3)}`}>
      <span className="visually-hidden">inexact, F1 </span>
      <span className="num">{shortOfOne(fidelity)}</span>
    </span>
  );
}

/** The offset; a way to the sentence where the text is still kept. */
function Offset({ row, context }: { readonly row: FactRow; readonly context: CellContext }) {
  const kept = context.documents.get(row.documentId)?.kept ?? false;
  const number = <span className="num">{count(row.offset)}</span>;
  if (!kept) return <span title="The text is no longer kept; the memory does not need it.">{number}</span>;
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
