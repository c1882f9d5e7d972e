/** @file The logit of the right token at every decoded position without δ and with it, and the chosen one where it differs. */

import { useCallback } from "react";
import type { tokenLogits } from "../../figures/reconstruction.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { PlotDrawing, type Plot } from "./kit/PlotDrawing.tsx";
import { numberText, tokenText } from "./kit/text.ts";
import s from "./kit/Figure.module.css";

type Row = ReturnType<typeof tokenLogits>["rows"][number];

const NARROWEST = 26;

export function TokenLogitsFigure({ figure }: { readonly figure: ReturnType<typeof tokenLogits> }) {
  const { rows } = figure;
  const mean =
    rows.reduce((sum, row) => sum + row.rightWith - row.rightWithout, 0) / Math.max(1, rows.length);
  const wrong = rows.filter(({ exact }) => !exact);
  const make = useCallback(
    (plot: Plot) => {
      const first = rows[0];
      return {
        marginLeft: 38,
        marginTop: 28,
        marginBottom: 62,
        marginRight: 16,
        x: {
          label: null,
          domain: rows.map(({ step }) => step),
          tickFormat: (step: number) => tokenText(rows[step - 1]?.right ?? ""),
          tickRotate: -90,
          tickSize: 0,
          padding: 0.5,
        },
        y: { label: "logit of the right token", nice: true, inset: 8, labelArrow: "none" as const },
        marks: [
          plot.gridY({ stroke: "var(--hairline)", strokeOpacity: 1 }),
          plot.ruleX(rows, { x: "step", y1: "rightWithout", y2: "rightWith", stroke: "var(--rubric)", strokeWidth: 1.5 }),
          plot.dot(rows, { x: "step", y: "rightWithout", r: 3.5, fill: "var(--paper)", stroke: "var(--ink-soft)" }),
          plot.dot(rows, { x: "step", y: "rightWith", r: 4, fill: "var(--rubric)" }),
          plot.dot(wrong, { x: "step", y: "chosenWith", symbol: "times", r: 4.5, stroke: "var(--ink)", strokeWidth: 2 }),
          plot.text(wrong, { x: "step", y: "chosenWith", text: (row: Row) => tokenText(row.chosen), dy: -12, fill: "var(--ink)" }),
          ...(first
            ? [
                plot.text([first], { x: "step", y: "rightWith", text: () => "with δ", dx: 9, textAnchor: "start", fill: "var(--rubric)", fontWeight: 600, stroke: "var(--paper)", strokeWidth: 4 }),
                plot.text([first], { x: "step", y: "rightWithout", text: () => "without", dx: 9, textAnchor: "start", fill: "var(--ink-soft)", stroke: "var(--paper)", strokeWidth: 4 }),
              ]
            : []),
          plot.tip(rows, plot.pointerX({
            x: "step",
            y: "rightWith",
            title: (row: Row) =>
              `${tokenText(row.right)}: logit ${numberText(row.rightWithout)} → ${numberText(row.rightWith)}\nprobability ${numberText(row.probabilityWithout, 2)} → ${numberText(row.probabilityWith, 2)}\nrank ${row.rankWithout} → ${row.rankWith}${row.exact ? "" : `\nchosen: ${tokenText(row.chosen)}`}`,
          })),
        ],
      };
    }, // prettier-ignore
    [rows, wrong],
  );
  return (
    <FigureFrame
      figure={figure}
      summary={`δ raises the logit of the right token by ${numberText(mean)} on average over ${rows.length} tokens; ${wrong.length} of them are wrong all the same.`}
      below={wrong.length > 0 ? "✕: the token that was chosen where it is not the right one." : undefined}
    >
      {({ width }) => (
        <div className={s.scroller} tabIndex={0} role="group" aria-label="Tokens in order; scrolls">
          <PlotDrawing width={Math.max(width, rows.length * NARROWEST + 54)} height={270} make={make} />
        </div>
      )}
    </FigureFrame>
  );
}
