/** @file The frame of every cell: its margin with number, kind, run button and stamp, its title, menu and body. */

import { useSortable } from "@dnd-kit/sortable";
import { CSS } from "@dnd-kit/utilities";
import { Suspense, useState } from "react";
import { KINDS, cellTitle } from "../../../notebook/kinds.ts";
import type { Cell } from "../../../records/notebook.ts";
import { isBegun, isGoing } from "../../../state/going.ts";
import { useActions, useApp, useCanWrite, useNotebook, useRun } from "../../app.tsx";
import { Button, IconButton, CopyButton } from "../../controls/Button.tsx";
import { cx } from "../../cx.ts";
import { cellAnchor } from "../../controls/goToCell.ts";
import { bodyOf, cellType } from "../registry.ts";
import { CellMenu, type CellPlace } from "./CellMenu.tsx";
import { CellTitle } from "./CellTitle.tsx";
import { GuardedBody } from "../../controls/GuardedBody.tsx";
import { RunLive } from "./RunLive.tsx";
import { Row, Stack, Text } from "../../controls/layout.tsx";
import { staleReasons } from "../../../notebook/stale.ts";
import { stampsOf } from "../../../notebook/stamps.ts";
import { Badge, Notice } from "../../controls/Badge.tsx";
import { dateTime, duration } from "../../format.ts";
import type { CellRun } from "../../../state/types.ts";
import s from "./CellFrame.module.css";

export function CellFrame(place: CellPlace) {
  const { cell, index } = place;
  const { select } = useActions();
  const selected = useApp((state) => state.selected === cell.id);
  const canWrite = useCanWrite();
  const run = useRun(cell.id);
  const drag = useSortable({ id: cell.id, disabled: !canWrite });
  const take = (): void => {
    if (!selected) select(cell.id);
  };
  return (
    <section
      ref={drag.setNodeRef}
      id={cellAnchor(cell.id)}
      data-cell={cell.id}
      data-kind={cell.kind}
      tabIndex={-1}
      aria-label={`Cell ${index + 1}: ${cellTitle(cell)}`}
      className={cx(s.cell, selected && s.selected, drag.isDragging && s.dragging)}
      style={{ transform: CSS.Translate.toString(drag.transform), transition: drag.transition }}
      onFocus={take}
      onPointerDown={take}
    >
      <div className={s.margin}>
        <div className={s.kind}>
          <span className={s.number}>{index + 1}</span>
          <span className={s.kindName}>{KINDS[cell.kind].name}</span>
        </div>
        <RunControl cell={cell} run={run} />
        <StampNote cell={cell} making={isBegun(run)} />
      </div>
      <Text as="div" shrinks className={s.column}>
        <Row as="header" align="start" gap={3}>
          <CellTitle cell={cell} />
          <Row flex="fixed" className={s.tools}>
            {canWrite && (
              <IconButton
                ref={drag.setActivatorNodeRef}
                icon="grip"
                label="Drag to move"
                size="s"
                className={s.grip}
                {...drag.attributes}
                {...drag.listeners}
              />
            )}
            <CellMenu {...place} />
          </Row>
        </Row>
        <RunLive cell={cell} run={run} />
        <CellBody cell={cell} />
        {run && <Failure cell={cell} run={run} />}
      </Text>
    </section>
  );
}

function CellBody({ cell }: { readonly cell: Cell }) {
  // Cached: a new component type for the same kind would remount the cell.
  const [Body] = useState(() => bodyOf(cell.kind));
  return (
    <Text as="div" shrinks data-body>
      <GuardedBody key={cell.id}>
        <Suspense fallback={<div style={{ minHeight: "5rem" }} />}>
          <Body cell={cell} />
        </Suspense>
      </GuardedBody>
    </Text>
  );
}

/** `making`: the outdated output is being replaced. */
function StampNote({ cell, making }: { readonly cell: Cell; readonly making: boolean }) {
  const notebook = useNotebook();
  const stamps = stampsOf(notebook, cell);
  if (stamps.length === 0) return null;
  const reasons = staleReasons(notebook, cell);
  return (
    <Stack tone="soft" size="xs" numeric justify="end" className={s.note}>
      {reasons.length > 0 && !making && (
        <Stack justify="end" className={s.stale}>
          <Badge tone="ochre" icon="warning">
            Out of date
          </Badge>
          <Text tone="ochre">{reasons.join("; ")}</Text>
        </Stack>
      )}
      {stamps.map(({ name, stamp: { at, app, milliseconds, backend, model } }) => (
        <Stack key={name} justify="end" className={s.made}>
          {name && <span>{name}</span>}
          <time dateTime={at} title={`Output saved by version ${app}`}>
            {dateTime(at)}
          </time>
          <Text whiteSpace="nowrap">
            {duration(milliseconds)}
            {backend && ` on ${backend}`}
          </Text>
          {model && (
            <Row as="span" wrap justify="end">
              {model.split(/(?=@)/).map((part) => (
                <span key={part}>{part}</span>
              ))}
            </Row>
          )}
        </Stack>
      ))}
    </Stack>
  );
}

function RunControl({ cell, run }: { readonly cell: Cell; readonly run: CellRun | null }) {
  const { runCell, cancelCell, pause, resume } = useActions();
  const canWrite = useCanWrite();
  const { run: verb, holds } = cellType(cell.kind);
  if (isGoing(run))
    return (
      <Row align="center" style={{ minHeight: "1.625rem" }}>
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
  const label = cell.output ? "Run again" : verb;
  const start = (): void => void runCell(cell.id);
  return (
    <Row align="center" style={{ minHeight: "1.625rem" }}>
      <Button
        size="s"
        icon="run"
        className={s.run}
        disabled={!canWrite}
        title="Shift + Enter"
        onClick={start}
      >
        {label}
      </Button>
    </Row>
  );
}

const STATES = { queued: "Waiting", running: "Running", paused: "Paused" } as const;

function Failure({ cell, run }: { readonly cell: Cell; readonly run: CellRun }) {
  const { runCell, restartWorker, dismissRun, takeMemorysEmbedder } = useActions();
  const { status, problem } = run;
  const take = async (): Promise<void> => {
    if (await takeMemorysEmbedder(cell.id)) await runCell(cell.id);
  };
  const dismiss = (
    <Button size="s" look="quiet" onClick={() => dismissRun(cell.id)}>
      Dismiss
    </Button>
  );
  if (status === "cancelled")
    return (
      <Text as="div" above={4}>
        <Notice tone="plain" role="status" actions={dismiss}>
          {cell.kind === "store" ? "Stopped. The memory is unchanged." : "Stopped. Finished work is kept."}
        </Notice>
      </Text>
    );
  if (status !== "failed" || !problem) return null;
  const crashed = problem.name === "WorkerCrashed";
  return (
    <Text as="div" above={4}>
      <Notice
        tone="rubric"
        role="alert"
        title={crashed ? "The engine stopped" : "This did not work"}
        actions={
          <>
            <Button size="s" onClick={() => void (crashed ? restartWorker("engine") : runCell(cell.id))}>
              {crashed ? "Start again" : "Try again"}
            </Button>
            {problem.name === "WrongEmbedder" && (
              <Button size="s" onClick={() => void take()}>
                Take the memory’s embedder
              </Button>
            )}
            <CopyButton label="Copy details" text={() => `${problem.message}\n\n${problem.stack}`} />
            {dismiss}
          </>
        }
      >
        <Text whiteSpace="pre-line">{problem.message}</Text>
      </Notice>
    </Text>
  );
}
