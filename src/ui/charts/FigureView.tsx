/** @file Any figure with the picture of its kind: alone, in pairs on one scale, or in the list of a memory or a run. */

import { type ReactNode, Fragment, useMemo } from "react";
import {
  traitsOf,
  type AnyFigure,
  type FigureKind,
  type FigureOf,
  evaluationFigures,
  studyFigures,
  MEMORY_FIGURES,
  type MemoryPart,
  type MemorySection,
} from "../../figures/registry.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { type PictureOf, FactPicking } from "./kit/picture.tsx";
import { Stack } from "../controls/basics.tsx";
import type { Evaluation } from "../../records/evaluation.ts";
import { modelTag } from "../../records/memory.ts";
import type { Run } from "../../records/run.ts";
import type { Side } from "./sections/sides.ts";
import * as gates from "./GateStripFigure.tsx";
import * as grids from "./GridFigures.tsx";
import * as lines from "./LinesFigures.tsx";
import * as plain from "./PlainFigures.tsx";
import s from "./charts.module.css";

interface Viewed<K extends FigureKind> {
  readonly figure: FigureOf<K>;
  readonly beside?: NoInfer<FigureOf<K>> | null;
}

export function FigureView<K extends FigureKind>({ figure, beside = null }: Viewed<K>) {
  const drawing: PictureOf<K> | "table" = DRAWINGS[figure.kind];
  if (drawing === "table") return <FigureFrame<K> figure={figure} picture={null} />;
  // A picture is a hook: a figure of another kind is another component.
  return <Pictured<K> key={figure.kind} figure={figure} beside={beside} usePicture={drawing} />;
}

function Pictured<K extends FigureKind>(props: Viewed<K> & { readonly usePicture: PictureOf<K> }) {
  const { figure, beside = null, usePicture } = props;
  return <FigureFrame<K> figure={figure} picture={usePicture(figure, beside)} />;
}

interface Compared<K extends FigureKind> {
  readonly a: FigureOf<K>;
  readonly b: NoInfer<FigureOf<K>>;
}

export const Compare = <K extends FigureKind>({ a, b }: Compared<K>) => (
  <div className={s.pair}>
    <FigureView<K> figure={a} beside={b} />
    <FigureView<K> figure={b} beside={a} />
  </div>
);

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

interface ListedProps {
  readonly sides: readonly Side[];
  readonly section: MemorySection;
  /** Null: the figures that need only the facts. */
  readonly needs: MemoryPart | null;
}

export function Listed({ sides, section, needs }: ListedProps) {
  const made = useMemo(
    () =>
      MEMORY_FIGURES.filter((row) => row.section === section && row.needs === needs).map(({ kind, of }) => ({
        kind,
        lists: sides.map((side) => named(of(side), side, sides)),
      })),
    [sides, section, needs],
  );
  const parts = made.flatMap(({ kind, lists }) => {
    const most = Math.max(...lists.map(({ length }) => length));
    // Two memories need the whole width.
    const wide = traitsOf(kind).wide || sides.length > 1;
    return Array.from({ length: most }, (_, i) => {
      const pair = lists.flatMap((list, at) => (list[i] ? [{ side: sides[at]!, figure: list[i] }] : []));
      const drawn = pair.map(({ side, figure }, at) => (
        <OfSide key={at} side={side} figure={figure} beside={pair[1 - at]?.figure ?? null} />
      ));
      const key = `${kind} ${i}`;
      return {
        wide,
        drawn:
          pair.length > 1 ? (
            <div key={key} className={s.pair}>
              {drawn}
            </div>
          ) : (
            <Fragment key={key}>{drawn}</Fragment>
          ),
      };
    });
  });
  return <Laid parts={parts} />;
}

/** Titles name their memory if there are two, so that figures and files differ. */
const named = (figures: readonly AnyFigure[], { name }: Side, sides: readonly Side[]) =>
  sides.length < 2
    ? figures
    : figures.map((figure) => ({ ...figure, title: `${figure.title}, in “${name}”` }));

function OfSide({
  side: { memory: id, name: title, other, facts },
  figure,
  beside,
}: Readonly<{ side: Side; figure: AnyFigure; beside: AnyFigure | null }>) {
  const where = useMemo(() => (other ? { id, title } : undefined), [id, title, other]);
  return (
    <FactPicking facts={facts} other={where}>
      <FigureView figure={figure} beside={beside} />
    </FactPicking>
  );
}
