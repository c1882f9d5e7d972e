/** @file The facts as a grid: sorted, selected, opened, deleted, and led back to their sentences. */

import { useMemo } from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow, PartRow } from "../../../records/notebook.ts";
import { keyText } from "../../../records/fact.ts";
import { arranged, type Column, type Parts, type Sort } from "../../table/column.ts";
import { Grid, type GridProps } from "../../table/Grid.tsx";
import { Fidelity, factColumns, type CellContext } from "../../facts/factColumns.tsx";
import { compareBy, type ColumnId } from "../../facts/factColumns.tsx";
import { LayerChip } from "../../facts/LayerChip.tsx";
import { partKey } from "../../facts/partKey.ts";
import { Table } from "../../table/Table.tsx";
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

export function FactParts({ row }: { readonly row: FactRow }) {
  return (
    <Table
      caption={`Parts of ${keyText(row)}, in the order of its value`}
      columns={[partKey(row), ...NUMBERS, ...(row.exact ? [] : [SAID])]}
      rows={row.parts ?? []}
      keyOf={({ part }) => String(part)}
    />
  );
}

const NUMBERS: readonly Column<PartRow>[] = [
  { id: "layer", label: "Layer", cell: ({ layer }) => <LayerChip layer={layer} /> },
  { id: "tokens", label: "Tokens", look: "number", cell: ({ tokens }) => tokens },
  { id: "steps", label: "Steps", look: "number", cell: ({ steps }) => steps },
  { id: "fidelity", label: "Fidelity", look: "number", cell: (part) => <Fidelity of={part} /> },
  { id: "delta", label: "‖δ‖", look: "number", cell: ({ deltaNorm }) => deltaNorm.toPrecision(4) },
];

const SAID: Column<PartRow> = {
  id: "said",
  label: "The model says instead",
  look: "words",
  cell: ({ exact, recalled }) => (exact ? "" : (recalled ?? "not kept")),
};
