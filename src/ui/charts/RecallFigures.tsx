/** @file The recalls of an answer: their gates, and logits token by token. Their code is loaded when they are opened. */

import { lazy, Suspense } from "react";
import { Disclosure } from "../controls/Disclosure.tsx";
import type { RecallProps } from "./RecallSections.tsx";
import s from "./charts.module.css";

const Recalls = lazy(() =>
  import("./RecallSections.tsx").then((module) => ({ default: module.RecallSections })),
);

export const RecallFigures = (props: RecallProps) =>
  props.answer.recalled.length > 0 && (
    <Disclosure summary="Figures of the recalls">
      <Suspense fallback={<div className={s.waiting} />}>
        <Recalls {...props} />
      </Suspense>
    </Disclosure>
  );
