/**
 * @file The search, filters and order of a memory cell. They act at once and reach the notebook a moment later, so that
 * typing does not fill its history; in a tab that may not write they stay in the tab.
 */

import { useCallback, useEffect, useRef, useState } from "react";
import type { StoreCell } from "../../../records/notebook.ts";
import { useActions, useCanWrite } from "../../app.tsx";
import type { FactView } from "./view.ts";

/** Milliseconds of quiet before the view is saved. */
const SAVE_AFTER = 600;

export function useFactView(cell: StoreCell): [FactView, (change: Partial<FactView>) => void] {
  const actions = useActions();
  const canWrite = useCanWrite();
  const [draft, setDraft] = useState<FactView | null>(null);
  const view = draft ?? cell.input;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
    },
    [],
  );
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
