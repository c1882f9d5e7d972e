/** @file Run, pause, stop: in the margin, beside the cell they mean. */

import type { Cell } from "../../../records/notebook.ts";
import type { Run } from "../../../state/types.ts";
import { useActions, useCanWrite } from "../../app.tsx";
import { Button, IconButton } from "../../controls/Button.tsx";
import { cellType } from "../registry.ts";
import s from "./RunControl.module.css";

export function RunControl({ cell, run }: { readonly cell: Cell; readonly run: Run | null }) {
  const { runCell, cancelCell, pause, resume } = useActions();
  const canWrite = useCanWrite();
  const verb = cellType(cell.kind)?.run;
  if (!verb) return null;
  const status = run?.status;
  if (status === "queued" || status === "running" || status === "paused")
    return (
      <div className={s.row}>
        <span className={s.state} data-status={status}>
          {STATES[status]}
        </span>
        {status === "running" && HOLDS.has(cell.kind) && (
          <IconButton icon="pause" label="Pause" size="s" onClick={() => void pause()} />
        )}
        {status === "paused" && (
          <IconButton icon="run" label="Go on" size="s" onClick={() => void resume()} />
        )}
        <IconButton icon="stop" label="Stop" keys="X" size="s" onClick={() => cancelCell(cell.id)} />
      </div>
    );
  return (
    <div className={s.row}>
      <Button
        size="s"
        icon="run"
        className={s.run}
        disabled={!canWrite}
        title="Shift + Enter"
        onClick={() => void runCell(cell.id)}
      >
        {cell.output ? "Run again" : verb}
      </Button>
    </div>
  );
}

/** Kinds whose runs can be held between two steps. */
const HOLDS: ReadonlySet<Cell["kind"]> = new Set(["memorize", "probe", "experiment"]);

const STATES = { queued: "Waiting", running: "Running", paused: "Held" } as const;
