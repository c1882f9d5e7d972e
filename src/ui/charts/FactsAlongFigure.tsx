/** @file Where the stored facts stand in a text: a bar for each part of it, full where they are exact. */

import { Bar, BarChart } from "recharts";
import type { RowOf } from "../../figures/registry.ts";
import { count, counted } from "../format.ts";
import type { PictureOf } from "./kit/picture.ts";
import { Axes, chartProps, HOLLOW, Hover, Legend, pickProps, STACK, type TipWords } from "./kit/recharts.tsx";
import { bothRows, largest, rowOfMost, ticks } from "./kit/scale.ts";

type Row = RowOf<"facts-along">;

/** Pixels beside the plot. */
const SIDES = 52;

const tip = ({ from, to, exact, inexact }: Row): TipWords => [
  `Characters ${count(from)} to ${count(to)}`,
  [
    ["exact", counted(exact, "fact")],
    ["inexact", counted(inexact, "fact")],
  ],
];

export const factsAlongFigure: PictureOf<"facts-along"> = (figure, beside) => {
  const { rows, caption } = figure;
  const most = rowOfMost(rows, ({ facts }) => facts);
  const length = rows.at(-1)?.to ?? 1;
  const top = largest(bothRows(figure, beside), ({ facts }) => facts);
  return {
    interactive: true,
    summary: `${caption} Most in one part: ${counted(most?.facts ?? 0, "fact")}, from character ${count(most?.from ?? 0)}.`,
    draw: (room) => {
      const x = {
        dataKey: ({ from, to }: Row) => (from + to) / 2,
        type: "number" as const,
        domain: [0, length],
        ticks: ticks(0, length, Math.max(2, room.width / 100)),
        tickFormatter: (value: number) => count(value),
      };
      return (
        <BarChart
          {...chartProps(room, 170)}
          {...pickProps(room, rows)}
          data={rows}
          barSize={Math.max(1, (room.width - SIDES) / rows.length - 1)}
        >
          <Axes x={x} along="character of the text" up="facts" top={top} count={3} whole width={36} />
          {rows.some((row) => row.inexact > 0) && <Legend room={room}>full: exact, hollow: not exact</Legend>}
          <Hover tip={tip} over="column" />
          <Bar dataKey="exact" fill="var(--ink)" {...STACK} />
          <Bar dataKey="inexact" {...HOLLOW} />
        </BarChart>
      );
    },
  };
};
