/** @file Horizontal bars, one below the other, each with a name and a number. */

import { Bar, BarChart, Cell, ErrorBar, LabelList, ReferenceLine, XAxis, YAxis } from "recharts";
import type { Guide, Row } from "../../../figures/figure.ts";
import { cut, FONT, textWidth } from "./measure.ts";
import type { Room } from "./picture.ts";
import { chartProps, Hover, pickProps, STILL, TICK, type TipWords } from "./recharts.tsx";

/** Recharts breaks text at spaces. */
const oneLine = (text: string): string => text.replaceAll(" ", "\u00a0");

const ROW = 24;
/** Pixels between a name or number and its bar. */
const GAP = 10;
/** Names take at most this share of the width. */
const MOST_FOR_NAMES = 0.42;

/** Width in pixels of the column of names. */
export const nameColumn = (names: readonly string[], width: number): number =>
  Math.min(
    Math.ceil(Math.max(0, ...names.map((name) => textWidth(name, FONT.label)))) + GAP,
    Math.round(width * MOST_FOR_NAMES),
  );

/** Props of the axis that has the names. */
export const nameAxis = <R,>(name: (row: R) => string, column: number) =>
  ({
    type: "category",
    dataKey: name,
    width: column,
    tick: { ...TICK, fill: "var(--ink)" },
    tickFormatter: (value: string) => oneLine(cut(value, column - GAP, FONT.label)),
    tickLine: false,
    axisLine: false,
    interval: 0,
  }) as const;

/** Props of a chart of horizontal bars. */
export const barsProps = (room: Pick<Room, "width" | "label">, bars: number, margins: object) =>
  ({
    ...chartProps(room, bars * ROW + 26),
    layout: "vertical",
    margin: { top: 22, bottom: 4, left: 0, right: 8, ...margins },
    barSize: 12,
  }) as const;

export interface NamedBarsProps<R extends Row> {
  readonly room: Room<R>;
  readonly rows: readonly R[];
  readonly heading?: string;
  readonly name: (row: R) => string;
  readonly value: (row: R) => number;
  /** The value of a bar of full length. */
  readonly top: number;
  /** The number at the end of the bar. */
  readonly text: (row: R) => string;
  readonly color: (row: R) => string;
  readonly hollow?: (row: R) => boolean;
  /** Ends of the whisker. */
  readonly span?: (row: R) => readonly [low: number, high: number] | null;
  readonly guide?: Guide | null;
  readonly tip: (row: R) => TipWords;
}

export function NamedBars<R extends Row>(props: NamedBarsProps<R>) {
  const { room, rows, heading, name, value, top, text, color, hollow, span, guide, tip } = props;
  const column = nameColumn(rows.map(name), room.width);
  const numbers = Math.ceil(Math.max(...rows.map((row) => textWidth(text(row), FONT.label)))) + GAP;
  return (
    <BarChart
      {...barsProps(room, rows.length, { right: Math.min(numbers, room.width - column - 40) })}
      {...pickProps(room, rows)}
      data={rows}
    >
      {heading && (
        <text x={0} y={12} fontSize={12} fontWeight={600} fill="var(--ink)">
          {heading}
        </text>
      )}
      <XAxis type="number" domain={[0, top]} hide />
      <YAxis {...nameAxis(name, column)} />
      <Hover tip={tip} over="column" />
      {guide && (
        <ReferenceLine
          x={guide.value}
          stroke="var(--lapis)"
          strokeDasharray="3 3"
          label={{ ...TICK, value: guide.label, position: "top", fill: "var(--lapis)" }}
        />
      )}
      <Bar dataKey={value} minPointSize={1} fillOpacity={span ? 0.4 : 1} {...STILL}>
        {rows.map((row, i) => (
          <Cell key={i} fill={hollow?.(row) ? "var(--paper)" : color(row)} stroke={color(row)} />
        ))}
        {span && (
          <ErrorBar
            dataKey={(row: R) => {
              const ends = span(row);
              return ends ? [value(row) - ends[0], ends[1] - value(row)] : null;
            }}
            direction="x"
            width={3}
            stroke="var(--ink)"
            {...STILL}
          />
        )}
        <LabelList dataKey={(row: R) => oneLine(text(row))} position="right" {...TICK} />
      </Bar>
    </BarChart>
  );
}
