/**
 * @file Rows of which only those in sight exist, to be sorted, selected and walked by keyboard. The grid itself has the
 * focus and names the row that has the keyboard, so that rows may come and go while one scrolls.
 */

import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import {
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
} from "react";
import { useStable } from "../controls/useStable.ts";
import { cx } from "../cx.ts";
import type { Column, Parts, Sort } from "./column.ts";
import { GridHead } from "./GridHead.tsx";
import { GridRow } from "./GridRow.tsx";
import { gridAction, type GridAction } from "./gridKeys.ts";
import {
  extendTo,
  moveTo,
  selectAll,
  selectNone,
  shownState,
  toggle,
  toggled,
  type Selection,
} from "./selection.ts";
import { useWidth } from "./useWidth.ts";
import s from "./Grid.module.css";

export interface GridProps<Row, Id extends string> {
  /** What the grid holds, read aloud: "Facts in memory". */
  readonly label: string;
  /** In a word or two: "facts". */
  readonly noun: string;
  /** In the order in which they are shown. */
  readonly rows: readonly Row[];
  /** Those shown; the same array while they are the same. */
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => Id;
  readonly nameOf: (row: Row) => string;
  readonly sort: Sort | null;
  readonly onSort: (column: string) => void;
  readonly selection: Selection<Id>;
  readonly onSelection: (change: (selection: Selection<Id>) => Selection<Id>) => void;
  /** A click on a row, or Enter. */
  readonly onOpen: (id: Id) => void;
  readonly onDelete: (ids: readonly Id[]) => void;
  /** Other keys that mean something for a row. */
  readonly keys?: Readonly<Record<string, (id: Id) => void>>;
  readonly parts?: Parts<Row>;
  readonly className?: string | undefined;
}

/** Below this width in pixels a row is an entry of two lines. */
const NARROW = 620;
const [ROW_HEIGHT, ENTRY_HEIGHT, HEAD_HEIGHT] = [44, 78, 32];

export function Grid<Row, Id extends string>(props: GridProps<Row, Id>) {
  const { rows, columns, idOf, selection, parts } = props;
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
  const onKeyDown = keyHandler(
    props,
    { shown, at, opened, onToggle },
    (to) => virtualizer.scrollToIndex(to),
    height,
  );
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
        {virtualizer.getVirtualItems().map(({ index, start }) => (
          <GridRow
            key={shown[index]}
            {...rowProps(props, shown[index]!, index)}
            id={`${id}-${index}`}
            top={start - head}
            height={height}
            current={index === at}
            open={opened.has(shown[index]!)}
            measure={parts ? virtualizer.measureElement : null}
            onPick={onPick}
            onToggle={onToggle}
          />
        ))}
      </div>
    </div>
  );
}

/** What a row is drawn from, wherever it stands. */
function rowProps<Row, Id extends string>(
  { rows, columns, nameOf, selection, parts }: GridProps<Row, Id>,
  rowId: Id,
  position: number,
) {
  const row = rows[position]!;
  const selected = selection.ids.has(rowId);
  return {
    row,
    rowId,
    position,
    columns,
    selected,
    name: nameOf(row),
    parts: parts?.has(row) ? parts : null,
  };
}

/** Keys on the grid itself; those on what lies in it, and those with Alt, are not its own. */
function keyHandler<Row, Id extends string>(
  props: GridProps<Row, Id>,
  walk: Omit<Walk<Id>, "page"> & { readonly onToggle: (row: Id) => void },
  scrollTo: (index: number) => void,
  height: number,
) {
  return (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.altKey) return;
    const page = Math.max(1, Math.floor(event.currentTarget.clientHeight / height) - 1);
    const action = keyedAction(props, event, { ...walk, page });
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    if (action.kind === "parts") walk.onToggle(action.id);
    else act(props, action, scrollTo);
  };
}

/** What a key does to the rows: what it means for a row of this kind, else what it means in every grid. */
function keyedAction<Row, Id extends string>(
  { rows, parts, idOf, keys, selection }: GridProps<Row, Id>,
  event: KeyboardEvent,
  { shown, at, opened, page }: Walk<Id>,
): KeyedAction<Id> | null {
  const { cursor } = selection;
  const own = event.ctrlKey || event.metaKey ? undefined : keys?.[event.key];
  if (own && cursor !== null) return { kind: "own", run: () => own(cursor) };
  const row = rows[at];
  const opens = row !== undefined && parts?.has(row) === true ? opened.has(idOf(row)) : null;
  return gridAction(event, selection, shown, page, opens);
}

/** Where the keyboard is: the rows in their order, the one that has it, those that are open, and how many are in sight. */
interface Walk<Id> {
  readonly shown: readonly Id[];
  readonly at: number;
  readonly opened: ReadonlySet<Id>;
  readonly page: number;
}

type KeyedAction<Id extends string> = GridAction<Id> | { readonly kind: "own"; readonly run: () => void };

function act<Row, Id extends string>(
  { onSelection, onOpen, onDelete }: GridProps<Row, Id>,
  action: Exclude<KeyedAction<Id>, { readonly kind: "parts" }>,
  scrollTo: (index: number) => void,
): void {
  if (action.kind === "own") action.run();
  else if (action.kind === "delete") onDelete(action.ids);
  else if (action.kind === "open") onOpen(action.id);
  else {
    onSelection(() => action.selection);
    if (action.scrollTo !== null) scrollTo(action.scrollTo);
  }
}

/** What a press on a row or on the box of all rows does. */
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

/** The first track is the selection box. */
const tracks = (columns: readonly Column<never>[]): string =>
  ["1.9rem", ...columns.map(({ width }) => width ?? "minmax(0, 1fr)")].join(" ");

/** The rows in sight, and row `at`, which has the keyboard and is named by its id: it must exist even out of sight. */
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
