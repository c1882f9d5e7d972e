/** @file The picture of each kind of figure. */

import type { FigureKind } from "../../figures/registry.ts";
import { anchorsFigure, factsPerLayerFigure, stepsFigure } from "./BarFigures.tsx";
import { gateStripFigure } from "./GateStripFigure.tsx";
import { gridFigure, lensFigure, roundRobinFigure, similarityFigure } from "./GridFigures.tsx";
import type { PictureOf } from "./kit/picture.ts";
import { linesFigure, lossCurvesFigure } from "./LinesFigures.tsx";
import { useMapFigure } from "./MapFigure.tsx";
import {
  attributionFigure,
  competitorsFigure,
  layerProbeFigure,
  marginsFigure,
  reasonsFigure,
} from "./NamedFigures.tsx";
import {
  deltaNormsFigure,
  fidelityFigure,
  lossBandFigure,
  marginGrowthFigure,
  stepsByLengthFigure,
} from "./RangeFigures.tsx";
import { lanesFigure } from "./StripLanes.tsx";
import { diffFigure, tokenLogitsFigure } from "./TokenFigures.tsx";

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
