/** @file The recalls of an answer: their gates, and logits token by token. Their code is loaded when they are opened. */

import { lazy, Suspense, useState } from "react";
import { Disclosure } from "../controls/Disclosure.tsx";
import type { RecallProps } from "./RecallSections.tsx";
import s from "./Panel.module.css";

const Recalls = lazy(() =>
  import("./RecallSections.tsx").then((module) => ({ default: module.RecallSections })),
);

export function RecallFigures(props: RecallProps) {
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
