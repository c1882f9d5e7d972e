/** @file A grid that draws only its visible rows, which can be sorted, selected and walked by keyboard. The grid has the focus. */

import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import {
  memo,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from "react";
import { useStable } from "../controls/useAsync.tsx";
import { cx, useWidth, Icon } from "../controls/basics.tsx";
import {
  type Column,
  type Parts,
  type Sort,
  PartsButton,
  extendTo,
  moveTo,
  selectAll,
  selectNone,
  shownState,
  toggle,
  toggled,
  type Selection,
  cursorAfter,
} from "./Table.tsx";
import s from "./Grid.module.css";
import head from "./Head.module.css";

export interface GridProps<Row, Id extends string> {
  readonly label: string;
  readonly noun: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => Id;
  readonly nameOf: (row: Row) => string;
  readonly sort: Sort | null;
  readonly onSort: (column: string) => void;
  readonly selection: Selection<Id>;
  readonly onSelection: (change: (selection: Selection<Id>) => Selection<Id>) => void;
  readonly onOpen: (id: Id) => void;
  readonly onDelete: (ids: readonly Id[]) => void;
  readonly keys?: Readonly<Record<string, (id: Id) => void>>;
  readonly parts?: Parts<Row>;
  readonly className?: string | undefined;
}

/** Below this width in pixels a row is an entry of two lines. */
const NARROW = 620;
const [ROW_HEIGHT, ENTRY_HEIGHT, HEAD_HEIGHT] = [44, 78, 32];

export function Grid<Row, Id extends string>(props: GridProps<Row, Id>) {
  const { rows, columns, idOf, nameOf, selection, parts } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const narrow = useWidth(scroll, NARROW + 1) <= NARROW;
  const [height, head] = narrow ? [ENTRY_HEIGHT, 0] : [ROW_HEIGHT, HEAD_HEIGHT];
  const shown = useMemo(() => rows.map(idOf), [rows, idOf]);
  const id = useId();
  const { cursor } = selection;
  const at = useMemo(() => (cursor === null ? -1 : shown.indexOf(cursor)), [shown, cursor]);
  const virtualizer = useRows(scroll, shown, at, height, head);
  const [opened, setOpened] = useState<ReadonlySet<Id>>(new Set());
  const onToggle = useCallback((row: Id) => setOpened((before) => toggled(before, row)), []);
  const { onPick, onSelectAll } = usePicking(props, shown);
  const box = useMemo(() => shownState(selection.ids, shown), [selection.ids, shown]);
  const onKeyDown = keyHandler(props, {
    ...{ shown, at, opened, height, onToggle },
    scrollTo: (to) => virtualizer.scrollToIndex(to),
  });
  return (
    <div
      ref={scroll}
      role="grid"
      tabIndex={0}
      className={cx(s.grid, narrow && s.narrow, props.className)}
      data-narrow={narrow}
      style={{ "--tracks": tracks(columns) } as CSSProperties}
      aria-label={props.label}
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      {...(at >= 0 ? { "aria-activedescendant": `${id}-${at}` } : {})}
      onKeyDown={onKeyDown}
    >
      <GridHead
        columns={columns}
        noun={props.noun}
        sort={props.sort}
        onSort={props.onSort}
        selected={box}
        onSelectAll={onSelectAll}
      />
      <div role="rowgroup" className={s.rows} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const [row, rowId] = [rows[index]!, shown[index]!];
          return (
            <GridRow
              key={rowId}
              {...{ row, rowId, columns, height, onPick, onToggle }}
              id={`${id}-${index}`}
              name={nameOf(row)}
              position={index}
              top={start - head}
              selected={selection.ids.has(rowId)}
              current={index === at}
              parts={parts?.has(row) ? parts : null}
              open={opened.has(rowId)}
              measure={parts ? virtualizer.measureElement : null}
            />
          );
        })}
      </div>
    </div>
  );
}

interface Drawn<Id extends string> {
  readonly shown: readonly Id[];
  readonly at: number;
  readonly opened: ReadonlySet<Id>;
  readonly height: number;
  readonly onToggle: (row: Id) => void;
  readonly scrollTo: (index: number) => void;
}

const keyHandler =
  <Row, Id extends string>(
    { rows, parts, idOf, keys, selection, onSelection, onOpen, onDelete }: GridProps<Row, Id>,
    { shown, at, opened, height, onToggle, scrollTo }: Drawn<Id>,
  ) =>
  (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.altKey) return;
    const { cursor } = selection;
    const own = event.ctrlKey || event.metaKey ? undefined : keys?.[event.key];
    const row = rows[at];
    const open = row !== undefined && parts?.has(row) === true ? opened.has(idOf(row)) : null;
    const page = Math.max(1, Math.floor(event.currentTarget.clientHeight / height) - 1);
    const action = own && cursor !== null ? null : gridAction(event, selection, shown, page, open);
    if (own && cursor !== null) own(cursor);
    else if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    if (action?.kind === "parts") onToggle(action.id);
    else if (action?.kind === "delete") onDelete(action.ids);
    else if (action?.kind === "open") onOpen(action.id);
    else if (action) {
      onSelection(() => action.selection);
      if (action.scrollTo !== null) scrollTo(action.scrollTo);
    }
  };

interface GridHeadProps extends Pick<GridProps<never, never>, "noun" | "sort" | "onSort"> {
  readonly columns: readonly Pick<Column<never>, "id" | "label" | "about" | "look">[];
  readonly selected: "none" | "some" | "all";
  readonly onSelectAll: (all: boolean) => void;
}

export const GridHead = memo(function GridHead(props: GridHeadProps) {
  const { columns, noun, sort, onSort, selected, onSelectAll } = props;
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
        {columns.map(({ id, label, about, look }) => {
          const order = sort?.column !== id ? "none" : sort.descending ? "descending" : "ascending";
          return (
            <div key={id} role="columnheader" aria-sort={order} className={s.headCell} data-look={look}>
              <button
                type="button"
                className={head.button}
                title={about ? `${about}; press to sort` : "press to sort"}
                onClick={() => onSort(id)}
              >
                {label}
                <span className={head.arrow} data-on={order !== "none"}>
                  <Icon name={order === "descending" ? "down" : "up"} size={11} />
                </span>
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
});

function usePicking<Row, Id extends string>(props: GridProps<Row, Id>, shown: readonly Id[]) {
  const { onSelection, onOpen } = props;
  const onPick = useStable((row: Id, event: MouseEvent, box: boolean) => {
    if (event.shiftKey) onSelection((before) => extendTo(before, row, shown));
    else if (box || event.ctrlKey || event.metaKey) onSelection((before) => toggle(before, row));
    else {
      onSelection((before) => moveTo(before, row));
      onOpen(row);
    }
  });
  const onSelectAll = useStable((all: boolean) =>
    onSelection((before) => (all ? selectAll(before, shown) : selectNone(before))),
  );
  return { onPick, onSelectAll };
}

const tracks = (columns: readonly Column<never>[]): string =>
  ["1.9rem", ...columns.map(({ width }) => width ?? "minmax(0, 1fr)")].join(" ");

/** The visible rows, and row `at`: it has the keyboard and must exist even out of sight, because its id is referenced. */
function useRows(
  scroll: { readonly current: HTMLDivElement | null },
  shown: readonly string[],
  at: number,
  height: number,
  head: number,
) {
  const virtualizer = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => height,
    getItemKey: useCallback((index: number) => shown[index]!, [shown]),
    rangeExtractor: useCallback((range: Range) => withRow(defaultRangeExtractor(range), at), [at]),
    overscan: 6,
    scrollMargin: head,
    scrollPaddingStart: head,
  });
  useEffect(() => virtualizer.measure(), [height, virtualizer]);
  return virtualizer;
}

const withRow = (indices: number[], row: number): number[] =>
  row < 0 || indices.includes(row) ? indices : [...indices, row].sort((a, b) => a - b);

interface GridRowProps<Row, Id extends string> {
  readonly row: Row;
  readonly rowId: Id;
  readonly id: string;
  readonly name: string;
  readonly position: number;
  readonly top: number;
  readonly height: number;
  readonly columns: readonly Column<Row>[];
  readonly selected: boolean;
  readonly current: boolean;
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

function SelectMark({ state }: { readonly state: "none" | "some" | "all" }) {
  return (
    <svg width="15" height="15" viewBox="0 0 15 15" aria-hidden="true" className={s.mark} data-state={state}>
      <rect x="1" y="1" width="13" height="13" rx="2" />
      {state === "all" && <path d="M4 7.8 6.6 10.4 11.2 4.8" />}
      {state === "some" && <path d="M4 7.5h7" />}
    </svg>
  );
}

type GridAction<Id extends string> =
  | { readonly kind: "select"; readonly selection: Selection<Id>; readonly scrollTo: number | null }
  | { readonly kind: "open"; readonly id: Id }
  | { readonly kind: "parts"; readonly id: Id }
  | { readonly kind: "delete"; readonly ids: readonly Id[] };

/** Null if the key means nothing in a grid. @param open whether the current row's parts are open; null without parts */
export function gridAction<Id extends string>(
  keystroke: Readonly<{ key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean }>,
  selection: Selection<Id>,
  shown: readonly Id[],
  page: number,
  open: boolean | null = null,
): GridAction<Id> | null {
  const { key, shiftKey } = keystroke;
  const [cursor, command] = [selection.cursor, keystroke.ctrlKey || keystroke.metaKey];
  const select = (next: Selection<Id>, scrollTo: number | null = null): GridAction<Id> => ({
    kind: "select",
    selection: next,
    scrollTo,
  });
  if (command) return key.toLowerCase() === "a" ? select(selectAll(selection, shown)) : null;
  if (key === "Escape") return selection.ids.size > 0 ? select(selectNone(selection)) : null;
  if (key === "Delete" || key === "Backspace") {
    const ids = selection.ids.size > 0 ? [...selection.ids] : cursor === null ? [] : [cursor];
    return ids.length > 0 ? { kind: "delete", ids } : null;
  }
  if (cursor !== null && (key === " " || key === "x")) return select(toggle(selection, cursor));
  if (cursor !== null && key === "Enter") return { kind: "open", id: cursor };
  if (cursor !== null && open !== null && key === (open ? "ArrowLeft" : "ArrowRight"))
    return { kind: "parts", id: cursor };
  const at = cursor === null ? -1 : shown.indexOf(cursor);
  const to = cursorAfter(key, at, shown.length, page);
  if (to === null) return null;
  const id = shown[to]!;
  return select(shiftKey ? extendTo(selection, id, shown) : moveTo(selection, id), to);
}
