/** @file A table with its columns as data. It can open rows to their parts and show the first rows only. */

import { counted } from "../format.ts";
import { Fragment, useState, type ReactNode } from "react";
import { cx, usePrinting, Icon, Button } from "../controls/basics.tsx";
import { toggled } from "./selection.ts";
import s from "./Table.module.css";
import head from "./Head.module.css";

export interface TableProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf?: (row: Row) => string;
  readonly toneOf?: (row: Row) => string | undefined;
  readonly parts?: Parts<Row>;
  readonly limit?: Omit<FirstOfProps<Row>, "items" | "children">;
  readonly empty?: ReactNode;
  readonly stacks?: boolean;
  readonly className?: string | undefined;
}

export function Table<Row>(props: TableProps<Row>) {
  const { caption, columns, rows, limit, empty = null, stacks, className } = props;
  const printing = usePrinting();
  if (rows.length === 0) return empty;
  const table = (shown: readonly Row[]): ReactNode => (
    <table className={cx(s.table, stacks && s.stacks, className)}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.id} scope="col" data-look={column.look}>
              <span title={column.about}>{column.label}</span>
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
    <FirstOf items={rows} {...limit}>
      {table}
    </FirstOf>
  ) : (
    table(rows)
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

interface PartsButtonProps {
  readonly open: boolean;
  readonly name: string;
  readonly onToggle: () => void;
  readonly tabIndex?: number;
}

export function PartsButton({ open, name, onToggle, ...rest }: PartsButtonProps) {
  return (
    <button
      type="button"
      className={head.parts}
      aria-expanded={open}
      aria-label={`Parts of ${name}`}
      onClick={(event) => {
        event.stopPropagation();
        onToggle();
      }}
      {...rest}
    >
      <Icon name="right" size={13} />
    </button>
  );
}

/** number: to the right, digits of one width; key: a key; words: text of a source; soft: less important. */
type Look = "number" | "key" | "words" | "soft";

export interface Column<Row> {
  readonly id: string;
  readonly label: ReactNode;
  readonly cell: (row: Row, index: number) => ReactNode;
  readonly about?: string;
  readonly look?: Look;
  readonly names?: true;
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

interface FirstOfProps<Item> {
  readonly items: readonly Item[];
  readonly first: number;
  /** Items added per press; all without it. */
  readonly step?: number;
  /** The noun of the rest, as in "Show 3 more facts", or the words of the button. */
  readonly more: string | ((shown: number, rest: number) => ReactNode);
  /** In print there is no button: the number of items, and a note on the rest. */
  readonly print?: { readonly first: number; readonly rest: ReactNode };
  readonly children: (shown: readonly Item[]) => ReactNode;
}

export function FirstOf<Item>({ items, first, step = Infinity, more, print, children }: FirstOfProps<Item>) {
  const [limit, setLimit] = useState(first);
  const printing = usePrinting();
  const most = printing ? (print?.first ?? Infinity) : limit;
  const rest = items.length - most;
  const words = typeof more === "string" ? `Show ${counted(rest, more)}` : more(limit, rest);
  return (
    <>
      {children(rest > 0 ? items.slice(0, most) : items)}
      {rest > 0 && printing && <p className="soft">{print?.rest}</p>}
      {rest > 0 && !printing && (
        <div>
          <Button look="quiet" size="s" label={words} onClick={() => setLimit(limit + step)} />
        </div>
      )}
    </>
  );
}
