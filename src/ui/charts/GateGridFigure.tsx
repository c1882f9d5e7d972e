/** @file A gate sweep as a heat map: θ across, β down, the measure as colour and number, one panel for each kind of fact. */

import { useCallback } from "react";
import type { gateGrid } from "../../figures/studies.ts";
import { onRamp, ramp } from "./kit/colors.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { PlotDrawing, type Plot } from "./kit/PlotDrawing.tsx";
import { bothRows, largest } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

type Row = ReturnType<typeof gateGrid>["rows"][number];

type Grid = ReturnType<typeof gateGrid>;

export function GateGridFigure({
  figure,
  beside,
}: {
  readonly figure: Grid;
  /** Drawn on the same scale. */
  readonly beside?: Grid | null | undefined;
}) {
  const { rows } = figure;
  const thetas = [...new Set(rows.map(({ theta }) => theta))].sort((a, b) => a - b);
  const betas = [...new Set(rows.map(({ beta }) => beta))].sort((a, b) => b - a);
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  const top = largest(bothRows(figure, beside), ({ value }) => value, 1);
  const best = rows.reduce<Row | undefined>(
    (high, row) => ((high?.value ?? -1) >= (row.value ?? -1) ? high : row),
    undefined,
  );
  const make = useCallback(
    (plot: Plot) => ({
      marginLeft: 46,
      marginTop: 30,
      marginBottom: 38,
      x: { label: "θ (cosine)", domain: thetas, tickSize: 0, padding: 0.03, labelArrow: "none" as const },
      y: { label: "β", domain: betas, tickSize: 0, padding: 0.05, labelArrow: "none" as const },
      ...(kinds.length > 1 ? { fx: { label: null, padding: 0.06 } } : {}),
      marks: [
        plot.cell(rows, { x: "theta", y: "beta", ...(kinds.length > 1 ? { fx: "kind" } : {}), fill: (row: Row) => ramp((row.value ?? 0) / top) }),
        plot.text(rows, { x: "theta", y: "beta", ...(kinds.length > 1 ? { fx: "kind" } : {}), text: (row: Row) => (row.value === null ? "–" : numberText(row.value, 2)), fill: (row: Row) => onRamp((row.value ?? 0) / top) }),
      ],
    }), // prettier-ignore
    [rows, top, thetas.join(), betas.join(), kinds.join()],
  );
  return (
    <FigureFrame
      figure={figure}
      summary={`Highest: ${numberText(best?.value ?? NaN)} at θ = ${best?.theta ?? ""}, β = ${best?.beta ?? ""}.`}
    >
      {({ width }) => <PlotDrawing width={width} height={68 + betas.length * 34} make={make} />}
    </FigureFrame>
  );
}
