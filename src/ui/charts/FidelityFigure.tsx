/** @file Fidelity against the value's length: range and median at each length, the dot as large as its facts are many. */

import { Bar, ComposedChart, type BarShapeProps } from "recharts";
import type { RowOf } from "../../figures/registry.ts";
import { counted } from "../format.ts";
import type { PictureOf } from "./kit/picture.ts";
import { Axes, chartProps, Hover, pickProps, RANGE, type TipWords } from "./kit/recharts.tsx";
import { bothRows, ends, largest, rowOfMost, ticks } from "./kit/scale.ts";
import { numberText, shareText } from "./kit/text.ts";

type Row = RowOf<"fidelity-by-length">;

const tip = ({ tokens, facts, exactRate, min, median, max }: Row): TipWords => [
  `${counted(tokens, "token")}: ${counted(facts, "fact")}, ${shareText(exactRate)} exact`,
  [
    ["median", numberText(median)],
    ["all", `${numberText(min)} to ${numberText(max)}`],
  ],
];

/** Pixels from the axis to the first and the last dot. */
const INSET = 14;
/** Smallest and largest dot. */
const RADII = [2, 9] as const;

export const fidelityFigure: PictureOf<"fidelity-by-length"> = (figure, beside) => {
  const { rows } = figure;
  const both = bothRows(figure, beside);
  const perfect = rows.filter(({ exactRate }) => exactRate === 1).reduce((sum, { facts }) => sum + facts, 0);
  const lowest = rowOfMost(rows, ({ min }) => -min);
  const domain = ends(both, ({ tokens }) => tokens);
  const most = largest(both, ({ facts }) => facts, 1);
  const x = {
    ...({ dataKey: "tokens", type: "number", domain } as const),
    ticks: ticks(...domain, 10).filter(Number.isInteger),
    padding: { left: INSET, right: INSET },
  };
  return {
    interactive: true,
    summary: `${figure.caption} ${counted(perfect, "fact")} at lengths where all are exact; lowest fidelity ${numberText(lowest?.min ?? NaN)} at ${counted(lowest?.tokens ?? 0, "token")}.`,
    below:
      "Dot: median, as large as its facts are many; full where all of them are exact, hollow where not. Line: lowest to highest.",
    draw: (room) => (
      <ComposedChart {...chartProps(room, 230)} {...pickProps(room, rows)} data={rows}>
        <Axes x={x} along="value length t (tokens)" up="fidelity (token F1)" top={1} count={5} />
        <Hover tip={tip} />
        <Bar {...RANGE} shape={(bar: BarShapeProps) => <Range {...bar} row={bar.payload} most={most} />} />
      </ComposedChart>
    ),
  };
};

function Range({
  x,
  y,
  width,
  height,
  row: { min, median, max, facts, exactRate },
  most,
}: Pick<BarShapeProps, "x" | "y" | "width" | "height"> & {
  readonly row: Row;
  /** Facts of the largest dot. */
  readonly most: number;
}) {
  const middle = x + width / 2;
  const at = y + (max > min ? ((max - median) / (max - min)) * height : 0);
  const exact = exactRate === 1;
  return (
    <g>
      <line x1={middle} x2={middle} y1={y} y2={y + height} stroke="var(--ink)" strokeOpacity={0.5} />
      <circle
        cx={middle}
        cy={at}
        r={RADII[0] + (RADII[1] - RADII[0]) * Math.sqrt(facts / most)}
        fill={exact ? "var(--verdigris)" : "var(--paper-raised)"}
        stroke={exact ? "var(--paper)" : "var(--rubric)"}
        strokeWidth={1.5}
      />
    </g>
  );
}
