/** @file The figures of an evaluation. */

import type { Evaluation } from "../../records/evaluation.ts";
import { FigureView } from "../charts/FigureView.tsx";
import { figuresOf } from "./evaluationFigures.ts";

export function EvaluationFigures({ run }: { readonly run: Evaluation }) {
  return figuresOf(run).map((figure) => <FigureView key={figure.id} figure={figure} />);
}
