/** @file The run that goes on now: its cell, its notebook, and whether that is the one on the page. */

import { useMemo } from "react";
import type { Cell, Notebook } from "../../records/notebook.ts";
import { isBegun, type Begun } from "../../state/going.ts";
import { useApp } from "../app.tsx";

export interface GoingRun {
  readonly cell: Cell;
  readonly notebook: Notebook;
  readonly run: Begun;
  readonly here: boolean;
  readonly waiting: number;
}

export function useGoing(): GoingRun | null {
  const runs = useApp((state) => state.runs);
  const open = useApp((state) => state.open);
  const currentId = useApp((state) => state.currentId);
  return useMemo(() => {
    const waiting = Object.values(runs).filter(({ status }) => status === "queued").length;
    for (const { notebook } of Object.values(open))
      for (const cell of notebook.cells) {
        const run = runs[cell.id];
        if (isBegun(run)) return { cell, notebook, run, here: notebook.id === currentId, waiting };
      }
    return null;
  }, [runs, open, currentId]);
}
