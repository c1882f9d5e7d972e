/** @file One row of the fact table: cells side by side, or an entry of two lines where there is no room. */

import { memo, type MouseEvent } from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { keyOf } from "../../facts/words.ts";
import { cx } from "../../cx.ts";
import { FactCell, type CellContext } from "./FactCells.tsx";
import { SelectMark } from "./SelectMark.tsx";
import { COLUMN_INFO } from "./columns.ts";
import type { ColumnId } from "./view.ts";
import s from "./FactTable.module.css";

export interface FactRowProps {
  readonly row: FactRow;
  readonly id: string;
  /** Among the facts shown, from 0. */
  readonly position: number;
  /** Pixels from the top of the rows. */
  readonly top: number;
  readonly height: number;
  readonly visible: readonly ColumnId[];
  readonly selected: boolean;
  readonly current: boolean;
  readonly context: CellContext;
  readonly onPick: (id: FactId, event: MouseEvent, box: boolean) => void;
}

export const FactRowView = memo(function FactRowView({
  row,
  id,
  position,
  top,
  height,
  visible,
  selected,
  current,
  context,
  onPick,
}: FactRowProps) {
  return (
    <div
      role="row"
      id={id}
      className={cx(s.row, selected && s.selected, current && s.current)}
      style={{ transform: `translateY(${top}px)`, height }}
      // The head is row 1.
      aria-rowindex={position + 2}
      aria-selected={selected}
      onClick={(event) => {
        onPick(row.id, event, false);
      }}
    >
      <div
        role="gridcell"
        aria-label={`${selected ? "selected" : "not selected"}: ${keyOf(row)}`}
        className={s.pick}
        onClick={(event) => {
          event.stopPropagation();
          onPick(row.id, event, true);
        }}
      >
        <SelectMark state={selected ? "all" : "none"} />
      </div>
      {visible.map((column) => (
        <div
          key={column}
          role="gridcell"
          className={cx(s.cell, s[column], COLUMN_INFO[column].numeric && s.numeric)}
          data-label={COLUMN_INFO[column].label}
        >
          <div className={s.clip}>
            <FactCell row={row} column={column} context={context} />
          </div>
        </div>
      ))}
    </div>
  );
});
