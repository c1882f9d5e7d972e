/** @file The columns of the fact table: what each is called, how wide it is, and what stands in its cells. */

import {
  createColumnHelper,
  createSortedRowModel,
  rowSortingFeature,
  tableFeatures,
} from "@tanstack/react-table";
import type { FactRow } from "../../../records/notebook.ts";
import { COMPARE, COLUMNS, saidOf, type ColumnId } from "./view.ts";

export interface ColumnInfo {
  readonly label: string;
  /** What the column holds, for the tooltip and the column menu. */
  readonly about: string;
  /** A track of the grid. */
  readonly width: string;
  readonly numeric?: true;
}

export const COLUMN_INFO: Readonly<Record<ColumnId, ColumnInfo>> = {
  anchor: { label: "Anchor", about: "e: what the fact is filed under", width: "minmax(5.5rem, 0.32fr)" },
  index: { label: "j", about: "the fact's number under its anchor", width: "1.9rem", numeric: true },
  value: {
    label: "As recalled",
    about: "what the model says; where it is not exact, with the difference to the stored sentence",
    width: "minmax(13rem, 1fr)",
  },
  layer: { label: "Layer", about: "ℓ: where the residual is stored", width: "3.4rem" },
  fidelity: {
    label: "Fidelity",
    about: "exact, or the token F1 of the recall",
    width: "4.1rem",
    numeric: true,
  },
  tokens: { label: "Tokens", about: "t: tokens of the stored sentence", width: "3.9rem", numeric: true },
  steps: {
    label: "Steps",
    about: "optimisation steps that the encoding took",
    width: "3.5rem",
    numeric: true,
  },
  offset: {
    label: "Offset",
    about: "o: where the sentence starts in its document",
    width: "4.6rem",
    numeric: true,
  },
  document: { label: "Document", about: "which text the fact came from", width: "minmax(4.5rem, 0.26fr)" },
  age: { label: "Age", about: "when its document was memorised", width: "6.2rem" },
};

/** Shown before anyone chooses: the rest is one click away. */
export const FIRST_COLUMNS: readonly ColumnId[] = COLUMNS.filter((id) => id !== "tokens" && id !== "steps");

export const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
});

const helper = createColumnHelper<typeof features, FactRow>();

const ACCESS: Readonly<Record<ColumnId, (row: FactRow) => string | number>> = {
  anchor: (row) => row.anchor,
  index: (row) => row.index,
  value: saidOf,
  layer: (row) => row.layer,
  fidelity: (row) => row.fidelity,
  tokens: (row) => row.tokens,
  steps: (row) => row.steps,
  offset: (row) => row.offset,
  document: (row) => row.documentId,
  age: (row) => row.memorizedAt,
};

export const columns = helper.columns(
  COLUMNS.map((id) =>
    helper.accessor(ACCESS[id], {
      id,
      header: COLUMN_INFO[id].label,
      sortFn: (a, b) => COMPARE[id](a.original, b.original),
    }),
  ),
);

/** The tracks of the grid for some columns; the first is the selection box. */
export const tracks = (visible: readonly ColumnId[]): string =>
  ["1.9rem", ...visible.map((id) => COLUMN_INFO[id].width)].join(" ");
