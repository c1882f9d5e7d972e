/** @file The logit lens: layers down, decoded tokens across, the right token's probability as colour, the likeliest token as word. */

import { useCallback } from "react";
import type { lensGrid } from "../../figures/reconstruction.ts";
import { onRamp, ramp } from "./kit/colors.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { cut, FONT } from "./kit/measure.ts";
import { PlotDrawing, type Plot } from "./kit/PlotDrawing.tsx";
import { numberText, tokenText } from "./kit/text.ts";
import s from "./kit/Figure.module.css";

type Row = ReturnType<typeof lensGrid>["rows"][number];

const NARROWEST = 20;
/** Cells narrower than this have no word. */
const WORDS = 40;
const ROW = 26;
const FRAME = { top: 8, bottom: 64, left: 80, right: 4 };

export function LensFigure({ figure }: { readonly figure: ReturnType<typeof lensGrid> }) {
  const { rows, guides } = figure;
  const layers = [...new Set(rows.map(({ layer }) => layer))].sort((a, b) => b - a);
  const steps = [...new Set(rows.map(({ step }) => step))];
  const at = guides[0]?.value;
  const last = rows.filter(({ layer }) => layer === layers[0]);
  const right = last.filter(({ rank }) => rank === 1).length;
  const wide = (width: number): number => Math.max(width, steps.length * NARROWEST + FRAME.left);
  return (
    <FigureFrame
      figure={figure}
      summary={`After the last layer the right token is likeliest at ${right} of ${last.length} positions.`}
      below="Colour: probability of the right token, the stronger the likelier. Word, where there is room: the likeliest token at that layer."
    >
      {({ width }) => (
        <div className={s.scroller} tabIndex={0} role="group" aria-label="Tokens in order; scrolls">
          <Grid rows={rows} layers={layers} steps={steps} at={at} width={wide(width)} />
        </div>
      )}
    </FigureFrame>
  );
}

function Grid({
  rows,
  layers,
  steps,
  at,
  width,
}: {
  readonly rows: readonly Row[];
  readonly layers: readonly number[];
  readonly steps: readonly number[];
  readonly at: number | undefined;
  readonly width: number;
}) {
  const make = useCallback(
    (plot: Plot) => {
      const room = (width - FRAME.left - FRAME.right) / steps.length - 8;
      const share = (row: Row) => Math.exp(row.logProbability);
      const rightOf = new Map(rows.map(({ step, right }) => [step, right]));
      return {
        marginTop: FRAME.top,
        marginBottom: FRAME.bottom,
        marginLeft: FRAME.left,
        marginRight: FRAME.right,
        x: {
          domain: [...steps],
          label: null,
          tickSize: 0,
          tickRotate: -90,
          tickFormat: (step: number) => tokenText(rightOf.get(step) ?? ""),
          padding: 0.03,
        },
        y: {
          domain: [...layers],
          label: null,
          tickSize: 0,
          tickFormat: (layer: number) => (layer === at ? `δ → layer ${layer}` : String(layer)),
          padding: 0.06,
        },
        marks: [
          plot.cell(rows, { x: "step", y: "layer", fill: (row: Row) => ramp(share(row), "rubric") }),
          ...(room + 8 >= WORDS ? [plot.text(rows, {
            x: "step",
            y: "layer",
            text: (row: Row) => cut(tokenText(row.best), room, FONT.label),
            fill: (row: Row) => onRamp(share(row)),
                      })] : []),
          plot.tip(rows, plot.pointer({
            x: "step",
            y: "layer",
            title: (row: Row) =>
              `After layer ${row.layer}: ${tokenText(row.right)} is rank ${row.rank}, probability ${numberText(share(row), 2)}\n${row.top}`,
          })),
        ],
      };
    }, // prettier-ignore
    [rows, layers.join(), steps.join(), at, width],
  );
  return <PlotDrawing width={width} height={FRAME.top + FRAME.bottom + layers.length * ROW} make={make} />;
}
