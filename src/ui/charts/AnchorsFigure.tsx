/** @file How many anchors have one fact, two facts, and so on. */

import { Bar, BarChart, LabelList } from "recharts";
import { counted } from "../format.ts";
import type { PictureOf } from "./kit/picture.ts";
import { Axes, chartProps, Hover, pickProps, type TipWords } from "./kit/recharts.tsx";
import { bothRows, distinct, largest } from "./kit/scale.ts";
import type { RowOf } from "../../figures/registry.ts";

/** Bars whose numbers still fit above them. */
const MOST_LABELS = 24;

const tip = ({ facts, anchors, examples }: RowOf<"anchors-by-facts">): TipWords => [
  `${counted(anchors, "anchor")} with ${counted(facts, "fact")}`,
  [["for example", examples]],
];

export const anchorsFigure: PictureOf<"anchors-by-facts"> = (figure, beside) => {
  const { rows, caption } = figure;
  const both = bothRows(figure, beside);
  const data = distinct(both, ({ facts }) => facts).map(
    (facts) => rows.find((row) => row.facts === facts) ?? { facts, anchors: 0, examples: "" },
  );
  const single = rows.find(({ facts }) => facts === 1)?.anchors ?? 0;
  const most = rows.at(-1);
  const top = largest(both, ({ anchors }) => anchors);
  return {
    interactive: true,
    summary: `${caption} ${counted(single, "anchor")} with one fact; at most ${counted(most?.facts ?? 0, "fact")} for ${most?.examples ?? "none"}.`,
    draw: (room) => (
      <BarChart
        {...chartProps(room, 200)}
        {...pickProps(room, data)}
        data={data}
        barCategoryGap={room.width > 500 ? "30%" : "15%"}
      >
        <Axes x={{ dataKey: "facts" }} along="facts of the anchor" up="anchors" top={top} whole width={42} />
        <Hover tip={tip} over="column" />
        <Bar dataKey="anchors" fill="var(--ink)" maxBarSize={44} isAnimationActive={false}>
          {data.length <= MOST_LABELS && (
            <LabelList dataKey="anchors" position="top" fontSize={11.5} fill="var(--ink)" />
          )}
        </Bar>
      </BarChart>
    ),
  };
};
