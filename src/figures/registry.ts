/** @file Every kind of figure, and which figures a memory, a fact, a study and an evaluation have, in reading order. */

import type { Evaluation } from "../records/evaluation.ts";
import type { LayerGeometry, VectorMap } from "../records/geometry.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { FactRow } from "../records/notebook.ts";
import type { MethodParams } from "../records/params.ts";
import type { LayerPlan } from "../records/plan.ts";
import type { Run } from "../records/run.ts";
import type { ExtractionCounts, LensTrace } from "../records/trace.ts";
import {
  lossCurves,
  stepsHistogram,
  type Curve,
  factsPerLayer,
  layerProbe,
  marginRows,
  roundRobin,
  similarityCells,
  withOrders,
} from "./layers.ts";
import {
  accuracyByDepth,
  accuracyByLength,
  attributionBars,
  bytesByLength,
  secondsByQuestions,
  taskByLength,
} from "./evaluation.ts";
import { extractionReasons, extractionStrip } from "./extraction.ts";
import type { Figure, Source, Traits, Column, Counted, Row } from "./figure.ts";
import { competitorWeights, gateStrip, lensGrid, mapRows, tokenLogits } from "./gates.ts";
import { grid, lines, intervalNames } from "./lines.ts";
import { gateGrid, studyCurve, studyTable } from "./studies.ts";

const FIGURES = {
  "extraction-strip": extractionStrip,
  "extraction-reasons": extractionReasons,
  "facts-per-layer": factsPerLayer,
  "round-robin": roundRobin,
  "layer-probe": layerProbe,
  "loss-curves": lossCurves,
  "steps-histogram": stepsHistogram,
  "similarity-matrix": similarityCells,
  margins: marginRows,
  map: mapRows,
  "gate-strip": gateStrip,
  "competitor-weights": competitorWeights,
  "token-logits": tokenLogits,
  lens: lensGrid,
  lines,
  grid,
  "study-cases": studyTable,
  attribution: attributionBars,
};

export type FigureKind = keyof typeof FIGURES;
export type RowOf<K extends FigureKind> = ReturnType<(typeof FIGURES)[K]>["rows"][number];
export type FigureOf<K extends FigureKind> = Figure<RowOf<K>, K>;
export type AnyFigure = { readonly [K in FigureKind]: FigureOf<K> }[FigureKind];

/** A figure under another name does not compile. */
const traits: { readonly [K in FigureKind]: Traits<RowOf<K>> & { readonly kind: K } } = FIGURES;

export const traitsOf = <K extends FigureKind>(kind: K): Traits<RowOf<K>> => traits[kind];

/** A memory as its figures are made from it. Parts that were not read are null. */
export interface MemoryData {
  readonly source: Source;
  readonly facts: readonly FactRow[];
  readonly layers: readonly LayerIndex[];
  readonly params: Pick<MethodParams, "capacity" | "steps" | "theta" | "layersFrom">;
  readonly plan: LayerPlan | null;
  readonly reach?: number;
  readonly extraction: ExtractionCounts | null;
  readonly curves: readonly Curve[] | null;
  readonly geometry: (LayerGeometry & { readonly layer: number }) | null;
  readonly maps: readonly VectorMap[] | null;
}

export type MemoryPart = keyof typeof UNREAD | "plan";

export const UNREAD = { extraction: null, curves: null, geometry: null, maps: null } as const;

export type MemorySection = "extraction" | "layers" | "encoding" | "gates" | "maps";

interface MemoryFigures {
  readonly section: MemorySection;
  readonly needs: MemoryPart | null;
  readonly kind: FigureKind;
  readonly of: (data: MemoryData) => readonly AnyFigure[];
}

/** A row whose figure is made from `input`; null: the memory lacks what it needs. */
const row = <K extends FigureKind, I>(
  section: MemorySection,
  needs: MemoryPart | null,
  maker: { readonly kind: K } & ((input: I, source: Source) => FigureOf<K>),
  input: (data: MemoryData) => I | null,
): MemoryFigures => ({
  ...{ kind: maker.kind, section, needs },
  of: (data) => {
    const given = input(data);
    return given === null ? [] : [maker(given, data.source) as AnyFigure];
  },
});

export const MEMORY_FIGURES: readonly MemoryFigures[] = [
  row("extraction", "extraction", extractionStrip, ({ extraction }) => extraction),
  row("extraction", "extraction", extractionReasons, ({ extraction }) => extraction),
  row("layers", null, factsPerLayer, ({ facts, layers, params: { capacity } }) => ({
    facts,
    layers,
    capacity,
  })),
  row("layers", null, roundRobin, ({ facts, layers, params: { layersFrom } }) => ({
    ...{ facts: withOrders(facts), layers, layersFrom },
  })),
  row("layers", "plan", layerProbe, ({ plan }) => plan),
  row("encoding", "curves", lossCurves, ({ curves, params }) => curves && { curves, guided: params.steps }),
  row("encoding", null, stepsHistogram, ({ facts, reach = 0 }) => ({ facts, reach })),
  row(
    "gates",
    "geometry",
    similarityCells,
    ({ geometry, params: { theta } }) => geometry && { matrix: geometry.matrix, theta },
  ),
  row(
    "gates",
    "geometry",
    marginRows,
    ({ geometry, params: { theta } }) => geometry && { ...geometry, theta },
  ),
  {
    ...{ kind: "map", section: "maps", needs: "maps" },
    of: ({ maps, source }) => (maps ?? []).map((map) => mapRows(map, source)),
  },
];

export const memoryFigures = (data: MemoryData, needs?: MemoryPart): AnyFigure[] =>
  MEMORY_FIGURES.filter((row) => needs === undefined || row.needs === needs).flatMap((row) => row.of(data));

export const reconstructionFigures = (lens: LensTrace, source: Source): AnyFigure[] => [
  tokenLogits(lens, source),
  lensGrid({ lens, withDelta: true }, source),
  lensGrid({ lens, withDelta: false }, source),
];

export function studyFigures(run: Run, beside: Run | null): (readonly AnyFigure[])[] {
  const grids = beside
    ? [gateGrid(run, "exact", "A"), gateGrid(beside, "exact", "B")]
    : [gateGrid(run, "exact")];
  return [[studyCurve(run, beside)], ...(run.header.study === "gates" ? [grids] : []), [studyTable(run)]];
}

export const evaluationFigures = (evaluation: Evaluation, source: Source): AnyFigure[] => [
  accuracyByLength(evaluation, source),
  taskByLength(evaluation, source),
  accuracyByDepth(evaluation, source),
  attributionBars(evaluation, source),
  bytesByLength(evaluation, source),
  secondsByQuestions(evaluation, source),
];

export function namedFacts({ columns }: Pick<Figure, "columns">, row: Row): readonly string[] {
  const ids = columns.flatMap(({ fact }) => (fact === undefined ? [] : row[fact]));
  return [...new Set(ids.filter((id) => typeof id === "string"))];
}

export function isLeading<K extends FigureKind>(figure: FigureOf<K>, row: RowOf<K>): boolean {
  const { counts } = traitsOf<K>(figure.kind);
  return counts ? (counts.size?.(row) ?? 1) > 0 : namedFacts(figure, row).length > 0;
}

/** The facts that a row counts, and words for them; null if the figure's rows count no facts. */
export function countedFacts<K extends FigureKind, F extends Counted>(
  { kind }: FigureOf<K>,
  row: RowOf<K>,
  facts: readonly F[],
): { readonly facts: readonly F[]; readonly words: string } | null {
  const { counts } = traitsOf<K>(kind);
  return counts && { facts: facts.filter(counts.includes(row, facts)), words: counts.words(row) };
}

export function readableColumns({ columns }: Pick<Figure, "columns">): readonly Column[] {
  const bounds = intervalNames(columns);
  return columns.filter(({ name, unit }) => unit !== "id" && !bounds.has(name));
}
