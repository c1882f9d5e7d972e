/** @file Norm of δ by layer: range, middle half and median. */

import { Bar, ComposedChart, type BarShapeProps } from "recharts";
import type { RowOf } from "../../figures/registry.ts";
import { counted } from "../format.ts";
import { layerOf } from "./kit/colors.ts";
import type { PictureOf } from "./kit/picture.ts";
import { Axes, chartProps, Hover, pickProps, RANGE, TICK, type TipWords } from "./kit/recharts.tsx";
import { bothRows, distinct, largest, rowOfMost } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

type Row = RowOf<"delta-norms">;

const tip = ({ layer, vectors, min, q1, median, q3, max }: Row): TipWords => [
  `Layer ${layer}: ${counted(vectors, "vector")}`,
  [
    ["median ‖δ‖", numberText(median)],
    ["middle half", `${numberText(q1)} to ${numberText(q3)}`],
    ["all", `${numberText(min)} to ${numberText(max)}`],
  ],
];

/** Pixels that a median takes beside its box. */
const NUMBER = 32;
/** Boxes with their median in numbers. */
const MOST_LABELS = 12;

export const deltaNormsFigure: PictureOf<"delta-norms"> = (figure, beside) => {
  const { rows } = figure;
  const both = bothRows(figure, beside);
  const layers = distinct(both, ({ layer }) => layer);
  // A layer that only the figure beside it has keeps its place.
  const data = layers.map((layer) => rows.find((row) => row.layer === layer) ?? { layer });
  const [low, high] = [rowOfMost(rows, ({ median }) => -median), rowOfMost(rows, ({ median }) => median)];
  const labelled = rows.length <= MOST_LABELS;
  return {
    interactive: true,
    summary: `Median norm of δ from ${numberText(low?.median ?? NaN)} at layer ${low?.layer ?? ""} to ${numberText(high?.median ?? NaN)} at layer ${high?.layer ?? ""}.`,
    draw: (room) => (
      <ComposedChart
        {...chartProps(room, 230)}
        {...pickProps(room, rows.length === data.length ? rows : [])}
        data={data}
        barCategoryGap={layers.length < 8 ? "14%" : "8%"}
      >
        <Axes
          x={{ dataKey: "layer" }}
          along="layer ℓ"
          up="‖δ‖, line: all, box: middle half, bar: median"
          top={largest(both, ({ max }) => max, 1e-9)}
        />
        <Hover tip={tip} over="column" />
        <Bar
          {...RANGE}
          shape={(bar: BarShapeProps) => <Box {...bar} row={bar.payload} labelled={labelled} />}
        />
      </ComposedChart>
    ),
  };
};

/** A box with whiskers in the room of a bar from the smallest to the largest. */
function Box({
  x,
  y,
  width,
  height,
  row,
  labelled,
}: Pick<BarShapeProps, "x" | "y" | "width" | "height"> & { readonly row: Row; readonly labelled: boolean }) {
  const { layer, min, q1, median, q3, max } = row;
  if (typeof median !== "number") return <g />;
  const color = layerOf(layer);
  const at = (value: number): number => y + (max > min ? ((max - value) / (max - min)) * height : 0);
  // Box and number together stand above the layer's name.
  const said = labelled ? NUMBER : 0;
  const wide = Math.max(14, Math.min(60, width - said));
  const left = x + (width - wide - said) / 2;
  const middle = left + wide / 2;
  const box = { x: left, y: at(q3), width: wide, height: Math.max(0, at(q1) - at(q3)) };
  return (
    <g>
      <line x1={middle} x2={middle} y1={at(max)} y2={at(min)} stroke={color} strokeWidth={1.25} />
      <rect {...box} fill="var(--paper-raised)" stroke={color} strokeWidth={1.25} />
      <rect {...box} fill={color} fillOpacity={0.3} />
      <line x1={left} x2={left + wide} y1={at(median)} y2={at(median)} stroke={color} strokeWidth={3} />
      {labelled && (
        <text {...TICK} x={left + wide + 5} y={at(median) + 4} fill="var(--ink)">
          {numberText(median)}
        </text>
      )}
    </g>
  );
}
