/**
 * @file The recalls behind an answer, seen from inside: the gate of each, and token by token what δ does. This file is
 * light: drawings are fetched when it is opened.
 */

import { lazy, Suspense, useState } from "react";
import type { Answer } from "../../records/answer.ts";
import type { Stamp } from "../../records/notebook.ts";
import { Disclosure } from "../controls/Disclosure.tsx";
import s from "./Panel.module.css";

const Recalls = lazy(() =>
  import("./RecallSections.tsx").then((module) => ({ default: module.RecallSections })),
);

export interface RecallFiguresProps {
  /** The memory's id, which is its notebook's. */
  readonly memory: string;
  /** The cell whose model is opened for it. */
  readonly cellId: string;
  readonly answer: Answer;
  readonly stamp?: Stamp | null | undefined;
}

export function RecallFigures(props: RecallFiguresProps) {
  const [open, setOpen] = useState(false);
  if (props.answer.recalled.length === 0) return null;
  return (
    <Disclosure summary="Figures of the recalls" open={open} onOpenChange={setOpen}>
      {open && (
        <Suspense fallback={<div className={s.waiting} />}>
          <Recalls {...props} />
        </Suspense>
      )}
    </Disclosure>
  );
}
