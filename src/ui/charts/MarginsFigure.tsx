/** @file How close a layer is to confusion: the margin of every fact, smallest first, against 1 − θ. */

import { Area, AreaChart, CartesianGrid, ReferenceLine, Tooltip, XAxis, YAxis } from "recharts";
import type { marginRows } from "../../figures/layers.ts";
import { spreadIndices } from "../../figures/stats.ts";
import { counted } from "../format.ts";
import { BarList } from "./kit/BarList.tsx";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { chartProps, GRID, pickProps, rowTip, TICK, xAxis, yAxis, YLabel } from "./kit/recharts.tsx";
import { bothRows, largest, roundScale } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

type Margins = ReturnType<typeof marginRows>;
type Row = Margins["rows"][number];

/** 1 − θ is drawn where the widest margin reaches this share of it. */
const NEAR = 0.2;

/** Points of the curve; more could not be told apart. */
const MOST_POINTS = 400;

/** Up to so many facts each has a bar with its name. */
const NAMED = 24;

const RowTip = rowTip<Row>(({ rank, key, rival, margin }) => [
  `${rank}: ${key}`,
  [
    ["nearest", rival ?? "none"],
    ["margin", numberText(margin ?? NaN)],
  ],
]);

export function MarginsFigure({
  figure,
  beside,
}: {
  readonly figure: Margins;
  /** Drawn on the same scale. */
  readonly beside?: Margins | null | undefined;
}) {
  const { rows, guides } = figure;
  const [guide] = guides;
  const below = rows.filter(({ margin }) => margin !== null && guide && margin < guide.value).length;
  const first = rows[0];
  const widest = largest(bothRows(figure, beside), ({ margin }) => margin, 1e-9);
  // Far above all margins, 1 − θ would flatten them.
  const near = guide !== undefined && widest >= NEAR * guide.value;
  const tall = near ? Math.max(widest, guide.value) : widest;
  const named = Math.max(rows.length, beside?.rows.length ?? 0) <= NAMED;
  const points = spreadIndices(rows.length, MOST_POINTS).map((i) => ({ ...rows[i]! }));
  const meaning = `Below 1 − θ (${counted(below, "fact")} of ${rows.length}), a deleted fact’s prompt would still open the gate, by another fact’s key.${near || !guide ? "" : ` ${guide.label} lies beyond this scale.`}`;
  return (
    <FigureFrame
      figure={figure}
      interactive={!named}
      empty="There is no fact at this layer."
      summary={`Smallest margin ${numberText(first?.margin ?? NaN)}, ${first?.key ?? ""} against ${first?.rival ?? "nothing"}. ${meaning}`}
      below={meaning}
    >
      {(room) =>
        named ? (
          <BarList
            width={room.width}
            domain={[0, tall * 1.04]}
            {...(guide && near ? { tick: { value: guide.value, label: guide.label } } : {})}
            groups={[
              {
                heading: "",
                bars: rows
                  .map((row) => ({ ...row, pick: room.pick && (() => room.pick?.(row)) }))
                  .map(({ key, rival, margin, pick }) => ({
                    pick: pick ?? undefined,
                    name: key,
                    value: margin ?? 0,
                    said: margin === null ? "alone" : `${numberText(margin, 2)} to ${rival}`,
                    color: "var(--lapis)",
                  })),
              },
            ]}
          />
        ) : (
          <AreaChart {...chartProps(room, 240)} {...pickProps(room, points)} data={points}>
            <CartesianGrid {...GRID} />
            <XAxis
              dataKey="rank"
              type="number"
              domain={[1, Math.max(rows.length, beside?.rows.length ?? 0)]}
              {...xAxis("facts, smallest margin first")}
            />
            <YAxis {...yAxis(44)} {...roundScale(0, tall)} />
            <YLabel>margin (cosine)</YLabel>
            <Area
              dataKey="margin"
              stroke="var(--lapis)"
              fill="var(--lapis)"
              fillOpacity={0.18}
              isAnimationActive={false}
            />
            {guide && near && (
              <ReferenceLine
                y={guide.value}
                stroke="var(--lapis)"
                strokeDasharray="4 3"
                label={{ ...TICK, value: guide.label, position: "insideTopRight", fill: "var(--lapis)" }}
              />
            )}
            <Tooltip content={<RowTip />} cursor={{ stroke: "var(--ink-faint)" }} />
          </AreaChart>
        )
      }
    </FigureFrame>
  );
}
