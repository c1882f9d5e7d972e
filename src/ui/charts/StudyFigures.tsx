/** @file The figures of a run, alone or with another of its study beside it. */

import { STUDY_LIST, type StudyData } from "../../figures/registry.ts";
import { Compare } from "./Compare.tsx";
import { FigureView } from "./FigureView.tsx";

export function StudyFigures(data: StudyData) {
  return STUDY_LIST.map((row, i) => {
    const [a, b] = row.of(data);
    if (!a) return null;
    return b ? <Compare key={i} a={a} b={b} /> : <FigureView key={i} figure={a} />;
  });
}
