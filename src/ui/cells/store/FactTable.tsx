/**
 * @file The facts as a grid of which only the rows in sight exist. The grid itself has the focus and names the row
 * that has the keyboard, so that rows may come and go while one scrolls.
 */

import { useTable, type SortingState } from "@tanstack/react-table";
import { defaultRangeExtractor, useVirtualizer, type Range } from "@tanstack/react-virtual";
import {
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
} from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow } from "../../../records/notebook.ts";
import { cx } from "../../cx.ts";
import { columns, features, tracks } from "./columns.ts";
import type { CellContext } from "./FactCells.tsx";
import { FactRowView } from "./FactRowView.tsx";
import { HeadRow } from "./HeadRow.tsx";
import { extendTo, moveTo, selectAll, selectNone, shownState, toggle, type Selection } from "./selection.ts";
import { tableAction } from "./tableKeys.ts";
import { useWidth } from "./useWidth.ts";
import { isColumn, type ColumnId, type FactView } from "./view.ts";
import s from "./FactTable.module.css";

export interface FactTableProps extends CellContext {
  /** Filtered, in source order; the table sorts. */
  readonly rows: readonly FactRow[];
  readonly visible: readonly ColumnId[];
  readonly sort: FactView["sort"];
  readonly onSort: (column: ColumnId) => void;
  readonly selection: Selection;
  readonly onSelection: (change: (selection: Selection) => Selection) => void;
  readonly onInspect: (id: FactId) => void;
  readonly onDelete: (ids: readonly FactId[]) => void;
}

/** Below this width in pixels a fact is an entry of two lines. */
const NARROW = 620;
const [ROW_HEIGHT, ENTRY_HEIGHT, HEAD_HEIGHT] = [44, 78, 32];

export function FactTable(props: FactTableProps) {
  const { rows, visible, sort, onSort, selection, onSelection, documents, now, onOpenSentence } = props;
  const scroll = useRef<HTMLDivElement>(null);
  const narrow = useWidth(scroll, NARROW + 1) <= NARROW;
  const height = narrow ? ENTRY_HEIGHT : ROW_HEIGHT;
  const head = narrow ? 0 : HEAD_HEIGHT;
  const sorted = useSorted(rows, sort);
  const shown = useMemo(() => sorted.map(({ id }) => id), [sorted]);
  const id = useId();
  const { cursor } = selection;
  const at = useMemo(() => (cursor === null ? -1 : shown.indexOf(cursor)), [shown, cursor]);
  const virtualizer = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => height,
    getItemKey: useCallback((index: number) => shown[index]!, [shown]),
    // The row that has the keyboard is named by its id, so it must exist even out of sight.
    rangeExtractor: useCallback((range: Range) => withRow(defaultRangeExtractor(range), at), [at]),
    overscan: 6,
    scrollMargin: head,
    scrollPaddingStart: head,
  });
  useEffect(() => {
    virtualizer.measure();
  }, [height, virtualizer]);

  const context = useMemo<CellContext>(
    () => ({ documents, now, onOpenSentence }),
    [documents, now, onOpenSentence],
  );
  const onPick = useStable((fact: FactId, event: MouseEvent, box: boolean) => {
    if (event.shiftKey) onSelection((before) => extendTo(before, fact, shown));
    else if (box || event.ctrlKey || event.metaKey) onSelection((before) => toggle(before, fact));
    else {
      onSelection((before) => moveTo(before, fact));
      props.onInspect(fact);
    }
  });
  const box = useMemo(() => shownState(selection.ids, shown), [selection.ids, shown]);
  const onSelectAll = useStable((all: boolean) => {
    onSelection((before) => (all ? selectAll(before, shown) : selectNone(before)));
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || event.altKey) return;
    const page = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 0) / height) - 1);
    const action = tableAction(event, selection, shown, page);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    if (action.kind === "delete") props.onDelete(action.ids);
    else if (action.kind === "inspect") props.onInspect(action.id);
    else if (action.kind === "sentence") onOpenSentence(rows.find((row) => row.id === action.id)!);
    else {
      onSelection(() => action.selection);
      if (action.scrollTo !== null) virtualizer.scrollToIndex(action.scrollTo);
    }
  };

  return (
    <div
      ref={scroll}
      role="grid"
      tabIndex={0}
      className={cx(s.grid, narrow && s.narrow)}
      style={{ "--tracks": tracks(visible), "--rows": `${sorted.length * height + head}px` } as CSSProperties}
      aria-label="Facts in memory"
      aria-rowcount={sorted.length + 1}
      aria-colcount={visible.length + 1}
      aria-multiselectable="true"
      {...(at >= 0 ? { "aria-activedescendant": `${id}-${at}` } : {})}
      onKeyDown={onKeyDown}
    >
      <HeadRow visible={visible} sort={sort} onSort={onSort} selected={box} onSelectAll={onSelectAll} />
      <div role="rowgroup" className={s.rows} style={{ height: virtualizer.getTotalSize() - head }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = sorted[index]!;
          return (
            <FactRowView
              key={row.id}
              row={row}
              id={`${id}-${index}`}
              position={index}
              top={start - head}
              height={height}
              visible={visible}
              selected={selection.ids.has(row.id)}
              current={index === at}
              context={context}
              onPick={onPick}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The facts in the order of `sort`; TanStack Table keeps the order until rows or sort change. */
function useSorted(rows: readonly FactRow[], sort: FactView["sort"]): readonly FactRow[] {
  const sorting = useMemo<SortingState>(
    () => (sort && isColumn(sort.column) ? [{ id: sort.column, desc: sort.descending }] : []),
    [sort],
  );
  const table = useTable({
    features,
    columns,
    data: rows,
    getRowId: (row) => row.id,
    state: { sorting },
  });
  const model = table.getRowModel();
  return useMemo(() => model.rows.map(({ original }) => original), [model]);
}

const withRow = (indices: number[], row: number): number[] =>
  row < 0 || indices.includes(row) ? indices : [...indices, row].sort((a, b) => a - b);

/** One function for good that always does what `handler` does now: rows need not be drawn again for it. */
function useStable<Arguments extends unknown[]>(
  handler: (...given: Arguments) => void,
): (...given: Arguments) => void {
  const latest = useRef(handler);
  useEffect(() => {
    latest.current = handler;
  });
  return useCallback((...given: Arguments) => {
    latest.current(...given);
  }, []);
}
