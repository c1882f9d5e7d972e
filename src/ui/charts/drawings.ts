/** @file The picture of each kind of figure. */

import type { FigureKind } from "../../figures/registry.ts";
import { gateStripFigure } from "./GateStripFigure.tsx";
import {
  attributionFigure,
  diffFigure,
  gridFigure,
  lensFigure,
  roundRobinFigure,
  similarityFigure,
} from "./GridFigures.tsx";
import type { PictureOf } from "./kit/picture.ts";
import { linesFigure, lossCurvesFigure } from "./LinesFigures.tsx";
import { useMapFigure } from "./MapFigure.tsx";
import { competitorsFigure, layerProbeFigure, reasonsFigure } from "./NamedFigures.tsx";
import {
  anchorsFigure,
  deltaNormsFigure,
  factsPerLayerFigure,
  fidelityFigure,
  lossBandFigure,
  marginGrowthFigure,
  marginsFigure,
  stepsByLengthFigure,
  stepsFigure,
  tokenLogitsFigure,
} from "./PlainFigures.tsx";
import { lanesFigure } from "./StripLanes.tsx";

/** "table": the figure has no picture. */
export type Drawings = { readonly [K in FigureKind]: PictureOf<K> | "table" };

export const DRAWINGS: Drawings = {
  "extraction-strip": lanesFigure,
  "extraction-marks": "table",
  "extraction-reasons": reasonsFigure,
  "anchors-by-facts": anchorsFigure,
  "facts-per-layer": factsPerLayerFigure,
  "delta-norms": deltaNormsFigure,
  "round-robin": roundRobinFigure,
  "layer-probe": layerProbeFigure,
  "loss-band": lossBandFigure,
  "loss-curves": lossCurvesFigure,
  "steps-histogram": stepsFigure,
  "steps-by-length": stepsByLengthFigure,
  "fidelity-by-length": fidelityFigure,
  "similarity-matrix": similarityFigure,
  "margin-growth": marginGrowthFigure,
  margins: marginsFigure,
  map: useMapFigure,
  "gate-strip": gateStripFigure,
  "competitor-weights": competitorsFigure,
  "reconstruction-diff": diffFigure,
  "token-logits": tokenLogitsFigure,
  lens: lensFigure,
  lines: linesFigure,
  grid: gridFigure,
  "study-cases": "table",
  attribution: attributionFigure,
};
