/** @file Norm of δ by layer: range, middle half and median. */

import { useCallback } from "react";
import type { deltaNorms } from "../../figures/layers.ts";
import { counted } from "../format.ts";
import { layerOf } from "./kit/colors.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { PlotDrawing, type Plot } from "./kit/PlotDrawing.tsx";
import { bothRows, distinct, largest } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

type Norms = ReturnType<typeof deltaNorms>;
type Row = Norms["rows"][number];

export function DeltaNormsFigure({
  figure,
  beside,
}: {
  readonly figure: Norms;
  /** Drawn on the same scale. */
  readonly beside?: Norms | null | undefined;
}) {
  const { rows } = figure;
  const sorted = rows.toSorted((a, b) => a.median - b.median);
  const make = useCallback(
    (plot: Plot, width: number) => {
      // Half a box, so that the median stands beside it.
      const both = bothRows(figure, beside);
      const layers = distinct(both, ({ layer }) => layer);
      const padding = layers.length < 8 ? 0.6 : 0.25;
      const aside = ((width - 60) / (layers.length + padding)) * ((1 - padding) / 2) + 5;
      const tip = (row: Row) =>
        `Layer ${row.layer}: ${counted(row.facts, "fact")}\nmedian ‖δ‖ ${numberText(row.median)}, middle half ${numberText(row.q1)} to ${numberText(row.q3)}\nfrom ${numberText(row.min)} to ${numberText(row.max)}`;
      const x = (row: Row) => String(row.layer);
      const fill = (row: Row) => layerOf(row.layer);
      return {
        marginLeft: 40,
        marginTop: 26,
        marginBottom: 34,
        x: { label: "layer ℓ", padding, domain: layers.map(String), labelArrow: "none" as const },
        y: { label: "‖δ‖, line: all, box: middle half, bar: median", nice: true, labelArrow: "none" as const, domain: [0, largest(both, ({ max }) => max, 1e-9)] },
        marks: [
          plot.gridY({ stroke: "var(--hairline)", strokeOpacity: 1 }),
          plot.ruleX(rows, { x, y1: "min", y2: "max", stroke: fill, strokeWidth: 1.25 }),
          plot.barY(rows, { x, y1: "q1", y2: "q3", fill: "var(--paper-raised)", stroke: fill, strokeWidth: 1.25 }),
          plot.barY(rows, { x, y1: "q1", y2: "q3", fill, fillOpacity: 0.3 }),
          plot.tickY(rows, { x, y: "median", stroke: fill, strokeWidth: 3 }),
          ...(rows.length <= 12
            ? [plot.text(rows, { x, y: "median", text: (row: Row) => numberText(row.median), dx: aside, textAnchor: "start", fill: "var(--ink)" })]
            : []),
          plot.tip(rows, plot.pointerX({ x, y: "median", title: tip })),
        ],
      };
    }, // prettier-ignore
    [figure, rows, beside],
  );
  return (
    <FigureFrame
      figure={figure}
      summary={`Median norm of δ from ${numberText(sorted[0]?.median ?? NaN)} at layer ${sorted[0]?.layer ?? ""} to ${numberText(sorted.at(-1)?.median ?? NaN)} at layer ${sorted.at(-1)?.layer ?? ""}.`}
    >
      {({ width, pick }) => <PlotDrawing width={width} height={230} make={make} onPick={pick} />}
    </FigureFrame>
  );
}
