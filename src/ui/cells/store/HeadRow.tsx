/** @file The head of the fact table: names that sort, and the box that selects all that is shown. */

import { memo } from "react";
import { Icon } from "../../controls/Icon.tsx";
import { cx } from "../../cx.ts";
import { COLUMN_INFO } from "./columns.ts";
import { SelectMark } from "./SelectMark.tsx";
import type { ColumnId, FactView } from "./view.ts";
import s from "./FactTable.module.css";

export const HeadRow = memo(function HeadRow({
  visible,
  sort,
  onSort,
  selected,
  onSelectAll,
}: {
  readonly visible: readonly ColumnId[];
  readonly sort: FactView["sort"];
  readonly onSort: (column: ColumnId) => void;
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
            className={s.headButton}
            aria-label={all ? "Select none of the facts shown" : "Select all facts shown"}
            aria-pressed={all ? true : selected === "some" ? "mixed" : false}
            onClick={() => {
              onSelectAll(!all);
            }}
          >
            <SelectMark state={selected} />
          </button>
        </div>
        {visible.map((column) => (
          <div
            key={column}
            role="columnheader"
            aria-sort={sort?.column !== column ? "none" : sort.descending ? "descending" : "ascending"}
            className={cx(s.headCell, COLUMN_INFO[column].numeric && s.numeric)}
          >
            <button
              type="button"
              className={s.headButton}
              title={`${COLUMN_INFO[column].about}; press to sort`}
              onClick={() => {
                onSort(column);
              }}
            >
              {COLUMN_INFO[column].label}
              <span className={s.arrow} data-on={sort?.column === column}>
                <Icon name={sort?.column === column && sort.descending ? "down" : "up"} size={11} />
              </span>
            </button>
          </div>
        ))}
      </div>
    </div>
  );
});
