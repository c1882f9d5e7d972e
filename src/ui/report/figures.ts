/** @file Which figures a notebook's report has, each at the cell it belongs to: from the notebook and the memory's rows. */

import {
  anchorsByFacts,
  countedProposals,
  countedReasons,
  countedStrip,
  factsAlong,
} from "../../figures/extraction.ts";
import {
  fidelityByLength,
  firstWrong,
  lossBand,
  stepsHistogram,
  type Curve,
} from "../../figures/encoding.ts";
import type { Figure, Source } from "../../figures/figure.ts";
import type { LayerGeometry } from "../../figures/geometry.ts";
import { deltaNorms, factsPerLayer, layerProbe, marginGrowthRows, marginRows, roundRobin, similarityCells } from "../../figures/layers.ts"; // prettier-ignore
import type { VectorMap } from "../../figures/map.ts";
import { mapRows } from "../../figures/reconstruction.ts";
import { gateGrid, studyCurve } from "../../figures/studies.ts";
import type { Cell, FactRow, MemorizeCell, Notebook, Stamp } from "../../records/notebook.ts";
import type { LayerIndex } from "../../records/ids.ts";
import type { Run } from "../../records/run.ts";
import type { TokenPair } from "../../records/trace.ts";
import type { MemoryInfo } from "../../rpc/protocol.ts";
import { anchorOrders, memorySource } from "../charts/sections/memoryRows.ts";
import type { LayerPlan } from "../../records/plan.ts";

/** All that a report is made from; plain data. */
export interface ReportData {
  readonly notebook: Notebook;
  /** Null where nothing was memorised, or the facts are those of the saved example. */
  readonly info: MemoryInfo | null;
  readonly facts: readonly FactRow[];
  readonly curves: readonly Curve[];
  /** What the engine says of the stored vectors; null where no model is open. */
  readonly vectors: Vectors | null;
  /** The saved runs of experiment cells, by id. */
  readonly runs: ReadonlyMap<string, Run>;
  /** When the report was made, ISO 8601. */
  readonly made: string;
}

/** Vectors of the memory as figures show them. */
export interface Vectors {
  /** The layer that the geometry is of: the fullest. */
  readonly layer: LayerIndex;
  readonly geometry: LayerGeometry;
  readonly map: VectorMap;
  /** Inexact facts in tokens. */
  readonly pairs: readonly TokenPair[];
}

export interface ReportFigure {
  readonly cellId: string;
  readonly figure: Figure;
}

/** Marks that a round-robin grid shows. */
const MARKS = 2000;
/** Parts of a text along which its facts are counted, and texts that have such a figure. */
const PARTS = 80;
const MOST_TEXTS = 4;

/** In the order of the cells. A notebook without a store cell has the memory's figures at its memorize cell. */
export function reportFigures(data: ReportData): readonly ReportFigure[] {
  const { cells } = data.notebook;
  const home = cells.find(({ kind }) => kind === "store") ?? cells.find(({ kind }) => kind === "memorize");
  return cells.flatMap((cell) => {
    const own = [...ofCell(cell, data), ...(cell === home ? ofMemory(data) : [])];
    return own.filter(({ rows }) => rows.length > 0).map((figure) => ({ cellId: cell.id, figure }));
  });
}

function ofCell(cell: Cell, { runs }: ReportData): Figure[] {
  switch (cell.kind) {
    case "memorize":
      return cell.output ? [...readings(cell.output), ...planned(cell.output)] : [];
    case "probe":
      return cell.output ? [probed(cell.output, cell.output.stamp)] : [];
    case "experiment": {
      const run = cell.output && runs.get(cell.output.runId);
      if (!run || run.cases.length === 0) return [];
      return run.header.study === "gates" ? [studyCurve(run), gateGrid(run, "exact")] : [studyCurve(run)];
    }
    default:
      return [];
  }
}

/** How the texts of a run were read. */
const readings = ({ extraction, stamp }: NonNullable<MemorizeCell["output"]>): Figure[] =>
  (extraction ?? []).slice(0, MOST_TEXTS).flatMap((counts) => {
    const source = sourceOf(`read “${counts.title}”`, stamp);
    return [countedStrip(counts, source), countedReasons(counts, source), countedProposals(counts, source)];
  });

const planned = ({ layerPlan, stamp }: NonNullable<MemorizeCell["output"]>): Figure[] =>
  layerPlan ? [probed(layerPlan, stamp)] : [];

const sourceOf = (run: string, { at, backend, model, app }: Stamp): Source => ({
  run,
  at,
  backend,
  model,
  app,
});

const probed = (plan: LayerPlan, stamp: Stamp): Figure => layerProbe(plan, sourceOf("layer probe", stamp));

function ofMemory({ notebook, info, facts, curves, vectors }: ReportData): Figure[] {
  if (facts.length === 0) return [];
  const made = notebook.cells.find((cell) => cell.kind === "memorize")?.output ?? null;
  const stamp = made && "stamp" in made ? made.stamp : null;
  const source: Source = info
    ? memorySource(info, stamp, notebook.title)
    : { run: "saved run", at: "", backend: "", model: "", app: "", ...pick(stamp) };
  const layers = info?.layers ?? [...new Set(facts.map(({ layer }) => layer))].sort((a, b) => a - b);
  const orders = anchorOrders(facts);
  const placed = facts.map((fact) => ({ ...fact, anchorOrder: orders.get(fact.anchor)! }));
  const capacity = info?.params.capacity ?? capacityOf(notebook);
  return [
    factsPerLayer(facts, layers, capacity, source),
    roundRobin(placed, layers, MARKS, source),
    deltaNorms(facts, source),
    stepsHistogram(facts, 20, source),
    fidelityByLength(facts, source),
    ...(curves.length > 0 && info ? [lossBand(curves, info.params.steps, source)] : []),
    ...(info?.sources ?? []).slice(0, MOST_TEXTS).map((text) => factsAlong(facts, text, PARTS, source)),
    anchorsByFacts(facts, source),
    ...(vectors && info ? ofVectors(vectors, info, source) : []),
  ];
}

function ofVectors(
  { layer, geometry, map, pairs }: Vectors,
  { params }: MemoryInfo,
  source: Source,
): Figure[] {
  return [
    firstWrong(pairs, source),
    similarityCells(geometry.matrix, source),
    marginRows(geometry.margins, layer, params.theta, source),
    marginGrowthRows(geometry.growth, layer, source),
    mapRows(map, source),
  ];
}

const pick = (stamp: Stamp | null): Partial<Source> =>
  stamp ? { at: stamp.at, backend: stamp.backend, model: stamp.model, app: stamp.app } : {};

function capacityOf({ cells }: Notebook): number {
  const cell = cells.find((one) => one.kind === "memorize");
  return cell?.kind === "memorize" ? cell.input.params.capacity : 0;
}
