/** @file Horizontal bars, one below the other, each with a name and a number; several panels stand side by side. */

import { Bar, BarChart, Cell, ErrorBar, LabelList, ReferenceLine, XAxis, YAxis } from "recharts";
import type { Guide, Row } from "../../../figures/figure.ts";
import { chartProps, guideProps, Hover, STILL, TICK } from "./Chart.tsx";
import { cut, FONT, textWidth, type TipWords } from "./text.ts";
import type { Room } from "./picture.ts";

/** Recharts breaks text at spaces. */
const oneLine = (text: string): string => text.replaceAll(" ", "\u00a0");

const ROW = 24;
/** Pixels between a name or number and its bar. */
const GAP = 10;
/** Names take at most this share of the width. */
const MOST_FOR_NAMES = 0.42;

interface NamedBarsProps<R extends Row> {
  readonly room: Room<R>;
  readonly rows: readonly R[];
  readonly heading?: string;
  readonly name: (row: R) => string;
  readonly value: (row: R) => number;
  readonly top: number;
  readonly text: (row: R) => string;
  readonly color: (row: R) => string;
  readonly hollow?: (row: R) => boolean;
  readonly span?: (row: R) => readonly [low: number, high: number] | null;
  readonly guides?: readonly Guide[];
  readonly tip: (row: R) => TipWords;
}

export function NamedBars<R extends Row>(props: NamedBarsProps<R>) {
  const { room, rows, heading, name, value, top, text, color, hollow, span, guides = [], tip } = props;
  const widest = (of: (row: R) => string): number =>
    Math.ceil(Math.max(0, ...rows.map((row) => textWidth(of(row), FONT.label)))) + GAP;
  const column = Math.min(widest(name), Math.round(room.width * MOST_FOR_NAMES));
  const right = Math.min(widest(text), room.width - column - 40);
  return (
    <BarChart
      {...chartProps(room, rows, rows.length * ROW + 26)}
      layout="vertical"
      margin={{ top: 22, bottom: 4, left: 0, right }}
      barSize={12}
      data={rows}
    >
      {heading && (
        <text x={0} y={12} fontSize={12} fontWeight={600} fill="var(--ink)">
          {heading}
        </text>
      )}
      <XAxis type="number" domain={[0, top]} hide />
      <YAxis
        type="category"
        dataKey={name}
        width={column}
        tick={{ ...TICK, fill: "var(--ink)" }}
        tickFormatter={(words: string) => oneLine(cut(words, column - GAP, FONT.label))}
        tickLine={false}
        axisLine={false}
        interval={0}
      />
      <Hover tip={tip} over="column" />
      {guides.map((guide) => (
        <ReferenceLine key={guide.label} {...guideProps({ ...guide, axis: "x" })} />
      ))}
      <Bar dataKey={value} minPointSize={1} fillOpacity={span ? 0.4 : 1} {...STILL}>
        {rows.map((row, i) => (
          <Cell key={i} fill={hollow?.(row) ? "var(--paper)" : color(row)} stroke={color(row)} />
        ))}
        {span && (
          <ErrorBar dataKey={whisker(value, span)} direction="x" width={3} stroke="var(--ink)" {...STILL} />
        )}
        <LabelList dataKey={(row: R) => oneLine(text(row))} position="right" {...TICK} />
      </Bar>
    </BarChart>
  );
}

export const whisker =
  <R,>(value: (row: R) => number, span: (row: R) => readonly [number, number] | null) =>
  (row: R): [number, number] | null => {
    const ends = span(row);
    return ends && [value(row) - ends[0], ends[1] - value(row)];
  };
