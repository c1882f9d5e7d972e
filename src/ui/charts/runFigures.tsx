/** @file The figures of a run: of an evaluation, of a study, or of two runs of one study. */

import { evaluationFigures, studyFigures, type AnyFigure } from "../../figures/registry.ts";
import type { Evaluation } from "../../records/evaluation.ts";
import { modelTag } from "../../records/memory.ts";
import type { Run } from "../../records/run.ts";
import { Compare, FigureView } from "./FigureView.tsx";

export const StudyFigures = ({ run, beside }: { readonly run: Run; readonly beside: Run | null }) =>
  studyFigures(run, beside).map(([a, b], i) =>
    a && b ? <Compare key={i} a={a} b={b} /> : a && <FigureView key={i} figure={a} />,
  );

export const EvaluationFigures = ({ run }: { readonly run: Evaluation }) =>
  figuresOf(run).map((figure) => <FigureView key={figure.id} figure={figure} />);

export function figuresOf(evaluation: Evaluation): AnyFigure[] {
  const { benchmark, model, backend, app, created } = evaluation.header;
  const source = { run: `benchmark ${benchmark}`, at: created, backend, model: modelTag(model), app };
  return evaluationFigures(evaluation, source).filter(({ rows }) => rows.length > 0);
}
