/** @file The columns of a table as data: names, cells and the order of rows. */

import type { ReactNode } from "react";

/** number: to the right, digits of one width; key: a key; words: text of a source; soft: less important. */
export type Look = "number" | "key" | "words" | "soft";

export interface Column<Row> {
  readonly id: string;
  readonly label: ReactNode;
  readonly cell: (row: Row, index: number) => ReactNode;
  readonly about?: string;
  readonly look?: Look;
  readonly names?: true;
  /** Ascending order; without it the column does not sort. */
  readonly compare?: Compare<Row>;
  readonly short?: string;
  /** A track of a grid: "minmax(5rem, 1fr)". */
  readonly width?: string;
}

export type Compare<Row> = (a: Row, b: Row) => number;

export interface Parts<Row> {
  readonly has: (row: Row) => boolean;
  readonly draw: (row: Row) => ReactNode;
}

export interface Sort {
  readonly column: string;
  readonly descending: boolean;
}

/** `rows` in an order, or as they are. Equal rows keep their order, ascending or descending. */
export function arranged<Row>(
  rows: readonly Row[],
  compare: Compare<Row> | undefined,
  sort: Pick<Sort, "descending"> | null,
): readonly Row[] {
  if (!sort || !compare) return rows;
  return rows.toSorted(sort.descending ? (a, b) => compare(b, a) : compare);
}

export function nextSort(sort: Sort | null, column: string): Sort | null {
  if (sort?.column !== column) return { column, descending: false };
  return sort.descending ? null : { column, descending: true };
}
