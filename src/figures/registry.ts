/**
 * @file Every figure, in reading order: those of a memory, of a single fact and its recall, and of a study. A row says
 * in which section a figure stands and what it is made from; page, report and gallery read these lists and no other.
 * To add one, define it beside its like (see `defineFigure`), give it a row here, and a drawing in ui/charts/drawings.
 */

import type { LayerIndex } from "../records/ids.ts";
import type { SourceInfo } from "../records/memory.ts";
import type { FactRow } from "../records/notebook.ts";
import type { LayerPlan } from "../records/plan.ts";
import type { MethodParams } from "../records/params.ts";
import type { Evaluation } from "../records/evaluation.ts";
import type { Run } from "../records/run.ts";
import type {
  ExtractionCounts,
  ExtractionTrace,
  LensTrace,
  RecallTrace,
  TokenPair,
} from "../records/trace.ts";
import {
  fidelityByLength,
  firstWrong,
  lossBand,
  lossCurves,
  stepsHistogram,
  type Curve,
} from "./encoding.ts";
import {
  anchorsByFacts,
  extractionMarks,
  extractionStrip,
  factsAlong,
  filterReasons,
  proposals,
} from "./extraction.ts";
import { stepsByLength, stepsWritten, vectorsPerFact } from "./parts.ts";
import type { Figure, Maker, Row, Source, Traits } from "./figure.ts";
import { competitorWeights, gateStrip, readsSideBySide } from "./gates.ts";
import type { LayerGeometry, Neighbour, VectorMap } from "../records/geometry.ts";
import {
  anchorOrders,
  deltaNorms,
  factsPerLayer,
  layerProbe,
  marginGrowthRows,
  marginRows,
  roundRobin,
  similarityCells,
} from "./layers.ts";
import {
  lensGrid,
  mapRows,
  nearestRows,
  reconstructionDiff,
  tokenLogits,
  vectorHistogram,
} from "./reconstruction.ts";
import {
  accuracyByDepth,
  accuracyByLength,
  attributionBars,
  bytesByLength,
  secondsByQuestions,
  taskByLength,
} from "./evaluation.ts";
import { compareRuns, gateGrid, studyCurve, studyTable } from "./studies.ts";

/** A memory as its figures are made from it. What was not asked for, or is not to be had, is null. */
export interface MemoryData {
  readonly source: Source;
  readonly facts: readonly FactRow[];
  readonly layers: readonly LayerIndex[];
  readonly params: Pick<MethodParams, "capacity" | "steps" | "theta" | "layersFrom">;
  /** The texts that it was made from. */
  readonly texts: readonly Pick<SourceInfo, "id" | "title" | "characters">[];
  readonly plan: LayerPlan | null;
  /** Steps that histograms reach at least, so that two memories have the same bins. */
  readonly reach?: number;
  /** How one text was read. */
  readonly extraction: ExtractionTrace | ExtractionCounts | null;
  readonly curves: readonly Curve[] | null;
  /** Inexact facts token by token. */
  readonly pairs: readonly TokenPair[] | null;
  /** How the keys of a layer lie to each other. */
  readonly geometry: (LayerGeometry & { readonly layer: number }) | null;
  readonly maps: readonly VectorMap[] | null;
}

/** One fact, and its recall seen from inside. */
export interface FactData {
  readonly source: Source;
  readonly key: string;
  readonly trace: RecallTrace | null;
  readonly pair: TokenPair | null;
  readonly lens: LensTrace | null;
  readonly nearest: Readonly<Record<"key" | "residual", readonly Neighbour[]>> | null;
  readonly vectors: Readonly<Record<"key" | "residual", Float32Array>> | null;
}

/** The parts of a fact that was not looked into. */
export const NO_FACT_PARTS = { trace: null, pair: null, lens: null, nearest: null, vectors: null } as const;

/** A run, alone or with another of its study beside it. */
export interface StudyData {
  readonly run: Run;
  readonly beside: Run | null;
}

/** An evaluation as its figures are made from it. */
export interface EvaluationData {
  readonly source: Source;
  readonly evaluation: Evaluation;
}

/** What a figure of a memory may need besides its facts. */
export type MemoryPart = keyof typeof UNREAD | "plan";

/** The parts of a memory that was not looked into. */
export const UNREAD = { extraction: null, curves: null, pairs: null, geometry: null, maps: null } as const;

export type MemorySection = "extraction" | "layers" | "encoding" | "gates" | "maps";
export type Section = MemorySection | "reconstructions" | "studies" | "evaluation";

/** A row of a list: where the figure stands, what must have been read for it, and how it is made. */
export interface Listed<D, K extends string, R extends Row> {
  readonly section: Section;
  /** The part of the data without which there is none. */
  readonly needs: keyof D | null;
  readonly traits: Traits<R>;
  readonly of: (data: D) => readonly Figure<R, K>[];
}

/** Says how figures of one definition are made from data; `needs` is there when `inputs` is asked. */
const listing =
  <D extends { readonly source: Source }>() =>
  <K extends string, I, R extends Row, N extends keyof D>(
    traits: Maker<K, [input: I, source: Source], R>,
    section: Section,
    needs: N | null,
    inputs: (data: D & { readonly [P in N]: NonNullable<D[P]> }) => readonly NoInfer<I>[],
  ): Listed<D, K, R> => ({
    ...{ section, needs, traits },
    of: (data) => (hasPart(data, needs) ? inputs(data).map((input) => traits(input, data.source)) : []),
  });

const hasPart = <D, N extends keyof D>(
  data: D,
  part: N | null,
): data is D & { readonly [P in N]: NonNullable<D[P]> } => part === null || data[part] !== null;

const ofMemory = listing<MemoryData>();
const ofFact = listing<FactData>();

/** Texts that have a figure each; a memory of more is better seen by anchors. */
export const MOST_TEXTS = 4;

const MEMORY_FIGURES = {
  "extraction-strip": ofMemory(extractionStrip, "extraction", "extraction", ({ extraction }) => [
    "parts" in extraction ? extraction : { text: extraction },
  ]),
  "extraction-marks": ofMemory(extractionMarks, "extraction", "extraction", ({ extraction }) =>
    "parts" in extraction ? [] : [{ trace: extraction }],
  ),
  "filter-reasons": ofMemory(filterReasons, "extraction", "extraction", ({ extraction }) => [
    "parts" in extraction ? extraction : extraction.sentences,
  ]),
  proposals: ofMemory(proposals, "extraction", "extraction", ({ extraction }) => [
    "parts" in extraction ? extraction : extraction.anchors,
  ]),
  "facts-along": ofMemory(factsAlong, "extraction", null, ({ facts, texts }) =>
    texts.slice(0, MOST_TEXTS).map((text) => ({ facts, text })),
  ),
  "anchors-by-facts": ofMemory(anchorsByFacts, "extraction", null, ({ facts }) => [facts]),
  "facts-per-layer": ofMemory(factsPerLayer, "layers", null, ({ facts, layers, params: { capacity } }) => [
    { facts, layers, capacity },
  ]),
  "delta-norms": ofMemory(deltaNorms, "layers", null, ({ facts }) => [{ facts }]),
  "round-robin": ofMemory(roundRobin, "layers", null, ({ facts, layers, params: { layersFrom } }) => [
    { facts: inOrder(facts), layers, layersFrom },
  ]),
  "layer-probe": ofMemory(layerProbe, "layers", "plan", ({ plan }) => [plan]),
  "loss-band": ofMemory(lossBand, "encoding", "curves", ({ curves, params }) => [
    { curves, guided: params.steps },
  ]),
  "loss-curves": ofMemory(lossCurves, "encoding", "curves", ({ curves, params }) => [
    { curves, guided: params.steps },
  ]),
  "steps-histogram": ofMemory(stepsHistogram, "encoding", null, ({ facts, reach = 0 }) => [{ facts, reach }]),
  "steps-written": ofMemory(stepsWritten, "encoding", null, ({ facts }) => [facts]),
  "vectors-per-fact": ofMemory(vectorsPerFact, "encoding", null, ({ facts }) => [facts]),
  "steps-by-length": ofMemory(stepsByLength, "encoding", null, ({ facts }) => [facts]),
  "fidelity-by-length": ofMemory(fidelityByLength, "encoding", null, ({ facts }) => [facts]),
  "first-wrong": ofMemory(firstWrong, "encoding", "pairs", ({ pairs }) => [pairs]),
  "similarity-matrix": ofMemory(
    similarityCells,
    "gates",
    "geometry",
    ({ geometry: { matrix }, params: { theta } }) => [{ matrix, theta }],
  ),
  "margin-growth": ofMemory(marginGrowthRows, "gates", "geometry", ({ geometry }) => [geometry]),
  margins: ofMemory(
    marginRows,
    "gates",
    "geometry",
    ({ geometry: { margins, layer }, params: { theta } }) => [{ margins, layer, theta }],
  ),
  map: ofMemory(mapRows, "maps", "maps", ({ maps }) => maps),
};

const READS = ["soft", "top1"] as const;
const BY = ["key", "residual"] as const;

const FACT_FIGURES = {
  "gate-strip": ofFact(gateStrip, "gates", "trace", ({ trace }) =>
    READS.map((read) => ({ trace, read, gate: trace })),
  ),
  "competitor-weights": ofFact(competitorWeights, "gates", "trace", ({ trace }) => [
    { trace, read: READS[0], gate: trace, position: trace.keyPosition },
  ]),
  "reads-side-by-side": ofFact(readsSideBySide, "gates", "trace", ({ trace }) => [trace]),
  "reconstruction-diff": ofFact(reconstructionDiff, "reconstructions", "pair", ({ pair }) => [pair]),
  "token-logits": ofFact(tokenLogits, "reconstructions", "lens", ({ lens }) => [lens]),
  lens: ofFact(lensGrid, "reconstructions", "lens", ({ lens }) => [
    { lens, withDelta: true },
    { lens, withDelta: false },
  ]),
  nearest: ofFact(nearestRows, "reconstructions", "nearest", ({ nearest, key }) =>
    BY.map((by) => ({ neighbours: nearest[by], key, by })),
  ),
  "vector-histogram": ofFact(vectorHistogram, "reconstructions", "vectors", ({ vectors, key }) =>
    BY.map((name) => ({ vector: vectors[name], name, key })),
  ),
};

const ofStudy = <K extends string, A extends readonly unknown[], R extends Row>(
  traits: Maker<K, A, R>,
  of: Listed<StudyData, K, R>["of"],
): Listed<StudyData, K, R> => ({ section: "studies", needs: null, traits, of });

const STUDY_FIGURES = {
  study: ofStudy(studyCurve, ({ run, beside }) => (beside ? [] : [studyCurve(run)])),
  compare: ofStudy(compareRuns, ({ run, beside }) => (beside ? [compareRuns(run, beside)] : [])),
  "gate-grid": ofStudy(gateGrid, ({ run, beside }) =>
    run.header.study !== "gates"
      ? []
      : beside
        ? [gateGrid(run, "exact", "A"), gateGrid(beside, "exact", "B")]
        : [gateGrid(run, "exact")],
  ),
  "study-cases": ofStudy(studyTable, ({ run }) => [studyTable(run)]),
};

const ofEvaluation = listing<EvaluationData>();

const EVALUATION_FIGURES = {
  "accuracy-by-length": ofEvaluation(accuracyByLength, "evaluation", null, whole),
  "task-by-length": ofEvaluation(taskByLength, "evaluation", null, whole),
  "accuracy-by-depth": ofEvaluation(accuracyByDepth, "evaluation", null, whole),
  attribution: ofEvaluation(attributionBars, "evaluation", null, whole),
  "bytes-by-length": ofEvaluation(bytesByLength, "evaluation", null, whole),
  "seconds-by-questions": ofEvaluation(secondsByQuestions, "evaluation", null, whole),
};

/** Each of them is made from all of a run. */
function whole({ evaluation }: EvaluationData): readonly Evaluation[] {
  return [evaluation];
}

const FIGURES = { ...MEMORY_FIGURES, ...FACT_FIGURES, ...STUDY_FIGURES, ...EVALUATION_FIGURES };

export type FigureKind = keyof typeof FIGURES;
export type MemoryKind = keyof typeof MEMORY_FIGURES;
type RowOfList<L> = L extends { readonly of: (...data: never[]) => readonly Figure<infer R>[] } ? R : never;
/** What the rows of a kind of figure hold. */
export type RowOf<K extends FigureKind> = RowOfList<(typeof FIGURES)[K]>;
export type FigureOf<K extends FigureKind> = Figure<RowOf<K>, K>;
/** A figure that has a drawing. */
export type AnyFigure = { readonly [K in FigureKind]: FigureOf<K> }[FigureKind];

/** The lists once more, each row under its own kind: a row under another's name does not compile. */
type ListOf<D, K extends FigureKind> = { readonly [P in K]: Listed<D, P, RowOf<P>> };
const ofMemories: ListOf<MemoryData, MemoryKind> = MEMORY_FIGURES;
const ofFacts: ListOf<FactData, keyof typeof FACT_FIGURES> = FACT_FIGURES;
const ofStudies: ListOf<StudyData, keyof typeof STUDY_FIGURES> = STUDY_FIGURES;
const ofEvaluations: ListOf<EvaluationData, keyof typeof EVALUATION_FIGURES> = EVALUATION_FIGURES;
const traits: { readonly [K in FigureKind]: { readonly traits: Traits<RowOf<K>> } } = FIGURES;

/** What is the same for all figures of a kind. */
export const traitsOf = <K extends FigureKind>(kind: K): Traits<RowOf<K>> => traits[kind].traits;

/** The rows of each list, in reading order. */
export const MEMORY_LIST = Object.values(ofMemories);
export const FACT_LIST = Object.values(ofFacts);
export const STUDY_LIST = Object.values(ofStudies);
export const EVALUATION_LIST = Object.values(ofEvaluations);

/** All figures of a memory, as far as it was read; or those that a part of what was read is for. */
export const memoryFigures = (data: MemoryData, needs?: MemoryPart): AnyFigure[] =>
  MEMORY_LIST.filter((row) => needs === undefined || row.needs === needs).flatMap(
    (row): readonly AnyFigure[] => row.of(data),
  );
/** All figures of one fact, as far as it was read. */
export const factFigures = (data: FactData): AnyFigure[] =>
  FACT_LIST.flatMap((row): readonly AnyFigure[] => row.of(data));
/** All figures of an evaluation. */
export const evaluationFigures = (data: EvaluationData): AnyFigure[] =>
  EVALUATION_LIST.flatMap((row): readonly AnyFigure[] => row.of(data));
/** All figures of a run. */
export const studyFigures = (data: StudyData): AnyFigure[] =>
  STUDY_LIST.flatMap((row): readonly AnyFigure[] => row.of(data));

/** Facts with ι(e), worked out once for a list of them. */
function inOrder(facts: readonly FactRow[]) {
  const orders = anchorOrders(facts);
  return facts.map((fact) => ({ ...fact, anchorOrder: orders.get(fact.anchor)! }));
}
