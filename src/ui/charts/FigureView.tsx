/**
 * @file Any figure of src/figures by its id: the one place that says which drawing is whose. `beside` is a second
 * figure of the same kind; both are then drawn on one scale.
 */

import type { ReactNode } from "react";
import type { Figure } from "../../figures/figure.ts";
import { AnchorsFigure } from "./AnchorsFigure.tsx";
import { LossBandFigure, MarginGrowthFigure } from "./BandFigures.tsx";
import { CompetitorsFigure } from "./CompetitorsFigure.tsx";
import { DeltaNormsFigure } from "./DeltaNormsFigure.tsx";
import { DiffFigure } from "./DiffFigure.tsx";
import { FactsAlongFigure } from "./FactsAlongFigure.tsx";
import { FactsPerLayerFigure } from "./FactsPerLayerFigure.tsx";
import { FidelityFigure } from "./FidelityFigure.tsx";
import { FirstWrongFigure } from "./FirstWrongFigure.tsx";
import { GateGridFigure } from "./GateGridFigure.tsx";
import { GateStripFigure } from "./GateStripFigure.tsx";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { LanesFigure } from "./LanesFigure.tsx";
import { LayerProbeFigure } from "./LayerProbeFigure.tsx";
import { LensFigure } from "./LensFigure.tsx";
import { LossCurvesFigure } from "./LossCurvesFigure.tsx";
import { MapFigure } from "./MapFigure.tsx";
import { MarginsFigure } from "./MarginsFigure.tsx";
import { NearestFigure } from "./NearestFigure.tsx";
import { ReadsFigure } from "./ReadsFigure.tsx";
import { FilterFigure, ProposalsFigure } from "./ReasonFigures.tsx";
import { RoundRobinFigure } from "./RoundRobinFigure.tsx";
import { SimilarityFigure } from "./SimilarityFigure.tsx";
import { StepsFigure } from "./StepsFigure.tsx";
import { StudyFigure } from "./StudyFigure.tsx";
import { TokenLogitsFigure } from "./TokenLogitsFigure.tsx";

/** Draws a figure, on one scale with the one beside it where there is one. */
type Draw = (figure: never, beside: never) => ReactNode;

/** By id, without what varies behind it ("map-key-pca" -> "map"). */
const DRAWINGS: Readonly<Record<string, Draw>> = {
  "extraction-strip": (figure) => <LanesFigure figure={figure} />,
  "facts-along": (figure, beside) => <FactsAlongFigure figure={figure} beside={beside} />,
  "anchors-by-facts": (figure, beside) => <AnchorsFigure figure={figure} beside={beside} />,
  "filter-reasons": (figure) => <FilterFigure figure={figure} />,
  proposals: (figure) => <ProposalsFigure figure={figure} />,
  "facts-per-layer": (figure, beside) => <FactsPerLayerFigure figure={figure} beside={beside} />,
  "round-robin": (figure, beside) => <RoundRobinFigure figure={figure} beside={beside} />,
  "layer-probe": (figure, beside) => <LayerProbeFigure figure={figure} beside={beside} />,
  "delta-norms": (figure, beside) => <DeltaNormsFigure figure={figure} beside={beside} />,
  "loss-band": (figure, beside) => <LossBandFigure figure={figure} beside={beside} />,
  "loss-curves": (figure, beside) => <LossCurvesFigure figure={figure} beside={beside} />,
  "steps-histogram": (figure, beside) => <StepsFigure figure={figure} beside={beside} />,
  "fidelity-by-length": (figure, beside) => <FidelityFigure figure={figure} beside={beside} />,
  "first-wrong": (figure) => <FirstWrongFigure figure={figure} />,
  "gate-strip": (figure) => <GateStripFigure figure={figure} />,
  "competitor-weights": (figure) => <CompetitorsFigure figure={figure} />,
  "reads-side-by-side": (figure) => <ReadsFigure figure={figure} />,
  "similarity-matrix": (figure, beside) => <SimilarityFigure figure={figure} beside={beside} />,
  margins: (figure, beside) => <MarginsFigure figure={figure} beside={beside} />,
  "margin-growth": (figure, beside) => <MarginGrowthFigure figure={figure} beside={beside} />,
  "reconstruction-diff": (figure) => <DiffFigure figure={figure} />,
  "token-logits": (figure) => <TokenLogitsFigure figure={figure} />,
  lens: (figure) => <LensFigure figure={figure} />,
  map: (figure, beside) => <MapFigure figure={figure} beside={beside} />,
  nearest: (figure) => <NearestFigure figure={figure} />,
  "gate-grid": (figure, beside) => <GateGridFigure figure={figure} beside={beside} />,
  study: (figure) => <StudyFigure figure={figure} />,
  compare: (figure) => <StudyFigure figure={figure} />,
};

/** The longest name that the id is, or begins with. */
function drawingOf(id: string): Draw | undefined {
  if (id.endsWith("-cases")) return undefined;
  for (let name = id; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf("-"))))
    if (name in DRAWINGS) return DRAWINGS[name];
  return undefined;
}

export function FigureView({ figure, beside }: { readonly figure: Figure; readonly beside?: Figure | null }) {
  const drawing = drawingOf(figure.id);
  if (!drawing)
    return (
      <FigureFrame figure={figure} tableOnly summary={figure.caption}>
        {() => null}
      </FigureFrame>
    );
  return drawing(figure as never, (beside ?? null) as never);
}
