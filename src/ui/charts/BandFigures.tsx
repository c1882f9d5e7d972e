/** @file Five numbers along an axis as a band: the loss over all vectors, and margins as keys are added. */

import type { ReactNode } from "react";
import { Area, ComposedChart, Line } from "recharts";
import type { Row } from "../../figures/figure.ts";
import { count, counted } from "../format.ts";
import type { PictureOf, Room } from "./kit/picture.ts";
import { Axes, chartProps, Hover, Legend, pickProps } from "./kit/recharts.tsx";
import { LEAST_LOSS, positiveEnds } from "./kit/logScale.ts";
import { bothRows, distinct, fromFirst, largest } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";
import { FONT, textWidth } from "./kit/measure.ts";
import { Refinement } from "./kit/Refinement.tsx";

type Five = Row & Readonly<Record<"min" | "q1" | "median" | "q3" | "max", number>>;

const fiveLines = ({ min, q1, median, q3, max }: Five) =>
  [
    ["median", numberText(median)],
    ["middle half", `${numberText(q1)} to ${numberText(q3)}`],
    ["all", `${numberText(min)} to ${numberText(max)}`],
  ] as const;

export const lossBandFigure: PictureOf<"loss-band"> = (figure, beside) => {
  const { rows, guides } = figure;
  const refine = guides[0]?.value ?? Infinity;
  const [first, last] = [rows[0], rows.at(-1)];
  return {
    interactive: true,
    summary: `Median loss from ${numberText(first?.median ?? NaN)} at step 1 to ${numberText(last?.median ?? NaN)} at step ${last?.step ?? 0}, when ${counted(last?.vectors ?? 0, "vector")} are left of ${count(first?.vectors ?? 0)}.`,
    draw: (room) => (
      <Band
        {...{ room, rows, both: bothRows(figure, beside) }}
        x={({ step }) => step}
        words={["step", "loss (nats per token), logarithmic"]}
        decades={positiveEnds(
          bothRows(figure, beside).flatMap(({ min, max }) => [min, max]),
          LEAST_LOSS,
        )}
        color="var(--rubric)"
        title={(row) => `Step ${row.step}, ${row.phase}: ${counted(row.vectors, "vector")}`}
      >
        {last && last.step > refine && <Refinement from={refine} to={last.step} />}
      </Band>
    ),
  };
};

export const marginGrowthFigure: PictureOf<"margin-growth"> = (figure, beside) => {
  const { rows } = figure;
  const [first, last] = [rows[0], rows.at(-1)];
  return {
    interactive: true,
    summary: `Median margin ${numberText(first?.median ?? NaN)} with ${counted(first?.facts ?? 0, "key")}, ${numberText(last?.median ?? NaN)} with ${last?.facts ?? 0}; the smallest is ${numberText(last?.min ?? NaN)}.`,
    draw: (room) => (
      <Band
        {...{ room, rows, both: bothRows(figure, beside) }}
        x={({ facts }) => facts}
        log
        words={["keys at the layer", "margin (cosine)"]}
        color="var(--lapis)"
        title={({ facts }) => counted(facts, "key")}
      />
    ),
  };
};

export const stepsByLengthFigure: PictureOf<"steps-by-length"> = (figure, beside) => {
  const { rows } = figure;
  const longest = rows.at(-1);
  return {
    interactive: true,
    summary: `${figure.caption} Median ${numberText(longest?.median ?? NaN)} at the longest, ${counted(longest?.tokens ?? 0, "token")}.`,
    draw: (room) => (
      <Band
        {...{ room, rows, both: bothRows(figure, beside) }}
        x={({ tokens }) => tokens}
        words={["tokens of the part", "steps"]}
        color="var(--verdigris)"
        title={({ tokens, facts }) => `${counted(tokens, "token")}: ${counted(facts, "vector")}`}
      />
    ),
  };
};

const BAND = "line: median, dark: middle half, light: all";

/** What the left axis holds; how it is scaled is seen from its ticks where the words would run into those on the right. */
const upText = (words: string, width: number): string =>
  textWidth(words, FONT.label) + textWidth(BAND, FONT.label) + 40 < width
    ? words
    : words.replace(", logarithmic", "");

function Band<R extends Five>({
  room,
  rows,
  x,
  words,
  color,
  log,
  both,
  decades,
  title,
  children,
}: {
  readonly room: Room<R>;
  readonly rows: readonly R[];
  readonly x: (row: R) => number;
  readonly words: readonly [x: string, y: string];
  readonly color: string;
  readonly log?: boolean;
  /** What the scales hold. */
  readonly both: readonly R[];
  /** What the left axis holds where it is logarithmic. */
  readonly decades?: readonly [number, number];
  /** Of the tooltip. */
  readonly title: (row: R) => string;
  readonly children?: ReactNode;
}) {
  const shown = (value: number): number => Math.max(value, decades?.[0] ?? -Infinity);
  const data = rows.map((row) => ({
    ...row,
    median: shown(row.median),
    whole: [shown(row.min), shown(row.max)],
    middle: [shown(row.q1), shown(row.q3)],
  }));
  const places = distinct(both, x);
  const ends = [places[0]!, places.at(-1)!];
  const scale = log ? { scale: "log" as const, ticks: places } : { ticks: fromFirst(ends) };
  const area = { stroke: "none", fill: color, isAnimationActive: false } as const;
  return (
    <ComposedChart {...chartProps(room, 240)} {...pickProps(room, rows)} data={data}>
      <Axes
        x={{ dataKey: x, type: "number", domain: ends, ...scale }}
        along={words[0]}
        up={upText(words[1], room.width)}
        top={largest(both, ({ max }) => max)}
        {...(decades && { decades })}
      />
      {children}
      <Area dataKey="whole" {...area} fillOpacity={0.12} />
      <Area dataKey="middle" {...area} fillOpacity={0.25} />
      <Line
        dataKey="median"
        stroke={color}
        strokeWidth={2}
        dot={rows.length < 30 ? { r: 2.5, fill: color } : false}
        isAnimationActive={false}
      />
      <Hover tip={(row: R) => [title(row), fiveLines(row)]} />
      {rows.some(({ min, max }) => max > min) && <Legend room={room}>{BAND}</Legend>}
    </ComposedChart>
  );
}
