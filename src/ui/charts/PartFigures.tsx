/** @file Values in parts: vectors a fact takes, and steps while a memory is being written. */

import { Bar, BarChart, Line, LineChart } from "recharts";
import type { RowOf } from "../../figures/registry.ts";
import { counted } from "../format.ts";
import type { PictureOf } from "./kit/picture.ts";
import {
  Axes,
  chartProps,
  HOLLOW,
  Hover,
  Legend,
  pickProps,
  STACK,
  WIDEST_BAR,
  exactText,
  type TipWords,
} from "./kit/recharts.tsx";
import { bothRows, ends, largest } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

type Vectors = RowOf<"vectors-per-fact">;

const vectorsTip = ({ vectors, exact, inexact }: Vectors): TipWords => [
  counted(vectors, "vector"),
  [
    ["exact", counted(exact, "fact")],
    ["inexact", counted(inexact, "fact")],
  ],
];

export const vectorsPerFactFigure: PictureOf<"vectors-per-fact"> = (figure, beside) => {
  const { rows, caption } = figure;
  const tallest = largest(bothRows(figure, beside), ({ exact, inexact }) => exact + inexact);
  return {
    interactive: true,
    summary: caption,
    draw: (room) => (
      <BarChart
        {...chartProps(room, 220)}
        {...pickProps(room, rows)}
        data={rows}
        barCategoryGap={2}
        maxBarSize={WIDEST_BAR}
      >
        <Axes x={{ dataKey: "vectors" }} along="vectors" up="facts" top={tallest} whole />
        <Legend room={room} fill="var(--verdigris)">
          {exactText(rows)}
        </Legend>
        <Hover tip={vectorsTip} over="column" />
        <Bar dataKey="exact" fill="var(--verdigris)" {...STACK} />
        <Bar dataKey="inexact" {...HOLLOW} />
      </BarChart>
    ),
  };
};

type Written = RowOf<"steps-written">;

const saidOf = (steps: number | null, parts: number): string =>
  steps === null ? "none" : `${numberText(steps)} steps (n = ${parts})`;

const writtenTip = ({ from, to, zero, zeroParts, learned, learnedParts }: Written): TipWords => [
  `vectors ${from} to ${to}`,
  [
    ["from zero", saidOf(zero, zeroParts)],
    ["learnt start", saidOf(learned, learnedParts)],
  ],
];

export const stepsWrittenFigure: PictureOf<"steps-written"> = (figure, beside) => {
  const { rows, caption } = figure;
  const both = bothRows(figure, beside);
  const top = largest(both, ({ zero, learned }) => Math.max(zero ?? 0, learned ?? 0), 1);
  const x = { dataKey: "to", type: "number", domain: ends(both, ({ to }) => to) } as const;
  const some = (has: (row: Written) => boolean): boolean => both.some(has);
  const line = { type: "linear", isAnimationActive: false, connectNulls: true, strokeWidth: 2 } as const;
  return {
    interactive: true,
    summary: caption,
    draw: (room) => (
      <LineChart {...chartProps(room, 220)} {...pickProps(room, rows)} data={rows}>
        <Axes x={x} along="vectors written" up="steps, mean of a stretch" top={top} />
        <Legend room={room} fill="var(--lapis)">
          {some((row) => row.learned !== null)
            ? "line: learnt start, dashes: from zero"
            : "dashes: from zero"}
        </Legend>
        <Hover tip={writtenTip} />
        <Line {...line} dataKey="learned" stroke="var(--lapis)" dot={{ r: 3 }} />
        <Line
          {...line}
          dataKey="zero"
          stroke="var(--ink-soft)"
          strokeDasharray="4 3"
          dot={{ r: 2, strokeDasharray: "none" }}
        />
      </LineChart>
    ),
  };
};
