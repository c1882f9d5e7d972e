/** @file The frame of every cell: margin with number, kind, run button and stamp, title, menu and body. */

import { Suspense, useState, useEffect, useRef } from "react";
import { KINDS, cellTitle, staleReasons, stampsOf } from "../../../notebook/kinds.ts";
import type { Cell, CellKind, Notebook } from "../../../records/notebook.ts";
import type { MethodParams } from "../../../records/params.ts";
import { isGoing } from "../../../state/runs.ts";
import type { CellRun } from "../../../state/core.ts";
import { useActions, useApp, useCanWrite, useNotebook, useRun } from "../../app.tsx";
import {
  Button,
  IconButton,
  CopyButton,
  Badge,
  Notice,
  cx,
  Row,
  Stack,
  Text,
} from "../../controls/basics.tsx";
import {
  announce,
  attempt,
  cellAnchor,
  copyLink,
  copyText,
  goToCell,
  linkTo,
  toast,
} from "../../controls/page.ts";
import { bodyOf, cellType, refuses } from "../registry.ts";
import { GuardedBody } from "../../controls/useAsync.tsx";
import { RunLive } from "./RunLive.tsx";
import { dateTime, duration } from "../../format.ts";
import type { Actions } from "../../../state/app.ts";
import { Menu, type MenuItem } from "../../controls/Dialog.tsx";
import s from "./CellFrame.module.css";
import title from "./CellTitle.module.css";

export function CellFrame(place: CellPlace) {
  const { cell, index } = place;
  const { select } = useActions();
  const selected = useApp((state) => state.selected === cell.id);
  const canWrite = useCanWrite();
  const run = useRun(cell.id);
  const [renaming, setRenaming] = useState(false);
  const take = (): void => {
    if (!selected) select(cell.id);
  };
  return (
    <section
      id={cellAnchor(cell.id)}
      data-cell={cell.id}
      data-kind={cell.kind}
      tabIndex={-1}
      aria-label={`Cell ${index + 1}: ${cellTitle(cell)}`}
      className={cx(s.cell, selected && s.selected)}
      onFocus={take}
      onPointerDown={take}
    >
      <div className={s.margin}>
        <div className={s.kind}>
          <span className={s.number}>{index + 1}</span>
          <span className={s.kindName}>{KINDS[cell.kind].name}</span>
        </div>
        <RunControl cell={cell} run={run} />
        <StampNote cell={cell} />
      </div>
      <Text as="div" shrinks className={s.column}>
        <Row as="header" align="start" gap={3}>
          <CellTitle cell={cell} editing={renaming} onEditing={setRenaming} />
          <Row flex="fixed" className={s.tools}>
            {canWrite && (
              <IconButton icon="grip" label="Drag to move" size="s" className={s.grip} data-handle />
            )}
            <CellMenu {...place} onRename={() => setRenaming(true)} />
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
  const { setCollapsed } = useActions();
  if (cell.collapsed)
    return (
      <Button
        look="quiet"
        size="s"
        icon="right"
        label={`Show ${cellTitle(cell)}`}
        onClick={() => setCollapsed(cell.id, false)}
      />
    );
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

function StampNote({ cell }: { readonly cell: Cell }) {
  const notebook = useNotebook();
  const stamps = stampsOf(notebook, cell);
  const latest = stamps.toSorted((a, b) => b.stamp.at.localeCompare(a.stamp.at))[0];
  const making = useApp(({ runs }) =>
    notebook.cells.some(
      ({ id, kind }) =>
        isGoing(runs[id]) && (id === cell.id || (cell.kind === "store" && kind === "memorize")),
    ),
  );
  if (!latest || making) return null;
  const reasons = staleReasons(notebook, cell);
  return (
    <Stack tone="soft" size="s" numeric justify="end" className={s.note}>
      {reasons.length > 0 && (
        <Stack justify="end" className={s.stale}>
          <Badge tone="ochre" icon="warning">
            Out of date
          </Badge>
          <Text tone="ochre">{reasons.join("; ")}</Text>
        </Stack>
      )}
      <details>
        <summary style={{ cursor: "pointer" }}>
          <time dateTime={latest.stamp.at}>{dateTime(latest.stamp.at)}</time>
        </summary>
        {stamps.map(({ name, stamp: { at, app, milliseconds, backend, model } }) => (
          <p key={name}>
            {[
              name && `${name} ${dateTime(at)}`,
              `took ${duration(milliseconds)}${backend && ` on ${backend}`}`,
              model,
              `version ${app}`,
            ]
              .filter(Boolean)
              .join(", ")}
          </p>
        ))}
      </details>
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
        {run.status === "running" && (holds || isTaught(cell, run)) && (
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
    <Row align="center" style={{ minHeight: "1.625rem" }}>
      <Button
        size="s"
        icon="run"
        className={s.run}
        disabled={!canWrite || refuses(cell)}
        title="Shift + Enter"
        onClick={() => void runCell(cell.id)}
        label={cell.output ? "Run again" : verb}
      />
    </Row>
  );
}

/** A model cell counts while its model is taught; loading cannot be paused. */
const isTaught = ({ kind }: Cell, { progress }: CellRun): boolean =>
  kind === "model" && progress?.kind === "count";

const STATES = { queued: "Waiting", running: "Running", paused: "Paused" } as const;

function Failure({ cell, run }: { readonly cell: Cell; readonly run: CellRun }) {
  const { runCell, restartWorker, dismissRun, takeMemorysEmbedder } = useActions();
  const { status, problem } = run;
  const take = async (): Promise<void> => {
    if (await takeMemorysEmbedder(cell.id)) await runCell(cell.id);
  };
  const dismiss = <Button size="s" look="quiet" label="Dismiss" onClick={() => dismissRun(cell.id)} />;
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
              <Button size="s" label="Take the memory’s embedder" onClick={() => void take()} />
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

function CellTitle(props: Readonly<{ cell: Cell; editing: boolean; onEditing: (editing: boolean) => void }>) {
  const { cell, editing, onEditing } = props;
  const { renameCell } = useActions();
  const canWrite = useCanWrite();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (editing) input.current?.select();
  }, [editing]);
  if (editing)
    return (
      <input
        ref={input}
        className={title.input}
        aria-label="Title of the cell"
        value={cell.title}
        onChange={({ target }) => renameCell(cell.id, target.value)}
        onBlur={() => onEditing(false)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "Escape") return;
          event.stopPropagation();
          onEditing(false);
        }}
      />
    );
  if (!cell.title) return null;
  return (
    <h2 className={title.title}>
      {canWrite ? (
        <button type="button" className={title.button} title="Rename" onClick={() => onEditing(true)}>
          {cell.title}
        </button>
      ) : (
        cell.title
      )}
    </h2>
  );
}

interface CellPlace {
  readonly cell: Cell;
  readonly index: number;
  readonly last: boolean;
}

type MenuProps = CellPlace & { readonly onRename: () => void };

function CellMenu(place: MenuProps) {
  const { cell, index } = place;
  const notebook = useNotebook();
  const actions = useActions();
  const canWrite = useCanWrite();
  const params = useApp(({ memory }) => memory.info?.params);
  const views: MenuItem[] = [
    {
      label: cell.collapsed ? "Expand" : "Collapse",
      icon: cell.collapsed ? "down" : "right",
      onSelect: () => actions.setCollapsed(cell.id, !cell.collapsed),
    },
    {
      label: "Copy link",
      icon: "link",
      onSelect: () => void copyLink(linkTo(notebook.id, cellAnchor(cell.id)), "cell"),
    },
    ...COPIES.filter(({ kinds }) => kinds.includes(cell.kind)).map(({ label, copy }) => ({
      label,
      icon: "copy" as const,
      onSelect: () => void attempt(() => copy(notebook, cell, params)),
    })),
  ];
  const away: MenuItem = {
    label: "Remove",
    icon: "trash",
    keys: "D",
    danger: true,
    onSelect: () => remove(actions, cell, notebook.cells),
  };
  return (
    <Menu
      label="Cell menu"
      trigger={<IconButton icon="more" size="s" label={`More for cell ${index + 1}, ${cellTitle(cell)}`} />}
      groups={canWrite ? [changes(actions, place, notebook.cells.length), views, [away]] : [views]}
    />
  );
}

const commands = () => import("../../../notebook/commands.ts");

const RUNS: readonly CellKind[] = ["memorize", "ask", "questions", "experiment", "benchmark"];

const COPIES: readonly Readonly<{
  label: string;
  kinds: readonly CellKind[];
  copy: (notebook: Notebook, cell: Cell, stored?: MethodParams) => Promise<void>;
}>[] = [
  {
    label: "Copy as command",
    kinds: RUNS,
    copy: async (notebook, cell, stored) =>
      copied((await commands()).commandOf(notebook, cell, stored), "The command is copied."),
  },
  {
    label: "Copy as Python",
    kinds: [...RUNS, "store"],
    copy: async (_, cell) => copied((await commands()).pythonOf(cell), "The Python script is copied."),
  },
];

const copied = async (text: string | null, done: string): Promise<void> =>
  text === null ? toast.said("This cell has no run to copy yet.") : copyText(text, done);

function changes(
  actions: Actions,
  { cell, index, last, onRename }: MenuProps,
  count: number,
): readonly MenuItem[] {
  const moved = (to: number): Pick<MenuItem, "takesFocus" | "onSelect"> => ({
    takesFocus: true,
    onSelect: () => moveTo(actions, cell, to, count),
  });
  return [
    {
      label: cell.title ? "Rename" : "Give it a title",
      takesFocus: true,
      icon: "edit",
      // After the menu has given the focus back.
      onSelect: () => void setTimeout(onRename, 0),
    },
    { label: "Move up", icon: "up", keys: "Alt ↑", disabled: index === 0, ...moved(index - 1) },
    { label: "Move down", icon: "down", keys: "Alt ↓", disabled: last, ...moved(index + 1) },
    { label: "Duplicate", icon: "copy", onSelect: () => actions.duplicateCell(cell.id) },
  ];
}

export function moveTo(actions: Actions, cell: Cell, to: number, count: number): void {
  if (to < 0 || to >= count) return;
  actions.moveCell(cell.id, to);
  goToCell(cell.id);
  announce(`${cellTitle(cell)} is now cell ${to + 1} of ${count}.`);
}

/** Removes a cell, offers to bring it back, and goes to its neighbour, so that the keys still act on something. */
export function remove(actions: Actions, cell: Cell, cells: readonly Cell[]): void {
  const at = cells.findIndex(({ id }) => id === cell.id);
  const neighbour = cells[at + 1] ?? cells[at - 1];
  actions.removeCell(cell.id);
  toast.undoable(`${cellTitle(cell)} was removed.`, actions.undo);
  if (!neighbour) return;
  actions.select(neighbour.id);
  goToCell(neighbour.id);
}
