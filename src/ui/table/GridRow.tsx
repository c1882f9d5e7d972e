/** @file One row of a grid: cells side by side, or on a narrow page an entry of two lines; its parts are below. */

import { memo, type MouseEvent, type ReactNode } from "react";
import { cx } from "../cx.ts";
import type { Column, Parts } from "./column.ts";
import { PartsButton } from "./Head.tsx";
import s from "./Grid.module.css";

export interface GridRowProps<Row, Id extends string> {
  readonly row: Row;
  readonly rowId: Id;
  readonly id: string;
  readonly name: string;
  readonly position: number;
  /** Pixels from the top of the rows. */
  readonly top: number;
  readonly height: number;
  readonly columns: readonly Column<Row>[];
  readonly selected: boolean;
  readonly current: boolean;
  /** Null if the row has no parts. */
  readonly parts: Parts<Row> | null;
  readonly open: boolean;
  /** Measures the height of the row; null if all rows have the same. */
  readonly measure: ((element: HTMLElement | null) => void) | null;
  readonly onPick: (id: Id, event: MouseEvent, box: boolean) => void;
  readonly onToggle: (id: Id) => void;
}

export const GridRow = memo(Row) as typeof Row; // memo() forgets that a row and its columns are of one type

function Row<Row, Id extends string>(props: GridRowProps<Row, Id>): ReactNode {
  const { row, rowId, id, position, top, height, columns, selected, parts, open, measure } = props;
  return (
    <div
      role="row"
      id={id}
      ref={measure}
      data-index={position}
      className={cx(s.row, selected && s.selected, props.current && s.current)}
      style={{ transform: `translateY(${top}px)`, [measure ? "minHeight" : "height"]: height }}
      // The head is row 1.
      aria-rowindex={position + 2}
      aria-selected={selected}
      onClick={(event) => props.onPick(rowId, event, false)}
    >
      <div
        role="gridcell"
        aria-label={`${selected ? "selected" : "not selected"}: ${props.name}`}
        className={s.pick}
        onClick={(event) => {
          event.stopPropagation();
          props.onPick(rowId, event, true);
        }}
      >
        <SelectMark state={selected ? "all" : "none"} />
      </div>
      {columns.map((column, i) => (
        <div
          key={column.id}
          role="gridcell"
          // Only a row of a treegrid may have it; a cell always may.
          {...(i === 0 && parts ? { "aria-expanded": open } : {})}
          className={s.cell}
          data-column={column.id}
          data-look={column.look}
          data-label={column.short ?? (typeof column.label === "string" ? column.label : undefined)}
        >
          <div className={s.clip}>
            {i === 0 && parts && (
              // The row has the keyboard: its arrows open and close.
              <PartsButton
                open={open}
                name={props.name}
                tabIndex={-1}
                onToggle={() => props.onToggle(rowId)}
              />
            )}
            {column.cell(row, position)}
          </div>
        </div>
      ))}
      {parts && open && (
        <div role="gridcell" aria-colspan={columns.length + 1} className={s.parts}>
          {parts.draw(row)}
        </div>
      )}
    </div>
  );
}

/** The drawn box of a row or of all rows; its row or button has the accessible name. */
export function SelectMark({ state }: { readonly state: "none" | "some" | "all" }) {
  return (
    <svg width="15" height="15" viewBox="0 0 15 15" aria-hidden="true" className={s.mark} data-state={state}>
      <rect x="1" y="1" width="13" height="13" rx="2" />
      {state === "all" && <path d="M4 7.8 6.6 10.4 11.2 4.8" />}
      {state === "some" && <path d="M4 7.5h7" />}
    </svg>
  );
}
