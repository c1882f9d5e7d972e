/** @file One memorised text with all its figures (docs/runs/gallery.json), for the gallery page and tests. */

import type { LayerGeometry, VectorMap } from "../../records/geometry.ts";
import type { LayerIndex } from "../../records/ids.ts";
import type { FactRow } from "../../records/notebook.ts";
import type { MethodParams } from "../../records/params.ts";
import type { Budget, LayerPlan } from "../../records/plan.ts";
import type { ExtractionCounts, ExtractionTrace, LensTrace, RecallTrace } from "../../records/trace.ts";
import type { Curve } from "../layers.ts";
import { extractionReasons, extractionStrip } from "../extraction.ts";
import type { Source } from "../figure.ts";
import { competitorWeights, gateStrip } from "../gates.ts";
import {
  MEMORY_FIGURES,
  reconstructionFigures,
  type AnyFigure,
  type MemoryData,
  type MemorySection,
} from "../registry.ts";

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
  /** An inexact fact; null if all are exact. */
  readonly failed: { readonly trace: RecallTrace; readonly lens: LensTrace } | null;
  /** The layer of the geometry. */
  readonly layer: LayerIndex;
  readonly geometry: LayerGeometry;
  readonly maps: readonly VectorMap[];
}

export type GallerySection = MemorySection | "reconstructions";

interface Shown {
  readonly section: GallerySection;
  readonly figure: AnyFigure;
}

/** Every figure of a gallery by section, in reading order. */
export function galleryFigures(gallery: Gallery): Shown[] {
  const { source, failed, lens, layer, geometry } = gallery;
  const memory: MemoryData = { ...gallery, extraction: null, geometry: { ...geometry, layer } };
  const lenses = [lens, ...(failed ? [failed.lens] : [])];
  const shown =
    (section: GallerySection) =>
    (figure: AnyFigure): Shown => ({ section, figure });
  return [
    ...extractionFigures(gallery).map(shown("extraction")),
    ...MEMORY_FIGURES.flatMap((row) => row.of(memory).map(shown(row.section))),
    ...gateFigures(gallery).map(shown("gates")),
    ...lenses.flatMap((one) => reconstructionFigures(one, source).map(shown("reconstructions"))),
  ];
}

const extractionFigures = ({ extraction: trace, source }: Gallery): AnyFigure[] => [
  extractionStrip(countedTrace(trace, 60), source),
  extractionReasons(trace, source),
];

const gateFigures = ({ trace, source }: Gallery): AnyFigure[] => [
  gateStrip({ trace, read: "soft", gate: trace }, source),
  gateStrip({ trace, read: "top1", gate: trace }, source),
  competitorWeights({ trace, read: "soft", gate: trace, position: trace.keyPosition }, source),
];

/** A trace in the counts of `count` parts. */
export function countedTrace({ title, characters, sentences, anchors }: ExtractionTrace, count: number) {
  const within = (part: number) => (one: { readonly start: number }) =>
    Math.min(count - 1, Math.floor((one.start / Math.max(1, characters)) * count)) === part;
  const parts: ExtractionCounts["parts"] = Array.from({ length: count }, (_, part) => {
    const [own, named] = [sentences.filter(within(part)), anchors.filter(within(part))];
    return {
      sentences: own.length,
      candidates: own.filter(({ dropped }) => dropped === null).length,
      byModel: named.filter(({ outcome }) => outcome === "model").length,
      byRule: named.filter(({ outcome }) => outcome !== "model").length,
    };
  });
  return { title, characters, parts };
}
