/** @file A table with columns, order, limit and parts; and the selection of rows. */

import { counted } from "../format.ts";
import { Fragment, useState, type ReactNode } from "react";
import { cx, usePrinting, Icon, Button } from "../controls/basics.tsx";
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

export const PartsButton = ({
  open,
  name,
  onToggle,
  ...rest
}: Readonly<{ open: boolean; name: string; onToggle: () => void; tabIndex?: number }>) => (
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

export const arranged = <Row,>(
  rows: readonly Row[],
  compare: Compare<Row> | undefined,
  sort: Pick<Sort, "descending"> | null,
): readonly Row[] =>
  !sort || !compare ? rows : rows.toSorted(sort.descending ? (a, b) => compare(b, a) : compare);

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

export interface Selection<Id extends string> {
  readonly ids: ReadonlySet<Id>;
  /** The current row; null before the first click or key. */
  readonly cursor: Id | null;
  readonly anchor: Id | null;
}

export const NOTHING: Selection<never> = { ids: new Set(), cursor: null, anchor: null };

export function toggled<T>(values: ReadonlySet<T>, value: T): ReadonlySet<T> {
  const next = new Set(values);
  if (!next.delete(value)) next.add(value);
  return next;
}

export const toggle = <Id extends string>(selection: Selection<Id>, id: Id): Selection<Id> => ({
  ids: toggled(selection.ids, id),
  cursor: id,
  anchor: id,
});

export const moveTo = <Id extends string>(selection: Selection<Id>, id: Id): Selection<Id> => ({
  ...selection,
  cursor: id,
  anchor: id,
});

export function extendTo<Id extends string>(selection: Selection<Id>, id: Id, shown: readonly Id[]) {
  const to = shown.indexOf(id);
  const start = selection.anchor ?? selection.cursor;
  const from = start === null ? -1 : shown.indexOf(start);
  if (to < 0) return selection;
  const [first, last] = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
  const ids = new Set(selection.ids);
  for (let i = first; i <= last; i++) ids.add(shown[i]!);
  return { ids, cursor: id, anchor: from < 0 ? id : start };
}

export const selectAll = <Id extends string>(selection: Selection<Id>, shown: readonly Id[]) => ({
  ...selection,
  ids: new Set([...selection.ids, ...shown]),
});

export const selectNone = <Id extends string>(selection: Selection<Id>): Selection<Id> => ({
  ...selection,
  ids: new Set(),
});

/** Removes rows that no longer exist; returns the same object if none was removed. */
export function prune<Id extends string>(selection: Selection<Id>, present: ReadonlySet<Id>): Selection<Id> {
  const here = (id: Id | null): Id | null => (id !== null && present.has(id) ? id : null);
  const ids = new Set([...selection.ids].filter((id) => present.has(id)));
  const next = { ids, cursor: here(selection.cursor), anchor: here(selection.anchor) };
  const same =
    ids.size === selection.ids.size && next.cursor === selection.cursor && next.anchor === selection.anchor;
  return same ? selection : next;
}

export function shownState<Id extends string>(ids: ReadonlySet<Id>, shown: readonly Id[]) {
  if (ids.size === 0 || shown.length === 0) return "none";
  const count = shown.reduce((sum, id) => sum + Number(ids.has(id)), 0);
  return count === 0 ? "none" : count === shown.length ? "all" : "some";
}

/** The index to which a key moves the cursor among `count` rows, from `at` (-1: none); null for other keys. */
export function cursorAfter(key: string, at: number, count: number, page: number): number | null {
  const to: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    j: at + 1,
    ArrowUp: at - 1,
    k: at - 1,
    PageDown: at + page,
    PageUp: at - page,
    Home: 0,
    End: count - 1,
  };
  const next = to[key];
  return next === undefined || count === 0 ? null : Math.min(count - 1, Math.max(0, next));
}
