/** @file An evaluation with its figures, which are drawn when somebody opens them. */

import { lazy, Suspense } from "react";
import type { Evaluation } from "../../records/evaluation.ts";
import { Disclosure } from "../controls/Disclosure.tsx";
import { EvaluationView } from "../evaluation/EvaluationView.tsx";
import s from "./Paper.module.css";

const EvaluationFigures = lazy(() =>
  import("../evaluation/FiguresOfEvaluation.tsx").then((module) => ({
    default: module.EvaluationFigures,
  })),
);

export function WholeEvaluation({ run }: { readonly run: Evaluation }) {
  return (
    <>
      <EvaluationView run={run} />
      <Disclosure summary="Its figures: accuracy, stages, what is kept, what it takes">
        <Suspense fallback={<div className={s.waiting} />}>
          <EvaluationFigures run={run} />
        </Suspense>
      </Disclosure>
    </>
  );
}
