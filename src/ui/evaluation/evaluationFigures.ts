/** @file The figures of an evaluation. */

import { evaluationFigures, type AnyFigure } from "../../figures/registry.ts";
import type { Evaluation } from "../../records/evaluation.ts";
import { modelTag } from "../../records/memory.ts";

/** Those that have something to show, in reading order. */
export function figuresOf(evaluation: Evaluation): AnyFigure[] {
  const { benchmark, model, backend, app, created } = evaluation.header;
  const source = { run: `benchmark ${benchmark}`, at: created, backend, model: modelTag(model), app };
  return evaluationFigures(evaluation, source).filter(({ rows }) => rows.length > 0);
}
