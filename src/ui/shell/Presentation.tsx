/** @file The notebook as a talk: its story alone, one step at a time, larger, and moved by keys or a clicker. */

import { useEffect, useRef, useState, type CSSProperties, type KeyboardEvent, type ReactNode } from "react";
import type { Cell, FactRow, Notebook } from "../../records/notebook.ts";
import { useActions, useApp, useAppState, useFactsById, useNotebook, useServices } from "../app.tsx";
import { Answering } from "../cells/ask/ExchangeView.tsx";
import { CertificateView } from "../cells/memory/CertificateView.tsx";
import { headline, KeyNumbers } from "../cells/memorize/Summary.tsx";
import { SafeMarkdown } from "../cells/note/NoteCell.tsx";
import { FigureView } from "../charts/FigureView.tsx";
import { GuardedBody, useAsync } from "../controls/useAsync.tsx";
import { Note, PrintingContext, Stack, Text, TooltipProvider } from "../controls/basics.tsx";
import { goToCell, leavePresentation } from "../controls/page.ts";
import type { ReportFigure } from "../report/cells.tsx";
import { Lines } from "./WayIn.tsx";
import s from "./Presentation.module.css";

export function Presentation() {
  const slides = useSlides();
  const selected = useApp((state) => state.selected);
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      slides.findIndex(({ cellId }) => cellId !== null && cellId === selected),
    ),
  );
  const dialog = useRef<HTMLDialogElement>(null);
  const page = useRef<HTMLDivElement>(null);
  const slide = slides[Math.min(at, slides.length - 1)];
  useEffect(() => void dialog.current?.showModal(), []);
  // Without a result: a promise is not a clean-up.
  useEffect(() => void page.current?.scrollTo(0, 0), [at]);
  const go = (by: number): void => setAt((now) => Math.max(0, Math.min(slides.length - 1, now + by)));
  const leave = (): void => {
    leavePresentation();
    if (slide?.cellId) goToCell(slide.cellId);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = event.shiftKey && event.key === " " ? -1 : (STEPS[event.key] ?? 0);
    if (by === 0 && event.key !== "Home" && event.key !== "End") return;
    event.preventDefault();
    // A slide that is longer than the screen is read to its end first.
    if (by !== 0 && scrolled(page.current, by)) return;
    go(event.key === "Home" ? -slides.length : event.key === "End" ? slides.length : by);
  };
  return (
    <dialog
      ref={dialog}
      className={s.talk}
      style={SIZES}
      aria-label="Presentation"
      onClose={leave}
      onKeyDown={onKey}
    >
      <div ref={page} className={s.page} tabIndex={-1} onClick={() => getSelection()?.isCollapsed && go(1)}>
        <PrintingContext value>
          <TooltipProvider>
            <div key={at} className={s.slide} inert>
              <GuardedBody>{slide?.body}</GuardedBody>
            </div>
          </TooltipProvider>
        </PrintingContext>
      </div>
      <Note style={{ position: "fixed", right: "2vw", bottom: "2vh" }} aria-live="polite">
        {at + 1} of {slides.length}
      </Note>
    </dialog>
  );
}

const STEPS: Readonly<Record<string, 1 | -1>> = {
  ...{ ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, Enter: 1 },
  ...{ ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Backspace: -1 },
};

function scrolled(page: HTMLElement | null, by: 1 | -1): boolean {
  if (!page) return false;
  const before = page.scrollTop;
  page.scrollBy(0, 0.8 * by * page.clientHeight);
  return Math.abs(page.scrollTop - before) > 1;
}

function useSlides() {
  const notebook = useNotebook();
  const facts = useFactsById();
  const stored = useApp(({ memory }) => memory.info !== null);
  const sources = { state: useAppState(), actions: useActions(), ...useServices() };
  const figures = useAsync(async () => {
    const { collect } = await import("../report/exportReport.tsx");
    const { reportFigures } = await import("../report/cells.tsx");
    return reportFigures(await collect(sources));
  }, [notebook.id]);
  const bodies = notebook.cells.flatMap((cell) =>
    storyOf(cell, notebook, facts, stored, figures.value ?? []).map((body) => ({ cellId: cell.id, body })),
  );
  return [{ cellId: null, body: <h1>{notebook.title || "Untitled notebook"}</h1> }, ...bodies];
}

function storyOf(
  cell: Cell,
  { cells }: Notebook,
  rows: ReadonlyMap<string, FactRow> | null,
  stored: boolean,
  figures: readonly ReportFigure[],
): ReactNode[] {
  const title = cell.title && <h2>{cell.title}</h2>;
  switch (cell.kind) {
    case "note":
      return cell.input.text.trim() === "" ? [] : [<SafeMarkdown text={cell.input.text} />];
    case "source":
      return cell.input.documents
        .filter(({ kept }) => !kept && cells.some(({ kind, output }) => kind === "memorize" && output))
        .map((entry) => <Lines entry={entry} onMore={() => undefined} />);
    case "memorize":
      return cell.output
        ? [
            <Stack gap={5}>
              {title}
              <Text as="p" font="serif" size="xl">
                {headline(cell.output, rows?.size)}
              </Text>
              <KeyNumbers summary={cell.output} />
            </Stack>,
          ]
        : [];
    case "store":
      return (cell.output?.certificates ?? []).map((stamped) => <CertificateView stamped={stamped} />);
    case "ask":
      return (cell.output?.history ?? []).toReversed().map(({ answer }) => {
        const asked = answer.asked.map((part) => ({ ...part, evidence: part.evidence.slice(0, SENTENCES) }));
        // A talk shows the answers of a notebook that came without its memory, but none of deleted facts.
        const known = rows?.size || stored ? rows : null;
        return <Answering answer={{ ...answer, asked }} rows={known} size="xl" />;
      });
    case "probe":
    case "experiment":
    case "benchmark":
      return figures
        .filter(({ cellId }) => cellId === cell.id)
        .map(({ figure }) => (
          <>
            {title}
            <FigureView figure={figure} />
          </>
        ));
    default:
      return [];
  }
}

const SIZES = {
  "--text-s": "clamp(1.05rem, 1.3vw, 1.8rem)",
  "--text-m": "clamp(1.1rem, 1.35vw, 1.8rem)",
  "--text-l": "clamp(1.35rem, 1.8vw, 2.4rem)",
  "--text-h": "clamp(1.5rem, 2vw, 2.6rem)",
  "--text-xl": "clamp(1.7rem, 2.5vw, 3.2rem)",
  "--text-2xl": "clamp(2.4rem, 4.4vw, 5.6rem)",
  "--measure": "62ch",
} as CSSProperties;

const SENTENCES = 4;
