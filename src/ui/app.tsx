/** @file How components reach the app: hooks for its state, its actions and the facts of its memory. */

import { createContext, useContext, type ReactNode, useEffect, useMemo } from "react";
import { type Actions, type App, useAppStore } from "../state/app.ts";
import type { CellKind, CellOfKind, Notebook, FactRow } from "../records/notebook.ts";
import type { AppState, CellRun } from "../state/core.ts";

const AppContext = createContext<App | null>(null);

export const AppProvider = ({ app, children }: { readonly app: App; readonly children: ReactNode }) => (
  <AppContext value={app}>{children}</AppContext>
);

export const useServices = (): Pick<App, "engine" | "library"> => useAppObject();

export const useApp = <T,>(select: (state: AppState) => T): T => useAppStore(useAppObject().store, select);

export const useActions = (): Actions => useAppObject().actions;

export const useAppState = (): (() => AppState) => useAppObject().store.getState;

function useAppObject(): App {
  const app = useContext(AppContext);
  if (!app) throw new Error("ui: there is no AppProvider above this component");
  return app;
}

/** The notebook on the page; null while the first one is being opened. */
export const currentOf = ({ open, currentId }: AppState) => (currentId && open[currentId]) || null;

/** The notebook on the page. Throws before there is one: cells are drawn only after. */
export function useNotebook(): Notebook {
  const current = useApp(currentOf);
  if (!current) throw new Error("ui: no notebook is open");
  return current.notebook;
}

export const useRun = (cellId: string): CellRun | null => useApp(({ runs }) => runs[cellId] ?? null);

export const useCanWrite = (): boolean => useApp(({ lock }) => lock.role !== "reader");

export interface CellProps<K extends CellKind> {
  readonly cell: CellOfKind<K>;
}

export type FormProps<K extends CellKind> = CellProps<K> & { readonly disabled: boolean };

export function useFactRows(): readonly FactRow[] | null {
  const { loadFacts } = useActions();
  const rows = useApp(({ memory }) => memory.facts);
  const info = useApp(({ memory }) => memory.info);
  const id = useApp(({ currentId }) => currentId);
  const missing = rows === null;
  // After a failure a refresh brings a new head of the memory: the facts are read again.
  useEffect(() => {
    if (id && missing) void loadFacts();
  }, [id, info, missing, loadFacts]);
  return rows;
}

export function useFactsById(): ReadonlyMap<string, FactRow> | null {
  const rows = useFactRows();
  return useMemo(() => rows && new Map(rows.map((row) => [row.id as string, row])), [rows]);
}

/** Why the memory cannot be changed now, as a sentence; null when it can. */
export function useReadOnly(): string | null {
  const canWrite = useCanWrite();
  const fromExample = useApp((state) => state.memory.fromExample);
  if (!canWrite)
    return "Palimpsest is open in another tab, and only one tab can change a memory. Press “Write here instead” at the top first.";
  if (fromExample)
    return "These facts belong to the saved example. Run all cells to store them in this browser, then change them.";
  return null;
}
