/** @file The facts of the memory as the page knows them, and whether they can be changed. */

import { useEffect } from "react";
import type { FactRow } from "../../records/notebook.ts";
import { useActions, useApp, useCanWrite } from "../app.tsx";

/** The facts of the open notebook; null until they have been read. */
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

/** Why the memory cannot be changed now, as a sentence; null when it can. */
export function useReadOnly(): string | null {
  const canWrite = useCanWrite();
  const fromExample = useApp((state) => state.memory.fromExample);
  if (!canWrite) return "Another tab writes to this notebook; take over there to change the memory here.";
  if (fromExample)
    return "These facts are those of the saved example. Run all cells, and they are stored in this browser.";
  return null;
}
