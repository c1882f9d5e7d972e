/**
 * @file A table with its columns as data. It may show the first rows and a button for more, sort by columns, and open
 * rows to their parts; in print it is the same table without buttons.
 */

import { Fragment, useState, type ReactNode } from "react";
import { cx } from "../cx.ts";
import { arranged, nextSort, type Column, type Parts, type Sort } from "./column.ts";
import { FirstOf, type FirstOfProps } from "./FirstOf.tsx";
import { PartsButton, SortButton, sortedAs } from "./Head.tsx";
import { usePrinting } from "../controls/printing.ts";
import { toggled } from "./selection.ts";
import s from "./Table.module.css";

export interface TableProps<Row> {
  /** Accessible name. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf?: (row: Row) => string;
  readonly toneOf?: (row: Row) => string | undefined;
  readonly parts?: Parts<Row>;
  /** Shows only the first rows. */
  readonly limit?: Omit<FirstOfProps<Row>, "items" | "children">;
  /** Shown in place of a table without rows. */
  readonly empty?: ReactNode;
  readonly stacks?: boolean;
  readonly className?: string | undefined;
}

export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, limit, empty = null, stacks, className } = props;
  const [sort, setSort] = useState<Sort | null>(null);
  const printing = usePrinting();
  if (rows.length === 0) return empty;
  const sorted = arranged(rows, columns.find(({ id }) => id === sort?.column)?.compare, sort);
  const table = (shown: readonly Row[]): ReactNode => (
    <table className={cx(s.table, stacks && s.stacks, className)}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th
              key={column.id}
              scope="col"
              data-look={column.look}
              {...(column.compare && !printing ? { "aria-sort": sortedAs(column, sort) } : {})}
            >
              {column.compare && !printing ? (
                <SortButton column={column} sort={sort} onSort={(id) => setSort(nextSort(sort, id))} />
              ) : (
                <span title={column.about}>{column.label}</span>
              )}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <Rows {...props} rows={shown} />
      </tbody>
    </table>
  );
  const body = limit ? (
    <FirstOf items={sorted} {...limit}>
      {table}
    </FirstOf>
  ) : (
    table(sorted)
  );
  if (!printing) return body;
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label="Table">
      {body}
    </div>
  );
}

function Rows<Row>({ columns, rows, keyOf, toneOf, parts }: TableProps<Row>) {
  const printing = usePrinting();
  const [opened, setOpened] = useState<ReadonlySet<string | number>>(new Set());
  return rows.map((row, i) => {
    const key = keyOf?.(row) ?? i;
    const open = parts?.has(row) === true && (printing || opened.has(key));
    return (
      <Fragment key={key}>
        <tr data-row={toneOf?.(row)}>
          {columns.map((column, at) => {
            const Cell = column.names ? "th" : "td";
            return (
              <Cell
                key={column.id}
                {...(column.names ? { scope: "row" } : {})}
                data-look={column.look}
                data-column={column.id}
                data-label={column.short}
              >
                {at === 0 && !printing && parts?.has(row) && (
                  <PartsButton
                    open={open}
                    name={`row ${i + 1}`}
                    onToggle={() => setOpened(toggled(opened, key))}
                  />
                )}
                {column.cell(row, i)}
              </Cell>
            );
          })}
        </tr>
        {open && (
          <tr>
            <td colSpan={columns.length} data-parts="">
              {parts.draw(row)}
            </td>
          </tr>
        )}
      </Fragment>
    );
  });
}
