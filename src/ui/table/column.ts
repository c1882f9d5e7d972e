/** @file The columns of a table as data: what stands in their heads and cells, and the order they give to the rows. */

import type { ReactNode } from "react";

/** number: to the right, figures of one width; key: in one line; words: set as a text; soft: beside the point. */
export type Look = "number" | "key" | "words" | "soft";

export interface Column<Row> {
  readonly id: string;
  /** Stands in the head. */
  readonly label: ReactNode;
  readonly cell: (row: Row, index: number) => ReactNode;
  /** What the column holds, as a tooltip. */
  readonly about?: string;
  readonly look?: Look;
  /** Its cells name their rows. */
  readonly names?: true;
  /** Ascending; without it the column does not sort. */
  readonly compare?: Compare<Row>;
  /** Stands before the value where a narrow page stacks the cells of a row. */
  readonly short?: string;
  /** A track of a grid: "minmax(5rem, 1fr)". */
  readonly width?: string;
}

export type Compare<Row> = (a: Row, b: Row) => number;

/** Rows that open to what they are made of. */
export interface Parts<Row> {
  readonly has: (row: Row) => boolean;
  readonly draw: (row: Row) => ReactNode;
}

export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

/** `rows` in an order; as they are without one. Equal rows stay as they were, whichever way the order runs. */
export function arranged<Row>(
  rows: readonly Row[],
  compare: Compare<Row> | undefined,
  sort: Pick<Sort, "descending"> | null,
): readonly Row[] {
  if (!sort || !compare) return rows;
  return rows.toSorted(sort.descending ? (a, b) => compare(b, a) : compare);
}

/** The next order when the head of a column is pressed: ascending, descending, as the rows came. */
export function nextSort(sort: Sort | null, column: string): Sort | null {
  if (sort?.column !== column) return { column, descending: false };
  return sort.descending ? null : { column, descending: true };
}
