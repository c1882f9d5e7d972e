/**
 * @file A grid that draws only its visible rows, which can be sorted, selected and walked by keyboard. The grid itself
 * has the focus and refers to the current row by id, so that rows may come and go while one scrolls.
 */

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
} from "react";
import { useStable } from "../controls/useAsync.ts";
import { cx } from "../cx.ts";
import type { Column, Parts, Sort } from "./column.ts";
import { GridRow, SelectMark } from "./GridRow.tsx";
import { gridAction } from "./gridKeys.ts";
import { SortButton, sortedAs } from "./Head.tsx";
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
  /** Accessible name: "Facts in memory". */
  readonly label: string;
  /** The rows in a word or two: "facts". */
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

/** Handles keys on the grid itself, but not on the controls inside it, and not with Alt. */
function keyHandler<Row, Id extends string>(
  { rows, parts, idOf, keys, selection, onSelection, onOpen, onDelete }: GridProps<Row, Id>,
  {
    shown,
    at,
    opened,
    height,
    onToggle,
    scrollTo,
  }: {
    readonly shown: readonly Id[];
    /** The current row; -1 for none. */
    readonly at: number;
    readonly opened: ReadonlySet<Id>;
    readonly height: number;
    readonly onToggle: (row: Id) => void;
    readonly scrollTo: (index: number) => void;
  },
) {
  return (event: KeyboardEvent): void => {
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
}

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
