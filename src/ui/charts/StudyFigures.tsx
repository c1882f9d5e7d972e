/** @file The figures of a run, or of two runs of one study. */

import { studyFigures } from "../../figures/registry.ts";
import type { Run } from "../../records/run.ts";
import { Compare, FigureView } from "./FigureView.tsx";

export const StudyFigures = ({ run, beside }: { readonly run: Run; readonly beside: Run | null }) =>
  studyFigures(run, beside).map(([a, b], i) =>
    a && b ? <Compare key={i} a={a} b={b} /> : a && <FigureView key={i} figure={a} />,
  );
