/** @file What the whole notebook must know: another tab writes, saving failed, a worker stopped, a run was cut off. */

import { interruptedCell, isInterrupted } from "../../notebook/places.ts";
import { currentOf, useActions, useApp } from "../app.tsx";
import { Unfinished } from "../facts/notices.tsx";
import { Notice, Button } from "../controls/basics.tsx";
import { leftText } from "../facts/words.ts";
import { Stack } from "../controls/layout.tsx";
import s from "./Banners.module.css";

export function Banners() {
  return (
    <Stack gap={2} className={s.banners}>
      <ReaderBanner />
      <LibraryBanner />
      <NoticeBanner />
      <SaveBanner />
      <ResumeBanner />
    </Stack>
  );
}

function ReaderBanner() {
  const { role, who } = useApp(({ lock }) => lock);
  const { takeOver } = useActions();
  if (role !== "reader") return null;
  return (
    <Notice
      tone="lapis"
      role="status"
      title="You are reading"
      actions={<Button label="Write here instead" onClick={() => void takeOver()} />}
    >
      Another tab of this browser writes{who ? ` (it shows “${who}”)` : ""}. Nothing can be changed here until
      it is closed, or you take over.
    </Notice>
  );
}

function LibraryBanner() {
  const worker = useApp(({ workers }) => workers.library);
  const { restartWorker } = useActions();
  if (worker.status !== "crashed") return null;
  return (
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
  if (!notice) return null;
  return (
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
  return (
    <Notice
      tone="rubric"
      role="alert"
      title="The notebook could not be saved"
      actions={<Button label="Try again" onClick={() => void saveNow()} />}
    >
      {save.problem.message}
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
  if (!info || !isInterrupted(info) || !cell || busy) return null;
  return (
    <Unfinished
      tone="lapis"
      role="status"
      title="A run was interrupted"
      onGoOn={() => void resumeMemorize(cell.id)}
    >
      {leftText(info)}
    </Unfinished>
  );
}
