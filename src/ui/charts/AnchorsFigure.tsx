/** @file How many anchors have one fact, two facts, and so on. */

import { Bar, BarChart, CartesianGrid, LabelList, Tooltip, XAxis, YAxis } from "recharts";
import type { anchorsByFacts } from "../../figures/extraction.ts";
import { counted } from "../format.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { chartProps, GRID, pickProps, rowTip, xAxis, yAxis, YLabel } from "./kit/recharts.tsx";
import { bothRows, distinct, largest, roundScale } from "./kit/scale.ts";

type Row = ReturnType<typeof anchorsByFacts>["rows"][number];

const RowTip = rowTip<Row>(({ facts, anchors, examples }) => [
  `${counted(anchors, "anchor")} with ${counted(facts, "fact")}`,
  [["for example", examples]],
]);

/** Bars whose numbers still fit above them. */
const MOST_LABELS = 24;

type Anchors = ReturnType<typeof anchorsByFacts>;

export function AnchorsFigure({
  figure,
  beside,
}: {
  readonly figure: Anchors;
  /** Drawn on the same scale. */
  readonly beside?: Anchors | null | undefined;
}) {
  const { rows } = figure;
  const both = bothRows(figure, beside);
  const data = distinct(both, ({ facts }) => facts).map(
    (facts) => rows.find((row) => row.facts === facts) ?? { facts, anchors: 0, examples: "" },
  );
  const single = rows.find(({ facts }) => facts === 1)?.anchors ?? 0;
  const most = rows.at(-1);
  return (
    <FigureFrame
      figure={figure}
      interactive
      summary={`${figure.caption} ${counted(single, "anchor")} with one fact; at most ${counted(most?.facts ?? 0, "fact")} for ${most?.examples ?? "none"}.`}
    >
      {(room) => (
        <BarChart
          {...chartProps(room, 200)}
          {...pickProps(room, data)}
          data={data}
          barCategoryGap={room.width > 500 ? "30%" : "15%"}
        >
          <CartesianGrid {...GRID} />
          <XAxis dataKey="facts" {...xAxis("facts of the anchor")} />
          <YAxis
            {...yAxis(42)}
            {...roundScale(
              0,
              largest(both, ({ anchors }) => anchors),
              4,
              true,
            )}
          />
          <YLabel>anchors</YLabel>
          <Tooltip content={<RowTip />} cursor={{ fill: "var(--lapis-wash)" }} />
          <Bar dataKey="anchors" fill="var(--ink)" maxBarSize={44} isAnimationActive={false}>
            {data.length <= MOST_LABELS && (
              <LabelList dataKey="anchors" position="top" fontSize={11.5} fill="var(--ink)" />
            )}
          </Bar>
        </BarChart>
      )}
    </FigureFrame>
  );
}
