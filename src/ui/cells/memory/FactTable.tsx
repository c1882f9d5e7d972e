/** @file The facts as a grid: sorted, selected, opened, deleted, and led back to their sentences. */

import { useMemo } from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { keyText } from "../../../records/fact.ts";
import { arranged, type Parts, type Sort } from "../../table/column.ts";
import { Grid, type GridProps } from "../../table/Grid.tsx";
import { factColumns, type CellContext } from "./columns.tsx";
import { FactParts } from "./FactParts.tsx";
import { compareBy, type ColumnId } from "./view.ts";
import s from "./FactTable.module.css";

type Passed = Pick<
  GridProps<FactRow, FactId>,
  "onSort" | "selection" | "onSelection" | "onOpen" | "onDelete"
>;

export interface FactTableProps extends CellContext, Passed {
  /** Filtered, in source order; the table sorts. */
  readonly rows: readonly FactRow[];
  readonly visible: readonly ColumnId[];
  readonly sort: Sort | null;
}

export function FactTable({ rows, visible, documents, now, onOpenSentence, ...passed }: FactTableProps) {
  const { sort } = passed;
  const sorted = useMemo(() => arranged(rows, compareBy(sort), sort), [rows, sort]);
  const several = useMemo(() => rows.some(PARTS.has), [rows]);
  const columns = useMemo(
    () => factColumns(visible, { documents, now, onOpenSentence }),
    [visible, documents, now, onOpenSentence],
  );
  return (
    <Grid
      label="Facts in memory"
      noun="facts"
      className={s.facts}
      rows={sorted}
      columns={columns}
      idOf={idOf}
      nameOf={keyText}
      keys={{ o: (id) => onOpenSentence(rows.find((row) => row.id === id)!) }}
      // Rows that may open are measured one by one; where none has parts they need not be.
      {...(several ? { parts: PARTS } : {})}
      {...passed}
    />
  );
}

const PARTS: Parts<FactRow> = {
  has: ({ parts }) => parts !== undefined,
  draw: (row) => <FactParts row={row} />,
};
const idOf = ({ id }: FactRow): FactId => id;
