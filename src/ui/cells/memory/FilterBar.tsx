/** @file How to find facts: search, anchor, fidelity and documents; the layers are filtered in the overview above. */

import {
  useId,
  useMemo,
  type ReactNode,
  useCallback,
  useDeferredValue,
  useEffect,
  useRef,
  useState,
} from "react";
import { Button, Icon, Row, Text } from "../../controls/basics.tsx";
import { Menu } from "../../controls/Dialog.tsx";
import { count, counted } from "../../format.ts";
import { toggled, NOTHING, prune, type Selection, nextSort } from "../../table/Table.tsx";
import { groupBy } from "../../../lib/group.ts";
import type { FactFilters, FactRow, StoreCell } from "../../../records/notebook.ts";
import type { FactId } from "../../../records/ids.ts";
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
import s from "./FilterBar.module.css";

const OFFERED = 60;

export function FilterBar({ facts }: { readonly facts: FactsShown }) {
  const { view, onView } = facts;
  return (
    <Row wrap align="center" gap="0.35rem 1rem" role="search" aria-label="Find facts">
      <label className={s.search}>
        <span className="visually-hidden">Search the facts</span>
        <Icon name="search" size={15} />
        <input
          type="search"
          value={view.search}
          placeholder="Search facts"
          onChange={({ target }) => onView({ search: target.value })}
        />
      </label>
      <AnchorField {...facts} />
      <FidelityChips {...facts} />
      <Documents {...facts} />
    </Row>
  );
}

function AnchorField({ rows, filters: { anchor = "" }, onFilters }: FactsShown) {
  const id = useId();
  const anchors = useMemo(() => [...new Set(rows.map((row) => row.anchor))], [rows]);
  const typed = anchor.trim().toLowerCase();
  const offered = anchors.filter((one) => one.toLowerCase().includes(typed)).slice(0, OFFERED);
  return (
    <label className={s.anchor}>
      <span className="visually-hidden">Anchor</span>
      <input
        type="search"
        list={id}
        value={anchor}
        placeholder="Anchor"
        onChange={({ target }) => onFilters({ anchor: target.value })}
      />
      <datalist id={id}>
        {offered.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
    </label>
  );
}

function FidelityChips({ rows, filters: { fidelity }, onFilters }: FactsShown) {
  const exact = useMemo(() => rows.reduce((sum, row) => sum + Number(row.exact), 0), [rows]);
  const facts = { exact, inexact: rows.length - exact };
  return (
    <Row wrap align="center" gap="0.1rem 0.9rem" role="group" aria-label="Fidelity">
      {(["exact", "inexact"] as const).map((name) => (
        <Chip
          key={name}
          on={fidelity === name}
          facts={facts[name]}
          onToggle={() => onFilters({ fidelity: fidelity === name ? undefined : name })}
        >
          {name}
        </Chip>
      ))}
    </Row>
  );
}

function Documents({ rows, documents, filters, onFilters }: FactsShown) {
  const chosen = new Set(filters.documents);
  const counts = useMemo(() => [...groupBy(rows, ({ documentId }) => documentId)], [rows]);
  if (counts.length < 2) return null;
  const all = counted(counts.length, "document");
  return (
    <Menu
      label="Documents"
      align="start"
      trigger={
        <Button look="quiet" size="s" icon="book">
          {chosen.size === 0 ? all : `${chosen.size} of ${all}`}
        </Button>
      }
      groups={[
        counts.map(([id, { length: facts }]) => ({
          label: documents.get(id)?.title ?? id,
          note: counted(facts, "fact"),
          checked: chosen.has(id),
          onSelect: () => onFilters({ documents: [...toggled(chosen, id)] }),
        })),
      ]}
    />
  );
}

const Chip = ({
  on,
  onToggle,
  children,
  facts,
}: Readonly<{ on: boolean; onToggle: () => void; children: ReactNode; facts?: number | undefined }>) => (
  <button type="button" className={s.chip} aria-pressed={on} onClick={onToggle}>
    <span className={s.word}>{children}</span>
    {facts !== undefined && (
      <Text numeric size="s">
        {count(facts)}
      </Text>
    )}
  </button>
);

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
  const found = useFound(lateView.search);
  const searches = useAsync(loadWordSearch, [], { wanted: lateView.search.trim() !== "" }).value;
  // oxlint-disable-next-line react/exhaustive-deps -- the search finds nothing before its code is here
  const shown = useMemo(() => filterFacts(rows, lateView, found), [rows, lateView, found, searches]);
  const [selection, onSelection] = useState<Selection<FactId>>(NOTHING);
  useEffect(() => {
    const present = new Set(rows.map(({ id }) => id));
    onSelection((before) => prune(before, present));
  }, [rows]);
  const selected = useMemo(() => rows.filter(({ id }) => selection.ids.has(id)), [rows, selection.ids]);
  const readOnly = useReadOnly();
  return {
    cellId: cell.id,
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
    inspect: actions.inspect,
    openSentence: useStable((row: FactRow) => {
      // If no source cell of the page has the document, the inspector shows what is known of the sentence.
      if (!openSentence(row.documentId, row.offset)) actions.inspect(row.id);
    }),
    remove(ids: readonly FactId[]): void {
      if (readOnly !== null) {
        toast.said(readOnly);
        return;
      }
      const gone = new Set(ids);
      showUndo(factsInWords(rows.filter(({ id }) => gone.has(id))), actions.deleteFacts(cellId, ids));
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

function useFound(search: string): ReadonlySet<FactId> | undefined {
  const { library } = useServices();
  const memory = useNotebook().id;
  // The facts of the saved example are not in the store.
  const saved = useApp(({ memory: { fromExample, said } }) => (fromExample ? said : null));
  const ask = async () => (saved ? searchSaid(search, saved) : library().findWords({ memory, search }));
  const { value } = useAsync(ask, [library, memory, search, saved], { wanted: search.trim() !== "" });
  return useMemo(() => (value ? new Set(value) : undefined), [value]);
}

function searchSaid(search: string, said: ReadonlyMap<FactId, string>): FactId[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return [...said].flatMap(([id, text]) =>
    words.every((word) => text.toLowerCase().includes(word)) ? id : [],
  );
}

const SAVE_AFTER = 600;

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
        actions.setInput(cell.id, "store", next);
        setDraft(null);
      }, SAVE_AFTER);
    },
    [actions, canWrite, cell.id, view],
  );
  return [view, change];
}
