/** @file The head of a grid: names that sort, and the box that selects all that is shown. */

import { memo } from "react";
import type { Column, Sort } from "./column.ts";
import { SortButton, sortedAs } from "./Head.tsx";
import { SelectMark } from "./SelectMark.tsx";
import s from "./Grid.module.css";

export const GridHead = memo(function GridHead({
  columns,
  noun,
  sort,
  onSort,
  selected,
  onSelectAll,
}: {
  readonly columns: readonly Pick<Column<never>, "id" | "label" | "about" | "look">[];
  readonly noun: string;
  readonly sort: Sort | null;
  readonly onSort: (column: string) => void;
  readonly selected: "none" | "some" | "all";
  /** True: all that is shown; false: none. */
  readonly onSelectAll: (all: boolean) => void;
}) {
  const all = selected === "all";
  return (
    <div role="rowgroup" className={s.head}>
      <div role="row" aria-rowindex={1} className={s.headRow}>
        <div role="columnheader" className={s.pick}>
          <button
            type="button"
            className={s.all}
            aria-label={all ? `Select none of the ${noun} shown` : `Select all ${noun} shown`}
            aria-pressed={all ? true : selected === "some" ? "mixed" : false}
            onClick={() => onSelectAll(!all)}
          >
            <SelectMark state={selected} />
          </button>
        </div>
        {columns.map((column) => (
          <div
            key={column.id}
            role="columnheader"
            aria-sort={sortedAs(column, sort)}
            className={s.headCell}
            data-look={column.look}
          >
            <SortButton column={column} sort={sort} onSort={onSort} />
          </div>
        ))}
      </div>
    </div>
  );
});
