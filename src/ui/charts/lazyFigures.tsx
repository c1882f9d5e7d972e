/** @file Figures of cells and panels; their code is loaded when they are first drawn. */

import type { ComponentProps } from "react";
import type { AnyFigure } from "../../figures/registry.ts";
import { Disclosure } from "../controls/Disclosure.tsx";
import { lazily } from "../controls/lazily.tsx";
import type { MemoryPanel } from "./MemorySections.tsx";
import type * as OfRuns from "./FigureView.tsx";

export const Figure = lazily<{ readonly figure: AnyFigure }>(
  async () => (await import("./FigureView.tsx")).FigureView,
  "14rem",
);
export const StudyFigures = lazily<ComponentProps<typeof OfRuns.StudyFigures>>(
  async () => (await import("./FigureView.tsx")).StudyFigures,
  "20rem",
);
export const EvaluationFigures = lazily<ComponentProps<typeof OfRuns.EvaluationFigures>>(
  async () => (await import("./FigureView.tsx")).EvaluationFigures,
  "20rem",
);
const Memory = lazily<ComponentProps<typeof MemoryPanel>>(
  async () => (await import("./MemorySections.tsx")).MemoryPanel,
  "12rem",
);

export const MemoryFigures = (props: ComponentProps<typeof MemoryPanel>) => (
  <Disclosure summary="Figures">
    <Memory {...props} />
  </Disclosure>
);
