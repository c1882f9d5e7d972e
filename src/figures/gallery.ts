/**
 * @file One memorised text seen from all sides (docs/runs/gallery.json), and every figure that is drawn from it: the
 * gallery page renders this list, and tests hold it against the records.
 */

import type { Budget, LayerPlan } from "../records/plan.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { FactRow } from "../records/notebook.ts";
import type { MethodParams } from "../records/params.ts";
import type { ExtractionTrace, LensTrace, RecallTrace, TokenPair } from "../records/trace.ts";
import type { Curve } from "./encoding.ts";
import type { Source } from "./figure.ts";
import type { LayerGeometry, Neighbour, VectorMap } from "../records/geometry.ts";
import {
  FACT_LIST,
  MEMORY_LIST,
  NO_FACT_PARTS,
  type AnyFigure,
  type FactData,
  type MemoryData,
  type Section,
} from "./registry.ts";

export interface Gallery {
  readonly source: Source;
  readonly params: MethodParams;
  readonly budget: Budget;
  readonly layers: readonly LayerIndex[];
  readonly plan: LayerPlan;
  readonly facts: readonly FactRow[];
  /** ι(e) of every anchor. */
  readonly orders: readonly { readonly anchor: string; readonly order: number }[];
  readonly curves: readonly Curve[];
  readonly extraction: ExtractionTrace;
  /** An exact fact of `layer`. */
  readonly trace: RecallTrace;
  readonly lens: LensTrace;
  /** An inexact fact, where there is one. */
  readonly failed: { readonly trace: RecallTrace; readonly lens: LensTrace } | null;
  /** Inexact facts token by token. */
  readonly pairs: readonly TokenPair[];
  /** The layer that the geometry is of. */
  readonly layer: LayerIndex;
  readonly geometry: LayerGeometry;
  readonly maps: readonly VectorMap[];
  readonly nearest: {
    readonly key: string;
    readonly byKey: readonly Neighbour[];
    readonly byResidual: readonly Neighbour[];
  };
}

export interface Shown {
  readonly section: Section;
  readonly wide: boolean;
  readonly figure: AnyFigure;
}

/** Every figure of a gallery by section, in reading order. */
export function galleryFigures(gallery: Gallery): Shown[] {
  const { source, failed, nearest } = gallery;
  const memory: MemoryData = {
    ...gallery,
    texts: [{ ...gallery.extraction, id: gallery.facts[0]!.documentId }],
    geometry: { ...gallery.geometry, layer: gallery.layer },
  };
  const fact: FactData = {
    ...NO_FACT_PARTS,
    ...{ source, key: nearest.key, trace: gallery.trace, lens: gallery.lens, pair: gallery.pairs[0] ?? null },
    nearest: { key: nearest.byKey, residual: nearest.byResidual },
  };
  const other: FactData[] = failed ? [{ ...fact, ...NO_FACT_PARTS, lens: failed.lens }] : [];
  return [
    ...MEMORY_LIST.flatMap((row) => shown(row.section, row.traits.wide, row.of(memory))),
    ...[fact, ...other].flatMap((one) =>
      FACT_LIST.flatMap((row) => shown(row.section, row.traits.wide, row.of(one))),
    ),
  ];
}

const shown = (section: Section, wide: boolean, figures: readonly AnyFigure[]): Shown[] =>
  figures.map((figure) => ({ section, wide, figure }));
