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
import { FactsPerLayerFigure } from "./FactsPerLayerFigure.tsx";
import { FidelityFigure } from "./FidelityFigure.tsx";
import { FirstWrongFigure } from "./FirstWrongFigure.tsx";
import { GateGridFigure } from "./GateGridFigure.tsx";
import { GateStripFigure } from "./GateStripFigure.tsx";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { sharedDomain, type Domain } from "./kit/scale.ts";
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

interface Drawing {
  readonly draw: (figure: never, domain: Domain | undefined) => ReactNode;
  /** Columns that a shared scale must hold; none where every such figure has the same scale anyway. */
  readonly scale?: readonly string[];
}

const FIVE = ["min", "max"];

/** By id, without what varies behind it ("map-key-pca" -> "map"). */
const DRAWINGS: Readonly<Record<string, Drawing>> = {
  "extraction-strip": { draw: (figure) => <LanesFigure figure={figure} /> },
  "anchors-by-facts": { draw: (figure) => <AnchorsFigure figure={figure} /> },
  "filter-reasons": { draw: (figure) => <FilterFigure figure={figure} /> },
  proposals: { draw: (figure) => <ProposalsFigure figure={figure} /> },
  "facts-per-layer": {
    draw: (figure, domain) => <FactsPerLayerFigure figure={figure} domain={domain} />,
    scale: ["facts"],
  },
  "round-robin": { draw: (figure) => <RoundRobinFigure figure={figure} /> },
  "layer-probe": { draw: (figure) => <LayerProbeFigure figure={figure} /> },
  "delta-norms": {
    draw: (figure, domain) => <DeltaNormsFigure figure={figure} domain={domain} />,
    scale: FIVE,
  },
  "loss-band": { draw: (figure, domain) => <LossBandFigure figure={figure} domain={domain} />, scale: FIVE },
  "loss-curves": {
    draw: (figure, domain) => <LossCurvesFigure figure={figure} domain={domain} />,
    scale: ["loss"],
  },
  "steps-histogram": {
    draw: (figure, domain) => <StepsFigure figure={figure} domain={domain} />,
    scale: ["exact", "inexact"],
  },
  "fidelity-by-length": { draw: (figure) => <FidelityFigure figure={figure} /> },
  "first-wrong": { draw: (figure) => <FirstWrongFigure figure={figure} /> },
  "gate-strip": { draw: (figure) => <GateStripFigure figure={figure} /> },
  "competitor-weights": { draw: (figure) => <CompetitorsFigure figure={figure} /> },
  "reads-side-by-side": { draw: (figure) => <ReadsFigure figure={figure} /> },
  "similarity-matrix": { draw: (figure) => <SimilarityFigure figure={figure} /> },
  margins: { draw: (figure) => <MarginsFigure figure={figure} /> },
  "margin-growth": {
    draw: (figure, domain) => <MarginGrowthFigure figure={figure} domain={domain} />,
    scale: FIVE,
  },
  "reconstruction-diff": { draw: (figure) => <DiffFigure figure={figure} /> },
  "token-logits": { draw: (figure) => <TokenLogitsFigure figure={figure} /> },
  lens: { draw: (figure) => <LensFigure figure={figure} /> },
  map: { draw: (figure) => <MapFigure figure={figure} /> },
  nearest: { draw: (figure) => <NearestFigure figure={figure} /> },
  "gate-grid": { draw: (figure) => <GateGridFigure figure={figure} /> },
  study: { draw: (figure) => <StudyFigure figure={figure} /> },
  compare: { draw: (figure) => <StudyFigure figure={figure} /> },
};

/** The longest name that the id is, or begins with. */
function drawingOf(id: string): Drawing | undefined {
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
  const shared = beside && drawing.scale ? sharedDomain([figure, beside], drawing.scale) : null;
  const domain: Domain | undefined = shared ? [Math.min(0, shared[0]), shared[1]] : undefined;
  return drawing.draw(figure as never, domain);
}
