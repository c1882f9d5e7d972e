/** @file Steps to exactness: how many facts took how many, inexact ones apart. */

import { Bar, BarChart, CartesianGrid, LabelList, Tooltip, XAxis, YAxis } from "recharts";
import type { stepsHistogram } from "../../figures/encoding.ts";
import { counted } from "../format.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { chartProps, GRID, pickProps, rowTip, xAxis, yAxis, YLabel } from "./kit/recharts.tsx";
import { bothRows, largest, roundScale } from "./kit/scale.ts";

type Steps = ReturnType<typeof stepsHistogram>;
type Row = Steps["rows"][number];

const nameOf = ({ from, to }: Pick<Row, "from" | "to">): string =>
  from === to ? `${from}` : `${from}–${to}`;
const RowTip = rowTip<Row>((row) => [
  `${nameOf(row)} steps`,
  [
    ["exact", counted(row.exact, "fact")],
    ["inexact", counted(row.inexact, "fact")],
  ],
]);

export function StepsFigure({
  figure,
  beside,
}: {
  readonly figure: Steps;
  /** Drawn on the same scale; both must have the same bins. */
  readonly beside?: Steps | null | undefined;
}) {
  const rows = figure.rows.map((row) => ({ ...row, name: nameOf(row) }));
  const inexact = rows.reduce((sum, row) => sum + row.inexact, 0);
  const tallest = largest(bothRows(figure, beside), ({ exact, inexact: others }) => exact + others);
  const last = rows.findLast((row) => row.inexact > 0);
  return (
    <FigureFrame figure={figure} interactive summary={figure.caption}>
      {(room) => (
        <BarChart {...chartProps(room, 220)} {...pickProps(room, rows)} data={rows} barCategoryGap={1}>
          <CartesianGrid {...GRID} />
          <XAxis dataKey="name" {...xAxis("steps")} interval="preserveStartEnd" minTickGap={14} />
          <YAxis {...yAxis(44)} {...roundScale(0, tallest, 4, true)} />
          <YLabel>facts</YLabel>
          <text x={room.width - 16} y={12} textAnchor="end" fontSize={11.5} fill="var(--verdigris)">
            full: exact{inexact > 0 ? ", hollow: not exact" : ""}
          </text>
          <Tooltip content={<RowTip />} cursor={{ fill: "var(--lapis-wash)" }} />
          <Bar dataKey="exact" stackId="facts" fill="var(--verdigris)" isAnimationActive={false} />
          <Bar
            dataKey="inexact"
            stackId="facts"
            fill="var(--paper-raised)"
            stroke="var(--rubric)"
            isAnimationActive={false}
          >
            {last && (
              <LabelList
                dataKey={(row: Row) => (row.inexact > 0 ? row.inexact : "")}
                position="top"
                fontSize={11.5}
                fill="var(--rubric)"
              />
            )}
          </Bar>
        </BarChart>
      )}
    </FigureFrame>
  );
}
