/** @file Counts as bars: anchors by their facts, facts per layer, and facts by their steps. */

import type { ReactNode } from "react";
import { Bar, BarChart, Cell, LabelList, ReferenceLine } from "recharts";
import type { Row } from "../../figures/figure.ts";
import type { RowOf } from "../../figures/registry.ts";
import { count, counted } from "../format.ts";
import { layerOf } from "./kit/colors.ts";
import type { PictureOf, Room } from "./kit/picture.ts";
import { Axes, chartProps, Hover, Legend, pickProps, STILL, TICK, type TipWords } from "./kit/recharts.tsx";
import { bothRows, distinct, largest, rowOfMost } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

/** Bars with their number above them. */
const MOST_LABELS = 24;
/** A bar of height 0 would lose the number above it. */
const NOTHING = 1e-6;

/** Bars of counts; the part that is not `full` is hollow. */
function CountBars<R extends Row>({
  room,
  rows,
  name,
  full,
  rest = () => 0,
  color,
  along,
  up,
  top,
  tip,
  children,
}: {
  readonly room: Room<R>;
  readonly rows: readonly R[];
  /** The place on the x axis. */
  readonly name: (row: R) => string | number;
  readonly full: (row: R) => number;
  readonly rest?: (row: R) => number;
  readonly color: (row: R) => string;
  readonly along: string;
  readonly up: string;
  readonly top: number;
  readonly tip: (row: R) => TipWords;
  readonly children?: ReactNode;
}) {
  const part = { stackId: "bar", maxBarSize: 64, ...STILL };
  const cells = (size: (row: R) => number, fill: (row: R) => string) =>
    rows.map((row, i) => <Cell key={i} fill={fill(row)} stroke={size(row) > 0 ? color(row) : "none"} />);
  const total = (row: R): number => full(row) + rest(row);
  return (
    <BarChart {...chartProps(room, 220)} {...pickProps(room, rows)} data={rows} barCategoryGap="8%">
      <Axes
        x={{ dataKey: name, interval: "preserveStartEnd", minTickGap: 14 }}
        {...{ along, up, top }}
        whole
      />
      <Hover tip={tip} over="column" />
      <Bar dataKey={full} {...part}>
        {cells(full, color)}
      </Bar>
      <Bar dataKey={(row: R) => Math.max(NOTHING, rest(row))} {...part}>
        {cells(rest, () => "var(--paper-raised)")}
        {rows.length <= MOST_LABELS && (
          <LabelList
            dataKey={(row: R) => (total(row) > 0 ? count(total(row)) : "")}
            position="top"
            {...TICK}
          />
        )}
      </Bar>
      {children}
    </BarChart>
  );
}

const FULL_EXACT = "full: exact, hollow: not exact";

export const anchorsFigure: PictureOf<"anchors-by-facts"> = (figure, beside) => {
  const { rows, caption } = figure;
  const both = bothRows(figure, beside);
  const data = distinct(both, ({ facts }) => facts).map(
    (facts) => rows.find((row) => row.facts === facts) ?? { facts, anchors: 0, examples: "" },
  );
  const single = rows.find(({ facts }) => facts === 1)?.anchors ?? 0;
  const most = rows.at(-1);
  return {
    interactive: true,
    summary: `${caption} ${counted(single, "anchor")} with one fact; at most ${counted(most?.facts ?? 0, "fact")} for ${most?.examples ?? "none"}.`,
    draw: (room) => (
      <CountBars
        {...{ room, rows: data }}
        name={({ facts }) => facts}
        full={({ anchors }) => anchors}
        color={() => "var(--ink)"}
        along="facts of the anchor"
        up="anchors"
        top={largest(both, ({ anchors }) => anchors)}
        tip={({ facts, anchors, examples }) => [
          `${counted(anchors, "anchor")} with ${counted(facts, "fact")}`,
          [["for example", examples]],
        ]}
      />
    ),
  };
};

const stepsName = ({ from, to }: RowOf<"steps-histogram">): string =>
  from === to ? `${from}` : `${from}–${to}`;

/** Both figures must have the same bins. */
export const stepsFigure: PictureOf<"steps-histogram"> = (figure, beside) => {
  const { rows, caption } = figure;
  return {
    interactive: true,
    summary: caption,
    draw: (room) => (
      <CountBars
        {...{ room, rows }}
        name={stepsName}
        full={({ exact }) => exact}
        rest={({ inexact }) => inexact}
        color={() => "var(--verdigris)"}
        along="steps"
        up="facts"
        top={largest(bothRows(figure, beside), ({ exact, inexact }) => exact + inexact)}
        tip={(row) => [
          row.from === row.to ? counted(row.from, "step") : `${row.from}–${counted(row.to, "step")}`,
          [
            ["exact", counted(row.exact, "fact")],
            ["not exact", counted(row.inexact, "fact")],
          ],
        ]}
      >
        <Legend room={room}>{FULL_EXACT}</Legend>
      </CountBars>
    ),
  };
};

/** C is drawn if the fullest layer reaches this share of it; otherwise it would flatten all bars. */
const NEAR = 0.3;

export const factsPerLayerFigure: PictureOf<"facts-per-layer"> = (figure, beside) => {
  const both = bothRows(figure, beside);
  const capacity = figure.rows[0]?.capacity ?? 0;
  const none = { facts: 0, exact: 0, vectors: 0, capacity, share: 0 };
  const rows = distinct(both, ({ layer }) => layer).map(
    (layer) => figure.rows.find((row) => row.layer === layer) ?? { layer, ...none },
  );
  const fullest = rowOfMost(rows, ({ share }) => share)!;
  // C counts vectors: a line among bars of facts is right only if every fact has one vector.
  const near = both.some(({ share, facts, vectors }) => share >= NEAR && vectors === facts);
  const fill = `layer ${fullest.layer} is fullest: ${numberText(fullest.share * 100)} % of C = ${count(capacity)}`;
  return {
    interactive: true,
    summary: `${figure.caption} Of these layers, ${fill}.`,
    below: `Full: exact, hollow: not exact. ${fill.replace(/^l/, "L")}.`,
    draw: (room) => (
      <CountBars
        {...{ room, rows }}
        name={({ layer }) => layer}
        full={({ exact }) => exact}
        rest={({ facts, exact }) => facts - exact}
        color={({ layer }) => layerOf(layer)}
        along="layer ℓ"
        up="facts"
        top={largest(both, (row) => (near ? Math.max(row.facts, row.capacity) : row.facts))}
        tip={({ layer, facts, exact, share }) => [
          `Layer ${layer}: ${counted(facts, "fact")}`,
          [
            ["exact", count(exact)],
            [`of C = ${count(capacity)}`, `${numberText(share * 100)} %`],
          ],
        ]}
      >
        {near && (
          <ReferenceLine
            y={capacity}
            stroke="var(--lapis)"
            strokeDasharray="4 3"
            label={{
              ...TICK,
              fill: "var(--lapis)",
              value: `C = ${count(capacity)}`,
              position: "insideBottomRight",
            }}
          />
        )}
      </CountBars>
    ),
  };
};
