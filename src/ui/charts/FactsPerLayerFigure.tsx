/** @file Facts per storage layer against C: exact ones full, the others hollow, C as a line or in words. */

import {
  Bar,
  BarChart,
  CartesianGrid,
  Cell,
  LabelList,
  ReferenceLine,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import type { factsPerLayer } from "../../figures/layers.ts";
import { count, counted } from "../format.ts";
import { layerOf } from "./kit/colors.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { chartProps, GRID, pickProps, rowTip, TICK, xAxis, yAxis, YLabel } from "./kit/recharts.tsx";
import { bothRows, distinct, largest, roundScale } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

type PerLayer = ReturnType<typeof factsPerLayer>;
type Row = PerLayer["rows"][number];

const RowTip = rowTip<Row>(({ layer, facts, exact, capacity, share }) => [
  `Layer ${layer}: ${counted(facts, "fact")}`,
  [
    ["exact", count(exact)],
    [`of C = ${count(capacity)}`, `${numberText(share * 100)} %`],
  ],
]);

/** Not quite nothing: a part of no height would lose the number above it. */
const NONE = 1e-6;

/** A layer that only the figure beside it has. */
const emptyAt = (layer: number, capacity: number): Row => ({ layer, facts: 0, exact: 0, capacity, share: 0 });

/** C is drawn where the fullest layer reaches this share of it; below, it would flatten everything else. */
const NEAR = 0.3;

export function FactsPerLayerFigure({
  figure,
  beside,
}: {
  readonly figure: PerLayer;
  /** Drawn on the same scale. */
  readonly beside?: PerLayer | null | undefined;
}) {
  const both = bothRows(figure, beside);
  const rows = distinct(both, ({ layer }) => layer).map((layer) => {
    const row =
      figure.rows.find((one) => one.layer === layer) ?? emptyAt(layer, figure.rows[0]?.capacity ?? 0);
    return { ...row, inexact: Math.max(NONE, row.facts - row.exact) };
  });
  const fullest = rows.reduce((most, row) => (row.facts > most.facts ? row : most), rows[0]!);
  const near = both.some(({ share }) => share >= NEAR);
  const tall = largest(both, ({ facts, capacity }) => (near ? Math.max(facts, capacity) : facts));
  const fillText = fullest
    ? `layer ${fullest.layer} is fullest: ${numberText(fullest.share * 100)} % of C = ${count(fullest.capacity)}`
    : "";
  return (
    <FigureFrame figure={figure} interactive summary={`${figure.caption} Of these layers, ${fillText}.`}>
      {(room) => (
        <BarChart {...chartProps(room, 220)} {...pickProps(room, rows)} data={rows}>
          <CartesianGrid {...GRID} />
          <XAxis dataKey="layer" {...xAxis("layer ℓ")} />
          <YAxis {...yAxis(46)} {...roundScale(0, tall, 4, true)} />
          <YLabel>facts, full where exact</YLabel>
          {!near && (
            <text x={room.width - 16} y={12} textAnchor="end" fontSize={11.5} fill="var(--lapis)">
              {room.width < 480 ? `C = ${count(fullest.capacity)}, far above` : fillText}
            </text>
          )}
          <Tooltip content={<RowTip />} cursor={{ fill: "var(--lapis-wash)" }} />
          <Bar dataKey="exact" stackId="facts" maxBarSize={56} isAnimationActive={false}>
            {rows.map(({ layer }) => (
              <Cell key={layer} fill={layerOf(layer)} stroke={layerOf(layer)} />
            ))}
          </Bar>
          <Bar dataKey="inexact" stackId="facts" maxBarSize={56} isAnimationActive={false}>
            {rows.map(({ layer }) => (
              <Cell key={layer} fill="var(--paper-raised)" stroke={layerOf(layer)} />
            ))}
            {rows.length <= 24 && (
              <LabelList
                dataKey="facts"
                position="top"
                fontSize={11.5}
                fill="var(--ink)"
                formatter={(value) => count(Number(value))}
              />
            )}
          </Bar>
          {near && (
            <ReferenceLine
              y={fullest.capacity}
              stroke="var(--lapis)"
              strokeDasharray="4 3"
              label={{
                ...TICK,
                fill: "var(--lapis)",
                value: `C = ${count(fullest.capacity)}`,
                position: "insideBottomRight",
              }}
            />
          )}
        </BarChart>
      )}
    </FigureFrame>
  );
}
