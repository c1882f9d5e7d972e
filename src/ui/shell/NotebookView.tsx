/** @file The notebook: its title, its cells in order, and a place to add one between any two. */

import { Fragment, useEffect, useState } from "react";
import { CELL_KINDS, KINDS, firstOf, hasNoText } from "../../notebook/kinds.ts";
import { currentOf, useActions, useApp, useCanWrite, useFactsById, useNotebook } from "../app.tsx";
import { CellFrame } from "../cells/frame/CellFrame.tsx";
import { CELL_TYPES, bodiesLoaded, loadBodies } from "../cells/registry.ts";
import { Lines, Begun, Halves, HowFound, More, WayIn } from "./WayIn.tsx";
import { useKeys, useGoing } from "./notebookItems.ts";
import { Button, cx, Row, Note, Stack } from "../controls/basics.tsx";
import { Menu } from "../controls/Dialog.tsx";
import { cellAnchor, goToCell, linked } from "../controls/page.ts";
import { lazily, useWindowEvent } from "../controls/useAsync.tsx";
import { counted, dateTime } from "../format.ts";
import { somethingGoes } from "../../state/runs.ts";
import { EXAMPLE_ID } from "../../notebook/file.ts";
import type { Notebook } from "../../records/notebook.ts";
import type { Exchange } from "../cells/ask/stages.ts";
import { Answering } from "../cells/ask/ExchangeView.tsx";
import { ranOn } from "../facts/words.ts";
import s from "./NotebookView.module.css";
import o from "./Opening.module.css";

const Dragging = lazily(async () => (await import("./Dragging.tsx")).Dragging);

export function NotebookView() {
  const { cells } = useNotebook();
  const [ready, setReady] = useState(() => bodiesLoaded(cells.map(({ kind }) => kind)));
  useEffect(() => {
    if (!ready) void loadBodies(cells.map(({ kind }) => kind)).then(() => setReady(true));
  }, [ready, cells]);
  return ready ? <Cells /> : null;
}

function Cells() {
  const { cells, id: notebookId } = useNotebook();
  const canWrite = useCanWrite();
  useHashCell();
  useKeys();
  const [used, setUsed] = useState(false);
  useWindowEvent("pointermove", () => setUsed(true), !used);
  useWindowEvent("focusin", () => setUsed(true), !used);
  return (
    <div className={s.notebook} data-notebook={notebookId}>
      <NotebookTitle />
      <Opening key={notebookId} />
      <AddCell index={0} />
      {cells.map((cell, index) => (
        <Fragment key={cell.id}>
          <CellFrame cell={cell} index={index} last={index === cells.length - 1} />
          <AddCell index={index + 1} always={index === cells.length - 1} />
        </Fragment>
      ))}
      {used && canWrite && <Dragging />}
    </div>
  );
}

/** Adds at `index`; `always`: visible without hovering, as after the last cell. */
function AddCell({ index, always }: { readonly index: number; readonly always?: boolean }) {
  const { addCell } = useActions();
  const canWrite = useCanWrite();
  if (!canWrite) return <div style={{ height: "2.75rem" }} />;
  const items = CELL_KINDS.map((kind) => {
    const { blurb, icon } = CELL_TYPES[kind];
    const onSelect = (): void => {
      const id = addCell(kind, index);
      // An empty note takes the focus into its editor.
      if (id) goToCell(id, { focus: kind !== "note" });
    };
    return { label: KINDS[kind].name, note: blurb, icon, takesFocus: true, onSelect };
  });
  return (
    <Row align="center" className={cx(s.add, always && s.always)} data-add-at={index}>
      <Menu
        label="Add a cell"
        align="start"
        groups={[items]}
        trigger={
          <Button
            look="quiet"
            size="s"
            icon="plus"
            label={always ? "Add a cell" : null}
            aria-label={always ? undefined : `Add a cell at place ${index + 1}`}
          />
        }
      />
    </Row>
  );
}

const LIT = 1800;

function useHashCell(): void {
  const { id } = useNotebook();
  const { select, setCollapsed } = useActions();
  useEffect(() => {
    const show = (): void => {
      const link = linked();
      const cell = link && document.getElementById(cellAnchor(link.cell));
      if (!cell) return;
      select(link.cell);
      if (link.figure !== null) setCollapsed(link.cell, false);
      const figure = () =>
        cell.querySelector<HTMLElement>(`[data-figure="${CSS.escape(link.figure ?? "")}"]`);
      const stop = keepInView(() => figure() ?? cell);
      lightUp(cell, stop, () => link.figure === null || figure() !== null);
    };
    show();
    addEventListener("hashchange", show);
    return () => removeEventListener("hashchange", show);
  }, [id, select, setCollapsed]);
}

/** Lights a cell up for a moment, or until the linked figure is computed. */
function lightUp(cell: HTMLElement, stop: () => void, isThere: () => boolean, tries = 30): void {
  cell.dataset["lit"] = "";
  setTimeout(() => {
    if (!isThere() && tries > 0) return lightUp(cell, stop, isThere, tries - 1);
    stop();
    delete cell.dataset["lit"];
  }, LIT);
}

/** Scrolls to an element and holds it there while what is above it is still being drawn, unless the user scrolls. */
function keepInView(find: () => HTMLElement): () => void {
  const scroll = (): void => find().scrollIntoView({ block: "start" });
  scroll();
  const drawn = new ResizeObserver(scroll);
  drawn.observe(document.body);
  const stop = (): void => {
    drawn.disconnect();
    for (const event of USER_SCROLLS) removeEventListener(event, stop);
  };
  for (const event of USER_SCROLLS) addEventListener(event, stop, { passive: true });
  return stop;
}

const USER_SCROLLS = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

function NotebookTitle() {
  const { title, created } = useNotebook();
  const facts = useApp(({ memory }) => memory.info?.facts ?? 0);
  const save = useApp((state) => currentOf(state)?.save.status);
  const canWrite = useCanWrite();
  const { setTitle } = useActions();
  return (
    <header className={s.title}>
      <h1 className="visually-hidden">{title || "Untitled notebook"}</h1>
      <textarea
        className={s.input}
        aria-label="Title of the notebook"
        rows={1}
        maxLength={LONGEST_TITLE}
        value={title}
        placeholder="Untitled notebook"
        readOnly={!canWrite}
        onChange={({ target }) => setTitle(target.value.replaceAll("\n", " "))}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === "Escape") event.currentTarget.blur();
        }}
      />
      <Row wrap align="center" gap="var(--space-3) var(--space-5)" justify="between" above={3}>
        <Note className={s.facts}>
          Begun {dateTime(created)}
          {facts > 0 && `, ${counted(facts, "fact")} in memory`}
          <span className={s.save}>{save && SAVE_WORDS[save]}</span>
        </Note>
        <RunAll />
      </Row>
    </header>
  );
}

/** Two lines of the heading at 1440; the rest of a longer paste is cut off. */
const LONGEST_TITLE = 120;

const SAVE_WORDS = {
  saved: "Saved in this browser",
  dirty: "Saving",
  saving: "Saving",
  never: "",
  failed: "Not saved",
  conflict: "Not saved",
} as const;

function RunAll() {
  const busy = useApp(somethingGoes);
  const canWrite = useCanWrite();
  const { runAll, cancelAll } = useActions();
  const going = useGoing();
  if (busy)
    return (
      // The second click of a double click on "Run all" must not press "Stop".
      <Button icon="stop" onClick={({ detail }) => detail < 2 && cancelAll()}>
        {going && !going.here ? `Stop “${going.notebook.title || "Untitled notebook"}”` : "Stop"}
      </Button>
    );
  return (
    <Button look="primary" icon="run" label="Run all" disabled={!canWrite} onClick={() => void runAll()} />
  );
}

function Opening() {
  const notebook = useNotebook();
  const begun = useApp((state) => state.begun === notebook.id);
  const canWrite = useCanWrite();
  const isExample = notebook.id === EXAMPLE_ID;
  // A memory that an earlier visit made is asked here as well.
  const [returned] = useState(() => !isExample && wasForgotten(notebook));
  const empty = useApp(({ memory }) => (memory.info?.facts ?? 0) === 0) && hasNoText(notebook);
  if ((begun || returned) && !hasNoText(notebook)) return <Begun />;
  return (
    <Stack>
      {canWrite && (isExample || empty) && <WayIn everywhere={isExample} />}
      {isExample && <Example />}
    </Stack>
  );
}

const wasForgotten = (notebook: Notebook): boolean =>
  firstOf(notebook, "source")?.input.documents[0]?.kept === false &&
  firstOf(notebook, "memorize")?.output !== null;

function Example() {
  const notebook = useNotebook();
  const source = firstOf(notebook, "source");
  const ask = firstOf(notebook, "ask");
  const entry = source?.input.documents.find(({ kept }) => !kept);
  const exchange = ask?.output?.history[0];
  return !entry || !exchange ? null : (
    <Halves label="An example from the memory">
      <Lines entry={entry} onMore={() => goToCell(source!.id)} />
      <Answered exchange={exchange} onMore={() => goToCell(ask!.id)} />
      <HowFound exchange={exchange} />
    </Halves>
  );
}

function Answered({ exchange, onMore }: { readonly exchange: Exchange; readonly onMore: () => void }) {
  const { answer, stamp } = exchange;
  return (
    <Stack gap={2} justify="start" className={o.half}>
      <Note className={o.caption}>
        Asked {dateTime(stamp.at)}, {ranOn(stamp)}
      </Note>
      <Answering answer={answer} rows={useFactsById()} />
      <More label="Ask your own question" onMore={onMore} />
    </Stack>
  );
}
