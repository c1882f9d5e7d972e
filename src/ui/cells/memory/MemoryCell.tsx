/** @file The memory cell: every fact of the memory, how well it is recalled, and everything one can do with it. */

import { useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import type { FactId } from "../../../records/ids.ts";
import type { FactRow, StoreCell as Cell } from "../../../records/notebook.ts";
import { useActions, useApp, useNotebook, useRun, type CellProps } from "../../app.tsx";
import { MemoryFigures } from "../../charts/MemoryFigures.tsx";
import { Notice } from "../../controls/Badge.tsx";
import { Button } from "../../controls/Button.tsx";
import { Progress } from "../../controls/Progress.tsx";
import { nextSort } from "../../table/column.ts";
import { NOTHING, prune, selectAll, selectNone, toggled, type Selection } from "../../table/selection.ts";
import { Certificates } from "./Certificates.tsx";
import { FIRST_COLUMNS } from "./columns.tsx";
import { documentsOf } from "./documents.ts";
import { FactTable } from "./FactTable.tsx";
import { FilterBar } from "./FilterBar.tsx";
import { MemoryMenu } from "./MemoryMenu.tsx";
import { useMemoryFiles } from "./memoryFiles.ts";
import { Overview } from "./Overview.tsx";
import { overview } from "./overview.ts";
import { SelectionBar } from "./SelectionBar.tsx";
import { StorageLine } from "./StorageLine.tsx";
import { useFactView } from "./useFactView.ts";
import { useFactActions, useReadOnly } from "./useFactActions.ts";
import { filterFacts, inSourceOrder, readFilters, saveFilters, type ColumnId } from "./view.ts";
import s from "./MemoryCell.module.css";

export function MemoryCell({ cell }: CellProps<"store">) {
  const actions = useActions();
  const memory = useApp((state) => state.memory);
  const info = memory.info;
  const storage = useApp((state) => state.storage);
  useEffect(() => {
    void actions.loadFacts();
  }, [actions, info]);
  useEffect(() => {
    void actions.refreshStorage();
  }, [actions]);
  const ordered = useMemo(() => memory.facts && inSourceOrder(memory.facts), [memory.facts]);
  const rows = useMemo(
    () => ordered?.filter(({ id }) => !memory.leaving.has(id)) ?? null,
    [ordered, memory.leaving],
  );
  return (
    <div className={s.store}>
      {memory.problem ? (
        <Notice
          tone="rubric"
          role="alert"
          title="The facts could not be read."
          actions={
            <Button size="s" onClick={() => void actions.refreshMemory()}>
              Try again
            </Button>
          }
        >
          {memory.problem.message}
        </Notice>
      ) : rows === null ? (
        <div className={s.waiting}>
          <Progress label="Reading the facts" done={0} total={null} />
        </div>
      ) : (
        <Facts cell={cell} rows={rows} />
      )}
      <Reencoding cell={cell} />
      {rows && rows.length > 0 && <MemoryFigures cellId={cell.id} />}
      <Certificates certificates={cell.output?.certificates ?? []} />
      {rows && rows.length > 0 && <StorageLine info={info} storage={storage} />}
    </div>
  );
}

function Facts({ cell, rows }: { readonly cell: Cell; readonly rows: readonly FactRow[] }) {
  const [view, onView] = useFactView(cell);
  const [visible, setVisible] = useState<readonly ColumnId[]>(FIRST_COLUMNS);
  const notebook = useNotebook();
  const info = useApp((state) => state.memory.info);
  const documents = useMemo(() => documentsOf(notebook, info), [notebook, info]);
  const files = useMemoryFiles();
  const readOnly = useReadOnly();
  const [selection, setSelection] = useState<Selection<FactId>>(NOTHING);
  useEffect(() => {
    const present = new Set(rows.map(({ id }) => id));
    setSelection((before) => prune(before, present));
  }, [rows]);
  const { inspect, remove, reencode, openSentence } = useFactActions(cell.id, rows, readOnly);
  // Typing stays quick: the table follows when there is time.
  const lateView = useDeferredValue(view);
  const shown = useMemo(() => filterFacts(rows, lateView), [rows, lateView]);
  const numbers = useMemo(() => overview(rows), [rows]);
  const filters = useMemo(() => readFilters(view.filters), [view.filters]);
  const selected = useMemo(() => rows.filter(({ id }) => selection.ids.has(id)), [rows, selection.ids]);
  const now = useNow();
  const onSort = useCallback(
    (column: string) => {
      onView({ sort: nextSort(view.sort, column) });
    },
    [onView, view.sort],
  );
  const menu = (
    <MemoryMenu
      rows={rows}
      title={notebook.title}
      files={files}
      readOnly={readOnly}
      visible={visible}
      onVisible={setVisible}
      sort={view.sort}
      onSort={onSort}
    />
  );
  if (rows.length === 0) return <Empty menu={menu} pending={info?.pending ?? 0} />;
  const filtered = view.search.trim() !== "" || Object.keys(saveFilters(filters)).length > 0;
  const clear = (): void => {
    onView({ search: "", filters: {} });
  };
  return (
    <>
      <Overview
        overview={numbers}
        chosen={filters.layers}
        onLayer={(layer) => {
          onView({ filters: saveFilters({ ...filters, layers: toggled(filters.layers, layer) }) });
        }}
      />
      <FilterBar view={view} onView={onView} rows={rows} documents={documents} />
      <SelectionBar
        all={rows}
        shown={shown.length}
        filtered={filtered}
        selected={selected}
        documents={documents}
        readOnly={readOnly}
        onClearFilters={clear}
        onSelectShown={() => {
          setSelection((before) => selectAll(before, ids(shown)));
        }}
        onSelectNone={() => {
          setSelection(selectNone);
        }}
        onDelete={remove}
        onReencode={(which) => void reencode(which)}
        tools={menu}
      />
      {shown.length === 0 ? (
        <p className={s.empty}>
          <strong>No fact matches.</strong>
          Every word of a search must be in the key or in the sentence.
        </p>
      ) : (
        <FactTable
          rows={shown}
          documents={documents}
          now={now}
          visible={visible}
          sort={view.sort}
          onSort={onSort}
          selection={selection}
          onSelection={setSelection}
          onOpen={inspect}
          onOpenSentence={openSentence}
          onDelete={remove}
        />
      )}
    </>
  );
}

const ids = (rows: readonly FactRow[]): FactId[] => rows.map(({ id }) => id);

function Empty({ menu, pending }: { readonly menu: React.ReactNode; readonly pending: number }) {
  return (
    <div>
      <p className={s.empty}>
        <strong>Nothing is remembered yet.</strong>
        {pending > 0
          ? `${pending} facts of an interrupted run wait to be encoded: go on in the Memorise cell.`
          : "Run the Memorise cell above, or import a memory, and its facts stand here: each with the words the model recalls it in, its layer, and how exact it is."}
      </p>
      {menu}
    </div>
  );
}

/** How far encoding again is. */
function Reencoding({ cell }: { readonly cell: Cell }) {
  const run = useRun(cell.id);
  if (run?.status !== "running" || run.progress?.kind !== "flow") return null;
  const line = run.progress.stages.at(-1);
  return line ? (
    <Progress label={`Encoding again: ${line.note ?? line.stage}`} done={line.done} total={line.total} />
  ) : null;
}

/** Milliseconds since 1970, a minute old at most: ages need not tick. */
function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      setNow(Date.now());
    }, 60_000);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return now;
}
