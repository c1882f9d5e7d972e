/** @file The state of the fact table: filters, order, columns and selection. */

import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactFilters, FactRow, StoreCell } from "../../../records/notebook.ts";
import {
  currentOf,
  useActions,
  useApp,
  useAppState,
  useCanWrite,
  useNotebook,
  useServices,
  useReadOnly,
} from "../../app.tsx";
import { toast, openSentence } from "../../controls/page.ts";
import { useAsync, useStable } from "../../controls/useAsync.tsx";
import {
  FIRST_COLUMNS,
  filterFacts,
  isFiltering,
  loadWordSearch,
  type ColumnId,
  type FactView,
} from "../../facts/factColumns.tsx";
import { showUndo } from "../../facts/notices.tsx";
import { documentsOf, encodedAgainText, factsInWords } from "../../facts/words.ts";
import { nextSort } from "../../table/Table.tsx";
import { NOTHING, prune, type Selection } from "../../table/selection.ts";

export type FactsShown = ReturnType<typeof useFacts>;

export function useFacts(cell: StoreCell, rows: readonly FactRow[]) {
  const notebook = useNotebook();
  const info = useApp(({ memory }) => memory.info);
  const documents = useMemo(() => documentsOf(notebook, info), [notebook, info]);
  const [view, onView] = useFactView(cell);
  const onFilters = (part: FactFilters): void => onView({ filters: { ...view.filters, ...part } });
  const onSort = useCallback(
    (column: string) => onView({ sort: nextSort(view.sort, column) }),
    [onView, view.sort],
  );
  const [visible, onVisible] = useState<readonly ColumnId[]>(FIRST_COLUMNS);
  // Typing stays quick: the table follows when there is time.
  const lateView = useDeferredValue(view);
  const found = useFound(lateView.search, info?.params.index === "wordless");
  const searches = useAsync(loadWordSearch, [], { wanted: lateView.search.trim() !== "" }).value;
  // eslint-disable-next-line react-hooks/exhaustive-deps -- the search finds nothing before its code is here
  const shown = useMemo(() => filterFacts(rows, lateView, found), [rows, lateView, found, searches]);
  const [selection, onSelection] = useState<Selection<FactId>>(NOTHING);
  useEffect(() => {
    const present = new Set(rows.map(({ id }) => id));
    onSelection((before) => prune(before, present));
  }, [rows]);
  const selected = useMemo(() => rows.filter(({ id }) => selection.ids.has(id)), [rows, selection.ids]);
  const readOnly = useReadOnly();
  return {
    title: notebook.title,
    rows,
    documents,
    readOnly,
    view,
    onView,
    filters: view.filters,
    onFilters,
    filtered: isFiltering(view),
    onSort,
    visible,
    onVisible,
    shown,
    selection,
    onSelection,
    selected,
    ...useFactActions(cell.id, rows, readOnly),
  };
}

function useFactActions(cellId: string, rows: readonly FactRow[], readOnly: string | null) {
  const actions = useActions();
  const state = useAppState();
  return {
    inspect: (id: FactId) => actions.inspect({ kind: "fact", id }),
    openSentence: useStable((row: FactRow) => {
      // If no source cell of the page has the document, the inspector shows what is known of the sentence.
      if (!openSentence(row.documentId, row.offset)) actions.inspect({ kind: "fact", id: row.id });
    }),
    /** Hides facts at once, and deletes them permanently when the undo window ends. */
    remove(ids: readonly FactId[]): void {
      if (readOnly !== null) {
        toast.said(readOnly);
        return;
      }
      const gone = new Set(ids);
      const what = factsInWords(rows.filter(({ id }) => gone.has(id)));
      showUndo(what, actions.deleteFacts(cellId, ids));
    },
    /** Encodes facts once more, one after the other; stops at the first that fails. */
    async reencode(ids: readonly FactId[]): Promise<void> {
      const done = new Set<FactId>();
      for (const id of ids) {
        if (!(await actions.reencode(cellId, { id }))) break;
        done.add(id);
      }
      const notebook = currentOf(state())?.notebook;
      const now = state().memory.facts?.filter(({ id }) => done.has(id)) ?? [];
      if (notebook && now.length > 0) toast.said(encodedAgainText(notebook, now));
    },
  };
}

/** Facts of a wordless memory with every word of `search`. */
function useFound(search: string, wordless: boolean): ReadonlySet<FactId> | undefined {
  const { library } = useServices();
  const memory = useNotebook().id;
  const ask = () => library().findWordless({ memory, search });
  const { value } = useAsync(ask, [library, memory, search], { wanted: wordless && search.trim() !== "" });
  return useMemo(() => (value ? new Set(value) : undefined), [value]);
}

/** Milliseconds of quiet before the view is saved. */
const SAVE_AFTER = 600;

/** The view of a memory cell. It is saved a moment after a change, and not at all in a tab that may not write. */
function useFactView(cell: StoreCell): [FactView, (change: Partial<FactView>) => void] {
  const actions = useActions();
  const canWrite = useCanWrite();
  const [draft, setDraft] = useState<FactView | null>(null);
  const view = draft ?? cell.input;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const change = useCallback(
    (part: Partial<FactView>) => {
      const next = { ...view, ...part };
      setDraft(next);
      clearTimeout(timer.current);
      if (!canWrite) return;
      timer.current = setTimeout(() => {
        actions.setInput(cell.id, "store", () => next);
        setDraft(null);
      }, SAVE_AFTER);
    },
    [actions, canWrite, cell.id, view],
  );
  return [view, change];
}
