/** @file Notices: a run that can go on, a deletion that can be undone for some seconds, and words that a notebook keeps. */

import { type ComponentProps, useEffect, useState } from "react";
import { useCanWrite, useActions } from "../app.tsx";
import { Notice, Button, Row, Text, Note } from "../controls/basics.tsx";
import type { PendingDeletion } from "../../state/actions/runs.ts";
import { UNDO_WINDOW, whenShown } from "../controls/page.ts";
import { useStable } from "../controls/useAsync.tsx";
import s from "./UndoNotice.module.css";
import { holdsWords } from "../../notebook/edits.ts";
import type { Cell } from "../../records/notebook.ts";

export function Unfinished(
  props: Omit<ComponentProps<typeof Notice>, "actions"> & { readonly onGoOn: () => void },
) {
  const { title = "This run is not complete", onGoOn, ...notice } = props;
  const canWrite = useCanWrite();
  return (
    <Notice
      title={title}
      actions={<Button size="s" icon="run" label="Go on" disabled={!canWrite} onClick={onGoOn} />}
      {...notice}
    />
  );
}

/** Shows the notice until the deletion begins or is undone, so that its buttons never promise too much. */
export function showUndo(what: string, deletion: PendingDeletion): void {
  const until = performance.now() + UNDO_WINDOW;
  whenShown((toast) => {
    const id = toast.custom(
      () => <UndoNotice what={what} until={until} onUndo={deletion.undo} onNow={deletion.now} />,
      { duration: Infinity },
    );
    void deletion.decided.then(() => toast.dismiss(id));
  });
}

export function UndoNotice(
  props: Readonly<{ what: string; until: number; onUndo: () => void; onNow: () => void }>,
) {
  const { what, until, onUndo, onNow } = props;
  const seconds = (): number => Math.max(0, Math.ceil((until - performance.now()) / 1000));
  const [left, setLeft] = useState(seconds);
  const tick = useStable(() => setLeft(seconds()));
  useEffect(() => {
    const timer = setInterval(tick, 250);
    return () => clearInterval(timer);
  }, [tick]);
  return (
    <Row align="center" gap="1rem" justify="between" className={s.notice}>
      <Text as="div" shrinks anywhere>
        <Text as="strong" weight="bold">
          {what}
        </Text>{" "}
        will be deleted
        {/* Read aloud once, with the whole time; the seconds tick for the eye alone. */}
        <span className="visually-hidden"> in {UNDO_WINDOW / 1000} seconds</span>
        <Text
          size="s"
          numeric
          whiteSpace="nowrap"
          style={{ marginLeft: "0.5rem", opacity: 0.8 }}
          aria-hidden="true"
        >
          {left} s
        </Text>
      </Text>
      <Row wrap gap="0.4rem" justify="end">
        <Button size="s" icon="undo" label="Undo" className={s.way} onClick={onUndo} />
        <Button size="s" label="Delete now" className={s.way} onClick={onNow} />
      </Row>
      <span className={s.line} style={{ animationDuration: `${UNDO_WINDOW}ms` }} aria-hidden="true" />
    </Row>
  );
}

export function KeptWords({ cell, what }: { readonly cell: Cell; readonly what: string }) {
  const { clearWords } = useActions();
  const canWrite = useCanWrite();
  return !holdsWords(cell) ? null : (
    <Row wrap align="center" gap="0.25rem 0.75rem">
      <Note>{what} are saved with the notebook, in words.</Note>
      {canWrite && (
        <Button
          look="quiet"
          size="s"
          label="Clear the words"
          title="Clears them from all answers, certificates and changes of this notebook"
          onClick={clearWords}
        />
      )}
    </Row>
  );
}
