/** @file The figures of an evaluation. */

import { evaluationFigures, type AnyFigure } from "../../figures/registry.ts";
import type { Evaluation } from "../../records/evaluation.ts";
import { modelTag } from "../../records/memory.ts";
import { FigureView } from "../charts/FigureView.tsx";

/** The figures with content, in reading order. */
export function figuresOf(evaluation: Evaluation): AnyFigure[] {
  const { benchmark, model, backend, app, created } = evaluation.header;
  const source = { run: `benchmark ${benchmark}`, at: created, backend, model: modelTag(model), app };
  return evaluationFigures(evaluation, source).filter(({ rows }) => rows.length > 0);
}

export const EvaluationFigures = ({ run }: { readonly run: Evaluation }) =>
  figuresOf(run).map((figure) => <FigureView key={figure.id} figure={figure} />);
