/** @file Which picture is whose: every kind of figure has one here, or is a table. */

import type { FigureKind } from "../../figures/registry.ts";
import { anchorsFigure } from "./AnchorsFigure.tsx";
import { lossBandFigure, marginGrowthFigure, stepsByLengthFigure } from "./BandFigures.tsx";
import { competitorsFigure } from "./CompetitorsFigure.tsx";
import { deltaNormsFigure } from "./DeltaNormsFigure.tsx";
import { attributionFigure, taskByLengthFigure } from "./EvaluationBars.tsx";
import {
  accuracyByDepthFigure,
  accuracyByLengthFigure,
  bytesByLengthFigure,
  secondsByQuestionsFigure,
} from "./EvaluationLines.tsx";
import { diffFigure } from "./DiffFigure.tsx";
import { factsAlongFigure } from "./FactsAlongFigure.tsx";
import { factsPerLayerFigure } from "./FactsPerLayerFigure.tsx";
import { fidelityFigure } from "./FidelityFigure.tsx";
import { firstWrongFigure } from "./FirstWrongFigure.tsx";
import { gateGridFigure } from "./GateGridFigure.tsx";
import { gateStripFigure } from "./GateStripFigure.tsx";
import { histogramFigure } from "./HistogramFigure.tsx";
import type { PictureOf } from "./kit/picture.ts";
import { lanesFigure } from "./LanesFigure.tsx";
import { layerProbeFigure } from "./LayerProbeFigure.tsx";
import { lensFigure } from "./LensFigure.tsx";
import { lossCurvesFigure } from "./LossCurvesFigure.tsx";
import { useMapFigure } from "./MapFigure.tsx";
import { marginsFigure } from "./MarginsFigure.tsx";
import { nearestFigure } from "./NearestFigure.tsx";
import { stepsWrittenFigure, vectorsPerFactFigure } from "./PartFigures.tsx";
import { readsFigure } from "./ReadsFigure.tsx";
import { filterFigure, proposalsFigure } from "./ReasonFigures.tsx";
import { roundRobinFigure } from "./RoundRobinFigure.tsx";
import { similarityFigure } from "./SimilarityFigure.tsx";
import { stepsFigure } from "./StepsFigure.tsx";
import { studyFigure } from "./StudyFigure.tsx";
import { tokenLogitsFigure } from "./TokenLogitsFigure.tsx";

/** "table": the rows are the figure. */
export type Drawings = { readonly [K in FigureKind]: PictureOf<K> | "table" };

export const DRAWINGS: Drawings = {
  "extraction-strip": lanesFigure,
  "extraction-marks": "table",
  "filter-reasons": filterFigure,
  proposals: proposalsFigure,
  "facts-along": factsAlongFigure,
  "anchors-by-facts": anchorsFigure,
  "facts-per-layer": factsPerLayerFigure,
  "delta-norms": deltaNormsFigure,
  "round-robin": roundRobinFigure,
  "layer-probe": layerProbeFigure,
  "loss-band": lossBandFigure,
  "loss-curves": lossCurvesFigure,
  "steps-histogram": stepsFigure,
  "steps-written": stepsWrittenFigure,
  "vectors-per-fact": vectorsPerFactFigure,
  "steps-by-length": stepsByLengthFigure,
  "fidelity-by-length": fidelityFigure,
  "first-wrong": firstWrongFigure,
  "similarity-matrix": similarityFigure,
  "margin-growth": marginGrowthFigure,
  margins: marginsFigure,
  map: useMapFigure,
  "gate-strip": gateStripFigure,
  "competitor-weights": competitorsFigure,
  "reads-side-by-side": readsFigure,
  "reconstruction-diff": diffFigure,
  "token-logits": tokenLogitsFigure,
  lens: lensFigure,
  nearest: nearestFigure,
  "vector-histogram": histogramFigure,
  study: studyFigure,
  compare: studyFigure,
  "gate-grid": gateGridFigure,
  "study-cases": "table",
  "accuracy-by-length": accuracyByLengthFigure,
  "task-by-length": taskByLengthFigure,
  "accuracy-by-depth": accuracyByDepthFigure,
  attribution: attributionFigure,
  "bytes-by-length": bytesByLengthFigure,
  "seconds-by-questions": secondsByQuestionsFigure,
};
