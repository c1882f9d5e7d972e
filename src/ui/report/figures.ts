/** @file The figures of a notebook's report, each at its cell. */

import type { Curve } from "../../figures/encoding.ts";
import type { LayerGeometry, VectorMap } from "../../records/geometry.ts";
import {
  memoryFigures,
  studyFigures,
  UNREAD,
  type AnyFigure,
  type MemoryData,
} from "../../figures/registry.ts";
import type { Cell, CellKind, CellOfKind, FactRow, Notebook, Stamp } from "../../records/notebook.ts";
import type { LayerPlan } from "../../records/plan.ts";
import type { LayerIndex } from "../../records/ids.ts";
import type { Evaluation } from "../../records/evaluation.ts";
import type { Run } from "../../records/run.ts";
import type { MemoryHead } from "../../records/memory.ts";
import { sliceOf } from "../evaluation/evaluationText.ts";
import { figuresOf } from "../charts/FigureView.tsx";
import { memorySource, savedSource } from "../charts/sections/sides.ts";

export interface ReportData {
  readonly notebook: Notebook;
  /** Null if nothing was memorised, or for the facts of the saved example. */
  readonly info: MemoryHead | null;
  readonly facts: readonly FactRow[];
  readonly curves: readonly Curve[];
  /** Results of the engine for the stored vectors; null if no model is open. */
  readonly vectors: Vectors | null;
  readonly runs: ReadonlyMap<string, Run>;
  readonly evaluations: ReadonlyMap<string, Evaluation>;
  /** When the report was made, ISO 8601. */
  readonly made: string;
}

export interface Vectors {
  readonly layer: LayerIndex;
  readonly geometry: LayerGeometry;
  readonly map: VectorMap;
}

export interface ReportFigure {
  readonly cellId: string;
  readonly figure: AnyFigure;
}

/** In the order of the cells. A notebook without a store cell has the memory's figures at its memorize cell. */
export function reportFigures(data: ReportData): readonly ReportFigure[] {
  const { cells } = data.notebook;
  const home = cells.find(({ kind }) => kind === "store") ?? cells.find(({ kind }) => kind === "memorize");
  return cells.flatMap((cell) => {
    const own = [...ofCell(cell, data), ...(cell === home ? ofMemory(data) : [])];
    return own.filter(({ rows }) => rows.length > 0).map((figure) => ({ cellId: cell.id, figure }));
  });
}

/** Texts with their own figures. */
const MOST_TEXTS = 4;

type FiguresOf<K extends CellKind> = (cell: CellOfKind<K>, data: ReportData) => readonly AnyFigure[];

const none = (): readonly AnyFigure[] => [];

/** The figures of each kind of cell; every kind must be here. */
export const FIGURES: { readonly [K in CellKind]: FiguresOf<K> } = {
  note: none,
  model: none,
  source: none,
  memorize: ({ output }) =>
    output
      ? [
          ...output.extraction.slice(0, MOST_TEXTS).flatMap((counts) => {
            const read = { ...part(`read “${counts.title}”`, output.stamp), extraction: counts };
            return memoryFigures(read, "extraction");
          }),
          ...(output.layerPlan ? probed(output.layerPlan, output.stamp) : []),
        ]
      : [],
  store: none,
  ask: none,
  questions: none,
  probe: ({ output }) => (output ? probed(output, output.stamp) : []),
  experiment({ output }, { runs }) {
    const run = output && runs.get(output.runId);
    const figures = run && run.cases.length > 0 ? studyFigures(run, null).flat() : [];
    return figures.filter(({ kind }) => kind !== "study-cases");
  },
  benchmark({ output }, { evaluations }) {
    const run = output && evaluations.get(output.runId);
    return run ? figuresOf(sliceOf(run, output)) : [];
  },
};

const ofCell = (cell: Cell, data: ReportData): readonly AnyFigure[] =>
  (FIGURES[cell.kind] as FiguresOf<CellKind>)(cell, data);

const PARAMS = { capacity: 0, steps: 0, theta: 0, layersFrom: "order" } as const;

/** A memory of which only one part is known. */
const part = (run: string, { at, backend, model, app }: Stamp): MemoryData => ({
  ...UNREAD,
  ...{ facts: [], layers: [], plan: null, params: PARAMS },
  source: { run, at, backend, model, app },
});

const probed = (plan: LayerPlan, stamp: Stamp): AnyFigure[] =>
  memoryFigures({ ...part("layer probe", stamp), plan }, "plan");

function ofMemory({ notebook, info, facts, curves, vectors }: ReportData): AnyFigure[] {
  const cell = notebook.cells.find((one) => one.kind === "memorize");
  const stamp = cell?.output?.stamp ?? null;
  const params = info?.params ?? cell?.input.params;
  if (facts.length === 0 || !params) return [];
  return memoryFigures({
    ...UNREAD,
    ...{ facts, params, plan: null },
    layers: info?.layers ?? [...new Set(facts.map(({ layer }) => layer))].sort((a, b) => a - b),
    source: info ? memorySource(info, stamp, notebook.title) : savedSource("saved run", stamp),
    curves: curves.length > 0 && info ? curves : null,
    ...(vectors && info
      ? { maps: [vectors.map], geometry: { ...vectors.geometry, layer: vectors.layer } }
      : {}),
  });
}
