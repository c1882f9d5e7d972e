/** @file Steps of a fact: how many facts took how many, inexact ones apart. */

import { Bar, BarChart, LabelList } from "recharts";
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
import { bothRows, largest } from "./kit/scale.ts";

type Row = RowOf<"steps-histogram">;

const nameOf = ({ from, to }: Row): string => (from === to ? `${from}` : `${from}–${to}`);

const tip = (row: Row): TipWords => [
  row.from === row.to ? counted(row.from, "step") : `${nameOf(row)} steps`,
  [
    ["exact", counted(row.exact, "fact")],
    ["inexact", counted(row.inexact, "fact")],
  ],
];

/** Both figures must have the same bins. */
export const stepsFigure: PictureOf<"steps-histogram"> = (figure, beside) => {
  const { rows, caption } = figure;
  const some = rows.some(({ inexact }) => inexact > 0);
  const tallest = largest(bothRows(figure, beside), ({ exact, inexact }) => exact + inexact);
  const x = { dataKey: nameOf, interval: "preserveStartEnd", minTickGap: 14 } as const;
  return {
    interactive: true,
    summary: caption,
    draw: (room) => (
      <BarChart
        {...chartProps(room, 220)}
        {...pickProps(room, rows)}
        data={rows}
        barCategoryGap={1}
        maxBarSize={WIDEST_BAR}
      >
        <Axes x={x} along="steps" up="facts" top={tallest} whole />
        <Legend room={room} fill="var(--verdigris)">
          {exactText(rows)}
        </Legend>
        <Hover tip={tip} over="column" />
        <Bar dataKey="exact" fill="var(--verdigris)" {...STACK} />
        <Bar dataKey="inexact" {...HOLLOW}>
          {some && (
            <LabelList
              dataKey={({ inexact }: Row) => (inexact > 0 ? inexact : "")}
              position="top"
              fontSize={11.5}
              fill="var(--rubric)"
            />
          )}
        </Bar>
      </BarChart>
    ),
  };
};
