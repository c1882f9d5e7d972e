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
import { chartProps, GRID, rowTip, TICK, xAxis, yAxis, YLabel } from "./kit/recharts.tsx";
import { roundScale, type Domain } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

type Row = ReturnType<typeof factsPerLayer>["rows"][number];

const RowTip = rowTip<Row>(({ layer, facts, exact, capacity, share }) => [
  `Layer ${layer}: ${counted(facts, "fact")}`,
  [
    ["exact", count(exact)],
    [`of C = ${count(capacity)}`, `${numberText(share * 100)} %`],
  ],
]);

/** Not quite nothing: a part of no height would lose the number above it. */
const NONE = 1e-6;

/** C is drawn where the fullest layer reaches this share of it; below, it would flatten everything else. */
const NEAR = 0.3;

export function FactsPerLayerFigure({
  figure,
  domain,
}: {
  readonly figure: ReturnType<typeof factsPerLayer>;
  /** Scale of the facts, where two figures share one. */
  readonly domain?: Domain | undefined;
}) {
  const rows = figure.rows.map((row) => ({ ...row, inexact: Math.max(NONE, row.facts - row.exact) }));
  const fullest = rows.reduce((most, row) => (row.facts > most.facts ? row : most), rows[0]!);
  const near = rows.length > 0 && fullest.share >= NEAR;
  const tall = domain?.[1] ?? (near ? fullest.capacity : fullest?.facts);
  const fillText = fullest
    ? `layer ${fullest.layer} is fullest: ${numberText(fullest.share * 100)} % of C = ${count(fullest.capacity)}`
    : "";
  return (
    <FigureFrame figure={figure} interactive summary={`${figure.caption} Of these layers, ${fillText}.`}>
      {(room) => (
        <BarChart {...chartProps(room, 220)} data={rows}>
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
