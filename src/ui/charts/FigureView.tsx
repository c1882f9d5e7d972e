/** @file Any figure with the picture of its kind, alone or in the list of a memory or a run. */

import { type ReactNode, useMemo } from "react";
import {
  traitsOf,
  type AnyFigure,
  type FigureKind,
  type FigureOf,
  evaluationFigures,
  studyFigures,
  MEMORY_FIGURES,
  type MemoryData,
  type MemoryPart,
  type MemorySection,
} from "../../figures/registry.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { type PictureOf, FactPicking } from "./kit/picture.tsx";
import { Stack } from "../controls/basics.tsx";
import type { Evaluation } from "../../records/evaluation.ts";
import { modelTag } from "../../records/memory.ts";
import type { Run } from "../../records/run.ts";
import * as gates from "./GateStripFigure.tsx";
import * as grids from "./GridFigures.tsx";
import * as lines from "./LinesFigures.tsx";
import * as plain from "./PlainFigures.tsx";
import s from "./charts.module.css";

interface Viewed<K extends FigureKind> {
  readonly figure: FigureOf<K>;
}

export function FigureView<K extends FigureKind>({ figure }: Viewed<K>) {
  const drawing: PictureOf<K> | "table" = DRAWINGS[figure.kind];
  if (drawing === "table") return <FigureFrame<K> figure={figure} picture={null} />;
  // A picture is a hook: a figure of another kind is another component.
  return <Pictured<K> key={figure.kind} figure={figure} usePicture={drawing} />;
}

function Pictured<K extends FigureKind>(props: Viewed<K> & { readonly usePicture: PictureOf<K> }) {
  const { figure, usePicture } = props;
  return <FigureFrame<K> figure={figure} picture={usePicture(figure)} />;
}

function Laid({ parts }: Readonly<{ parts: readonly Readonly<{ wide: boolean; drawn: ReactNode }>[] }>) {
  const runs: { wide: boolean; drawn: ReactNode[] }[] = [];
  for (const { wide, drawn } of parts) {
    const last = runs.at(-1);
    if (last && last.wide === wide) last.drawn.push(drawn);
    else runs.push({ wide, drawn: [drawn] });
  }
  return runs.map(({ wide, drawn }, i) =>
    wide ? (
      <Stack key={i} gap="1.25rem">
        {drawn}
      </Stack>
    ) : (
      <div key={i} className={s.pair}>
        {drawn}
      </div>
    ),
  );
}

export const FigureList = ({ figures }: { readonly figures: readonly AnyFigure[] }) => (
  <Laid
    parts={figures.map((figure) => ({
      wide: traitsOf(figure.kind as FigureKind).wide,
      drawn: <FigureView key={figure.id} figure={figure} />,
    }))}
  />
);

/** "table": the figure has no picture. */
export type Drawings = { readonly [K in FigureKind]: PictureOf<K> | "table" };

export const DRAWINGS: Drawings = {
  "extraction-strip": plain.stripFigure,
  "extraction-reasons": plain.reasonsFigure,
  "facts-per-layer": plain.factsPerLayerFigure,
  "round-robin": grids.roundRobinFigure,
  "layer-probe": plain.layerProbeFigure,
  "loss-curves": lines.lossCurvesFigure,
  "steps-histogram": plain.stepsFigure,
  "similarity-matrix": grids.similarityFigure,
  margins: plain.marginsFigure,
  map: grids.useMapFigure,
  "gate-strip": gates.gateStripFigure,
  "competitor-weights": plain.competitorsFigure,
  "token-logits": plain.tokenLogitsFigure,
  lens: grids.lensFigure,
  lines: lines.linesFigure,
  grid: grids.gridFigure,
  "study-cases": "table",
  attribution: grids.attributionFigure,
};

export const StudyFigures = ({ run }: { readonly run: Run }) =>
  studyFigures(run).map((figure) => <FigureView key={figure.id} figure={figure} />);

export const EvaluationFigures = ({ run }: { readonly run: Evaluation }) =>
  figuresOf(run).map((figure) => <FigureView key={figure.id} figure={figure} />);

export function figuresOf(evaluation: Evaluation): AnyFigure[] {
  const { benchmark, model, backend, app, created } = evaluation.header;
  const source = { run: `benchmark ${benchmark}`, at: created, backend, model: modelTag(model), app };
  return evaluationFigures(evaluation, source).filter(({ rows }) => rows.length > 0);
}

interface ListedProps {
  readonly data: MemoryData;
  readonly section: MemorySection;
  /** Null: the figures that need only the facts. */
  readonly needs: MemoryPart | null;
}

export function Listed({ data, section, needs }: ListedProps) {
  const figures = useMemo(
    () =>
      MEMORY_FIGURES.filter((row) => row.section === section && row.needs === needs).flatMap(({ of }) =>
        of(data),
      ),
    [data, section, needs],
  );
  return (
    <FactPicking facts={data.facts}>
      <FigureList figures={figures} />
    </FactPicking>
  );
}
