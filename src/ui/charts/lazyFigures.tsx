/** @file Figures of cells and panels; their code is loaded when they are first drawn. */

import type { AnyFigure } from "../../figures/registry.ts";
import { Disclosure } from "../controls/Dialog.tsx";
import { useLinkedFigure } from "../controls/page.ts";
import { lazily } from "../controls/useAsync.tsx";

export const Figure = lazily<{ readonly figure: AnyFigure }>(
  async () => (await import("./FigureView.tsx")).FigureView,
  "14rem",
);
export const StudyFigures = lazily(async () => (await import("./FigureView.tsx")).StudyFigures, "20rem");
export const EvaluationFigures = lazily(
  async () => (await import("./FigureView.tsx")).EvaluationFigures,
  "20rem",
);
const Memory = lazily(async () => (await import("./MemorySections.tsx")).MemoryPanel, "12rem");

export function MemoryFigures({ cellId }: { readonly cellId: string }) {
  const linked = useLinkedFigure(cellId);
  return (
    <Disclosure key={linked} summary="Figures" defaultOpen={linked !== null}>
      <Memory cellId={cellId} figure={linked} />
    </Disclosure>
  );
}
