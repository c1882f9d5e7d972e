/** @file Where the stored facts stand in a text: a bar for each part of it, full where they are exact. */

import { Bar, BarChart, CartesianGrid, Tooltip, XAxis, YAxis } from "recharts";
import type { factsAlong } from "../../figures/extraction.ts";
import { count, counted } from "../format.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { chartProps, GRID, pickProps, rowTip, xAxis, yAxis, YLabel } from "./kit/recharts.tsx";
import { bothRows, largest, roundScale, ticks } from "./kit/scale.ts";

/** Pixels beside the plot. */
const SIDES = 52;

type Along = ReturnType<typeof factsAlong>;
type Row = Along["rows"][number];

const RowTip = rowTip<Row>(({ from, to, exact, inexact }) => [
  `Characters ${count(from)} to ${count(to)}`,
  [
    ["exact", counted(exact, "fact")],
    ["inexact", counted(inexact, "fact")],
  ],
]);

export function FactsAlongFigure({
  figure,
  beside,
}: {
  readonly figure: Along;
  /** Drawn on the same scale. */
  readonly beside?: Along | null | undefined;
}) {
  const { rows } = figure;
  const most = rows.reduce<Row | undefined>(
    (top, row) => (top && top.facts >= row.facts ? top : row),
    undefined,
  );
  const length = rows.at(-1)?.to ?? 1;
  const inexact = rows.some((row) => row.inexact > 0);
  return (
    <FigureFrame
      figure={figure}
      interactive
      empty="No fact of this text is stored."
      summary={`${figure.caption} Most in one part: ${counted(most?.facts ?? 0, "fact")}, from character ${count(most?.from ?? 0)}.`}
    >
      {(room) => (
        <BarChart
          {...chartProps(room, 170)}
          {...pickProps(room, rows)}
          data={rows}
          barSize={Math.max(1, (room.width - SIDES) / rows.length - 1)}
        >
          <CartesianGrid {...GRID} />
          <XAxis
            dataKey={({ from, to }: Row) => (from + to) / 2}
            type="number"
            domain={[0, length]}
            ticks={ticks(0, length, Math.max(2, room.width / 100))}
            {...xAxis("character of the text")}
            tickFormatter={(value: number) => count(value)}
          />
          <YAxis
            {...yAxis(36)}
            {...roundScale(
              0,
              largest(bothRows(figure, beside), ({ facts }) => facts),
              3,
              true,
            )}
          />
          <YLabel>facts</YLabel>
          {inexact && (
            <text x={room.width - 16} y={12} textAnchor="end" fontSize={11.5} fill="var(--ink-soft)">
              full: exact, hollow: not exact
            </text>
          )}
          <Tooltip content={<RowTip />} cursor={{ fill: "var(--lapis-wash)" }} />
          <Bar dataKey="exact" stackId="facts" fill="var(--ink)" isAnimationActive={false} />
          <Bar
            dataKey="inexact"
            stackId="facts"
            fill="var(--paper-raised)"
            stroke="var(--rubric)"
            isAnimationActive={false}
          />
        </BarChart>
      )}
    </FigureFrame>
  );
}
