/** @file How many anchors have one fact, two facts, and so on. */

import { Bar, BarChart, CartesianGrid, LabelList, Tooltip, XAxis, YAxis } from "recharts";
import type { anchorsByFacts } from "../../figures/extraction.ts";
import { counted } from "../format.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { roundScale } from "./kit/scale.ts";
import { chartProps, GRID, rowTip, xAxis, yAxis, YLabel } from "./kit/recharts.tsx";

type Row = ReturnType<typeof anchorsByFacts>["rows"][number];

const RowTip = rowTip<Row>(({ facts, anchors, examples }) => [
  `${counted(anchors, "anchor")} with ${counted(facts, "fact")}`,
  [["for example", examples]],
]);

/** Bars whose numbers still fit above them. */
const MOST_LABELS = 24;

export function AnchorsFigure({ figure }: { readonly figure: ReturnType<typeof anchorsByFacts> }) {
  const { rows } = figure;
  const single = rows.find(({ facts }) => facts === 1)?.anchors ?? 0;
  const most = rows.at(-1);
  return (
    <FigureFrame
      figure={figure}
      interactive
      summary={`${figure.caption} ${counted(single, "anchor")} with one fact; at most ${counted(most?.facts ?? 0, "fact")} for ${most?.examples ?? "none"}.`}
    >
      {(room) => (
        <BarChart {...chartProps(room, 200)} data={rows} barCategoryGap={room.width > 500 ? "30%" : "15%"}>
          <CartesianGrid {...GRID} />
          <XAxis dataKey="facts" {...xAxis("facts of the anchor")} />
          <YAxis
            {...yAxis(42)}
            {...roundScale(0, Math.max(...rows.map(({ anchors }) => anchors)), 4, true)}
          />
          <YLabel>anchors</YLabel>
          <Tooltip content={<RowTip />} cursor={{ fill: "var(--lapis-wash)" }} />
          <Bar dataKey="anchors" fill="var(--ink)" maxBarSize={44} isAnimationActive={false}>
            {rows.length <= MOST_LABELS && (
              <LabelList dataKey="anchors" position="top" fontSize={11.5} fill="var(--ink)" />
            )}
          </Bar>
        </BarChart>
      )}
    </FigureFrame>
  );
}
