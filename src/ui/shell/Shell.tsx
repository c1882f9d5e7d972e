/** @file The page from top to bottom: header, banners, the notebook, the drawer, messages. */

import { Failed, lazily } from "../controls/useAsync.tsx";
import { useEffect, useMemo, type ReactNode } from "react";
import { currentOf, useApp, useActions, useCanWrite } from "../app.tsx";
import { TooltipProvider, Notice, Button, Row, Text, Stack } from "../controls/basics.tsx";
import { ANNOUNCER, attempt, toast, toastsWanted, usePaperOpen, usePresenting } from "../controls/page.ts";
import { EXPORTED, useFilePicker } from "../controls/DropZone.tsx";
import { Header } from "./Header.tsx";
import { DocumentTitles } from "../cells/ask/ExchangeView.tsx";
import { InspectorHost } from "../inspector/InspectorHost.tsx";
import { NotebookView } from "./NotebookView.tsx";
import { interruptedCell, isInterrupted } from "../../notebook/kinds.ts";
import { Unfinished } from "../facts/notices.tsx";
import { interruptedText } from "../facts/words.ts";
import s from "./Shell.module.css";
import b from "./Banners.module.css";

const PaperPage = lazily(async () => (await import("../paper/PaperPage.tsx")).PaperPage);
const Presentation = lazily(async () => (await import("./Presentation.tsx")).Presentation);
const Toasts = lazily(async () => {
  await toastsWanted;
  return (await import("./Toasts.tsx")).Toasts;
});

export function Shell() {
  useTheme();
  const opened = useApp((state) => currentOf(state) !== null);
  const paper = usePaperOpen();
  const presenting = usePresenting();
  return (
    <TooltipProvider>
      <Titled>
        <Header />
        <Row align="start" style={{ minHeight: "calc(100vh - 3.25rem)" }}>
          <Text as="main" flex="grow" shrinks className={s.main} aria-busy={!opened}>
            <Banners />
            {opened && !paper && <NotebookView />}
            {opened && paper && <PaperPage />}
          </Text>
          <InspectorHost />
        </Row>
        <div id={ANNOUNCER} role="status" aria-live="polite" className="visually-hidden" />
        <Toasts />
        {opened && presenting && <Presentation />}
      </Titled>
    </TooltipProvider>
  );
}

/** Gives the sentences of a memory of several documents their titles. */
function Titled({ children }: { readonly children: ReactNode }) {
  const sources = useApp(({ memory }) => memory.info?.sources);
  const titles = useMemo(
    () =>
      new Map<string, string>(
        sources && sources.length > 1 ? sources.map(({ id, title }) => [id, title]) : [],
      ),
    [sources],
  );
  return <DocumentTitles value={titles}>{children}</DocumentTitles>;
}

function useTheme(): void {
  const theme = useApp((state) => state.theme);
  useEffect(() => {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const show = (): void => {
      const dark = theme === "system" ? system.matches : theme === "dark";
      document.documentElement.dataset["theme"] = dark ? "dark" : "light";
      const paper = getComputedStyle(document.documentElement).getPropertyValue("--paper").trim();
      document.querySelector('meta[name="theme-color"]')?.setAttribute("content", paper);
    };
    show();
    system.addEventListener("change", show);
    return () => system.removeEventListener("change", show);
  }, [theme]);
}

export const Banners = () => (
  <Stack gap={2} className={b.banners}>
    <ReaderBanner />
    <LibraryBanner />
    <NoticeBanner />
    <SaveBanner />
    <ResumeBanner />
    <MissingMemoryBanner />
  </Stack>
);

function ReaderBanner() {
  const { role, who, running } = useApp(({ lock }) => lock);
  const { takeOver } = useActions();
  return role !== "reader" ? null : (
    <Notice
      tone="lapis"
      role="status"
      title="You are reading"
      actions={<Button label="Write here instead" onClick={() => void takeOver()} />}
    >
      Palimpsest is open in another tab{who ? `, with “${who}”` : ""}.{" "}
      {running
        ? `That tab is running “${running}”. This one shows the results; writing here would stop the run.`
        : "Only one tab can change notebooks: close the other one, or write here instead."}
    </Notice>
  );
}

function LibraryBanner() {
  const worker = useApp(({ workers }) => workers.library);
  const { restartWorker } = useActions();
  return worker.status !== "crashed" ? null : (
    <Notice
      tone="rubric"
      role="alert"
      title="The library stopped"
      actions={<Button label="Start again" onClick={() => void restartWorker("library")} />}
    >
      {worker.problem.message}
    </Notice>
  );
}

function NoticeBanner() {
  const notice = useApp((state) => state.notice);
  const { dismissNotice } = useActions();
  return !notice ? null : (
    <Notice
      tone="ochre"
      role="status"
      actions={<Button look="quiet" label="Dismiss" onClick={dismissNotice} />}
    >
      {notice}
    </Notice>
  );
}

function SaveBanner() {
  const current = useApp(currentOf);
  const { saveNow, reloadNotebook, duplicateNotebook } = useActions();
  if (!current) return null;
  const { save, notebook } = current;
  if (save.status === "conflict")
    return (
      <Notice
        tone="rubric"
        role="alert"
        title="This notebook was saved or removed elsewhere meanwhile"
        actions={
          <>
            <Button label="Show what it saved" onClick={() => void reloadNotebook(notebook.id)} />
            <Button label="Keep mine as a copy" onClick={() => duplicateNotebook(notebook.id)} />
          </>
        }
      >
        Nothing was overwritten. Your version is still on this page.
      </Notice>
    );
  if (save.status !== "failed") return null;
  const again = (): void => void saveNow();
  return <Failed title="The notebook could not be saved" message={save.problem.message} onAgain={again} />;
}

function MissingMemoryBanner() {
  const missing = useApp(({ memory }) => memory.missing);
  const canWrite = useCanWrite();
  const { takeMemory } = useActions();
  const { pick, input } = useFilePicker({
    ...{ label: "Memory of this notebook", accept: EXPORTED },
    onFiles: ([chosen]) => void attempt(async () => toast.said(await takeMemory(chosen!.file))),
  });
  return !missing || !canWrite ? null : (
    <Notice
      tone="ochre"
      role="status"
      title="The memory of this notebook is not in this browser"
      actions={<Button label="Choose its file" onClick={pick} />}
    >
      The saved results can be read. To ask questions, choose the memory (.zip or .palimpsest) that was
      exported from this notebook, or memorise its texts again.
      {input}
    </Notice>
  );
}

function ResumeBanner() {
  const info = useApp(({ memory }) => memory.info);
  const cell = useApp((state) => {
    const notebook = currentOf(state)?.notebook;
    return notebook && state.memory.info ? interruptedCell(notebook, state.memory.info) : null;
  });
  const busy = useApp(({ runs }) => (cell ? cell.id in runs : false));
  const { resumeMemorize } = useActions();
  return !info || !isInterrupted(info) || !cell || busy ? null : (
    <Unfinished
      tone="lapis"
      role="status"
      title="A run was interrupted"
      onGoOn={() => void resumeMemorize(cell.id)}
    >
      {interruptedText(info)}
    </Unfinished>
  );
}
