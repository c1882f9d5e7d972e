/**
 * @file One memorised text seen from all sides (docs/runs/gallery.json), and every figure that is drawn from it: the
 * gallery page renders this list, and tests hold it against the records.
 */

import type { Budget, LayerPlan } from "../records/plan.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { FactRow } from "../records/notebook.ts";
import type { MethodParams } from "../records/params.ts";
import type { ExtractionTrace, LensTrace, RecallTrace, TokenPair } from "../records/trace.ts";
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
  factsAlong,
  extractionMarks,
  extractionStrip,
  filterReasons,
  proposals,
} from "./extraction.ts";
import type { Figure, Source } from "./figure.ts";
import { competitorWeights, gateStrip, readsSideBySide } from "./gates.ts";
import type { LayerGeometry, Neighbour } from "./geometry.ts";
import {
  deltaNorms,
  factsPerLayer,
  layerProbe,
  marginGrowthRows,
  marginRows,
  roundRobin,
  similarityCells,
} from "./layers.ts";
import type { VectorMap } from "./map.ts";
import { lensGrid, mapRows, nearestRows, reconstructionDiff, tokenLogits } from "./reconstruction.ts";

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

export type Section = "Extraction" | "Layers" | "Encoding" | "Gates" | "Reconstructions";

/** Bins of the strip, facts whose own curve is drawn, and sentences listed, in the gallery. */
const STRIP_BINS = 60;
const CURVES = 8;
const LISTED = 60;

/** Every figure of a gallery by section, in reading order. */
export function galleryFigures(gallery: Gallery): { section: Section; figure: Figure }[] {
  const { source, extraction, facts, layers, params, trace, lens, failed } = gallery;
  const whole = { from: 0, to: extraction.characters };
  const orders = new Map(gallery.orders.map(({ anchor, order }) => [anchor, order]));
  const placed = facts.map((fact) => ({ ...fact, anchorOrder: orders.get(fact.anchor) ?? 0 }));
  // Longest first: what took many steps is what a reader wants to see.
  const curves = gallery.curves.toSorted((a, b) => b.losses.length - a.losses.length);
  const sections: Record<Section, readonly Figure[]> = {
    Extraction: [
      extractionStrip(extraction, whole, STRIP_BINS, source),
      extractionMarks(extraction, whole, LISTED, source),
      factsAlong(
        facts,
        { id: facts[0]!.documentId, title: extraction.title, characters: extraction.characters },
        80,
        source,
      ),
      anchorsByFacts(facts, source),
      filterReasons(extraction.sentences, source),
      proposals(extraction.anchors, source),
    ],
    Layers: [
      factsPerLayer(facts, layers, params.capacity, source),
      roundRobin(placed, layers, 5000, source),
      layerProbe(gallery.plan, source),
      deltaNorms(facts, source),
    ],
    Encoding: [
      lossBand(gallery.curves, params.steps, source),
      lossCurves(curves, params.steps, CURVES, source),
      stepsHistogram(facts, 20, source),
      fidelityByLength(facts, source),
      firstWrong(gallery.pairs, source),
    ],
    Gates: [
      gateStrip(trace, "soft", trace, source),
      gateStrip(trace, "top1", trace, source),
      competitorWeights(trace, "soft", trace.keyPosition, trace, source),
      readsSideBySide(trace, source),
      similarityCells(gallery.geometry.matrix, source),
      marginRows(gallery.geometry.margins, gallery.layer, params.theta, source),
      marginGrowthRows(gallery.geometry.growth, gallery.layer, source),
    ],
    Reconstructions: [
      ...gallery.pairs.slice(0, 1).map((pair) => reconstructionDiff(pair, source)),
      ...[lens, ...(failed ? [failed.lens] : [])].flatMap((one) => [
        tokenLogits(one, source),
        lensGrid(one, true, source),
        lensGrid(one, false, source),
      ]),
      ...gallery.maps.map((map) => mapRows(map, source)),
      nearestRows(gallery.nearest.byKey, gallery.nearest.key, "key", source),
      nearestRows(gallery.nearest.byResidual, gallery.nearest.key, "residual", source),
    ],
  };
  return Object.entries(sections).flatMap(([section, figures]) =>
    figures.map((figure) => ({ section: section as Section, figure })),
  );
}
