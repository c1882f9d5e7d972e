/** @file Run, pause, stop: in the margin, beside the cell they mean. */

import type { Cell } from "../../../records/notebook.ts";
import { isGoing } from "../../../state/going.ts";
import type { CellRun } from "../../../state/types.ts";
import { useActions, useCanWrite } from "../../app.tsx";
import { Button, IconButton } from "../../controls/Button.tsx";
import { cellType } from "../registry.ts";
import { Row } from "../../controls/layout.tsx";
import s from "./RunControl.module.css";

export function RunControl({ cell, run }: { readonly cell: Cell; readonly run: CellRun | null }) {
  const { runCell, cancelCell, pause, resume } = useActions();
  const canWrite = useCanWrite();
  const { run: verb, holds } = cellType(cell.kind);
  if (isGoing(run))
    return (
      <Row align="center" className={s.row}>
        <span className={s.state} data-status={run.status}>
          {STATES[run.status]}
        </span>
        {run.status === "running" && holds && (
          <IconButton icon="pause" label="Pause" size="s" onClick={() => void pause()} />
        )}
        {run.status === "paused" && (
          <IconButton icon="run" label="Go on" size="s" onClick={() => void resume()} />
        )}
        <IconButton icon="stop" label="Stop" keys="X" size="s" onClick={() => cancelCell(cell.id)} />
      </Row>
    );
  if (!verb) return null;
  return (
    <Row align="center" className={s.row}>
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
    </Row>
  );
}

const STATES = { queued: "Waiting", running: "Running", paused: "Paused" } as const;
