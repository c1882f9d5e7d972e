/** @file Fidelity against the value's length: range and median at each length, the dot as large as its facts are many. */

import { useCallback } from "react";
import type { fidelityByLength } from "../../figures/encoding.ts";
import { counted } from "../format.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { PlotDrawing, type Plot } from "./kit/PlotDrawing.tsx";
import { bothRows, largest } from "./kit/scale.ts";
import { numberText, shareText } from "./kit/text.ts";

type Fidelity = ReturnType<typeof fidelityByLength>;
type Row = Fidelity["rows"][number];

export function FidelityFigure({
  figure,
  beside,
}: {
  readonly figure: Fidelity;
  /** Drawn on the same scale. */
  readonly beside?: Fidelity | null | undefined;
}) {
  const { rows } = figure;
  const perfect = rows.filter(({ exactRate }) => exactRate === 1).reduce((sum, { facts }) => sum + facts, 0);
  const lowest = rows.reduce<Row | undefined>(
    (low, row) => (low && low.min <= row.min ? low : row),
    undefined,
  );
  const make = useCallback(
    (plot: Plot) => {
      const both = bothRows(figure, beside);
      const lengths = both.map(({ tokens }) => tokens);
      return {
        marginLeft: 40,
        marginTop: 26,
        marginBottom: 34,
        x: {
          label: "value length t (tokens)",
          nice: true,
          domain: [Math.min(...lengths), Math.max(...lengths)],
          inset: 10,
          labelArrow: "none" as const,
          tickFormat: "d",
        },
        y: { label: "fidelity (token F1)", domain: [0, 1], labelArrow: "none" as const },
        r: {
          type: "sqrt" as const,
          range: [2, 9],
          domain: [0, largest(both, ({ facts }) => facts, 1)],
        },
        marks: [
          plot.gridY({ stroke: "var(--hairline)", strokeOpacity: 1, ticks: 5 }),
          plot.ruleX(rows, { x: "tokens", y1: "min", y2: "max", stroke: "var(--ink)", strokeOpacity: 0.5 }),
          plot.dot(rows, {
            x: "tokens",
            y: "median",
            r: "facts",
            fill: (row: Row) => (row.exactRate === 1 ? "var(--verdigris)" : "var(--paper-raised)"),
            stroke: (row: Row) => (row.exactRate === 1 ? "var(--verdigris)" : "var(--rubric)"),
            strokeWidth: 1.5,
          }),
          plot.tip(
            rows,
            plot.pointer({
              x: "tokens",
              y: "median",
              title: (row: Row) =>
                `${counted(row.tokens, "token")}: ${counted(row.facts, "fact")}, ${shareText(row.exactRate)} exact\nfidelity ${numberText(row.min)} to ${numberText(row.max)}, median ${numberText(row.median)}`,
            }),
          ),
        ],
      };
    },
    [figure, rows, beside],
  );
  return (
    <FigureFrame
      figure={figure}
      summary={`${figure.caption} ${counted(perfect, "fact")} at lengths where all are exact; lowest fidelity ${numberText(lowest?.min ?? NaN)} at ${lowest?.tokens ?? 0} tokens.`}
      below="Dot: median, as large as its facts are many; full where all of them are exact, hollow where not. Line: lowest to highest."
    >
      {({ width, pick }) => <PlotDrawing width={width} height={230} make={make} onPick={pick} />}
    </FigureFrame>
  );
}
