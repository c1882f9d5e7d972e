/** @file Five numbers along an axis: as bands (losses, margins, steps), as boxes (norms of δ), as dots (fidelity). */

import type { ReactNode } from "react";
import { Area, Bar, Cell, ComposedChart, ErrorBar, Line } from "recharts";
import type { Row } from "../../figures/figure.ts";
import type { RowOf } from "../../figures/registry.ts";
import { count, counted } from "../format.ts";
import { layerOf } from "./kit/colors.ts";
import { LEAST_LOSS, positiveEnds } from "./kit/logScale.ts";
import type { PictureOf, Room } from "./kit/picture.ts";
import { Axes, chartProps, Hover, pickProps, refinementArea, STILL, type TipWords } from "./kit/recharts.tsx";
import { bothRows, distinct, ends, fromFirst, largest, rowOfMost, ticks } from "./kit/scale.ts";
import { numberText, shareText } from "./kit/text.ts";

type Three = Row & Readonly<Record<"min" | "median" | "max", number>>;
type Five = Three & Readonly<Record<"q1" | "q3", number>>;

const rangeLines = ({ min, median, max, q1, q3 }: Three & Partial<Five>): TipWords[1] => [
  ["median", numberText(median)],
  ...(q1 !== undefined && q3 !== undefined
    ? [["middle half", `${numberText(q1)} to ${numberText(q3)}`] as const]
    : []),
  ["all", `${numberText(min)} to ${numberText(max)}`],
];

/** A line at the median, in a band of the middle half, in a band of all. */
function Band<R extends Five>({
  room,
  rows,
  both,
  x,
  along,
  up,
  color,
  logX = false,
  decades,
  title,
  children,
}: {
  readonly room: Room<R>;
  readonly rows: readonly R[];
  /** The rows that the scales cover. */
  readonly both: readonly R[];
  readonly x: (row: R) => number;
  readonly along: string;
  readonly up: string;
  readonly color: string;
  readonly logX?: boolean;
  /** The values that a logarithmic y axis covers. */
  readonly decades?: readonly [number, number];
  readonly title: (row: R) => string;
  readonly children?: ReactNode;
}) {
  const shown = (value: number): number => Math.max(value, decades?.[0] ?? -Infinity);
  const places = distinct(both, x);
  const [first, last] = [places[0]!, places.at(-1)!];
  const scale = logX ? { scale: "log" as const, ticks: places } : { ticks: fromFirst([first, last]) };
  const area = { stroke: "none", fill: color, ...STILL } as const;
  return (
    <ComposedChart {...chartProps(room, 240)} {...pickProps(room, rows)} data={rows}>
      <Axes
        x={{ dataKey: x, type: "number", domain: [first, last], ...scale }}
        {...{ along, up, decades }}
        top={largest(both, ({ max }) => max)}
      />
      {children}
      <Area dataKey={({ min, max }: R) => [shown(min), shown(max)]} {...area} fillOpacity={0.12} />
      <Area dataKey={({ q1, q3 }: R) => [shown(q1), shown(q3)]} {...area} fillOpacity={0.25} />
      <Line
        dataKey={({ median }: R) => shown(median)}
        stroke={color}
        strokeWidth={2}
        dot={rows.length < 30 ? { r: 2.5, fill: color } : false}
        {...STILL}
      />
      <Hover tip={(row: R) => [title(row), rangeLines(row)]} />
    </ComposedChart>
  );
}

const BAND = "Line: median. Dark band: middle half. Light band: all.";

export const lossBandFigure: PictureOf<"loss-band"> = (figure, beside) => {
  const { rows, guides } = figure;
  const both = bothRows(figure, beside);
  const refine = guides[0]?.value ?? Infinity;
  const [first, last] = [rows[0], rows.at(-1)];
  const losses = both.flatMap(({ min, max }) => [min, max]);
  return {
    interactive: true,
    summary: `Median loss from ${numberText(first?.median ?? NaN)} at step 1 to ${numberText(last?.median ?? NaN)} at step ${last?.step ?? 0}, when ${counted(last?.vectors ?? 0, "vector")} are left of ${count(first?.vectors ?? 0)}.`,
    below: `${BAND} The scale of the loss is logarithmic.`,
    draw: (room) => (
      <Band
        {...{ room, rows, both }}
        x={({ step }) => step}
        along="step"
        up="loss (nats per token)"
        decades={positiveEnds(losses, LEAST_LOSS)}
        color="var(--rubric)"
        title={(row) => `Step ${row.step}, ${row.phase}: ${counted(row.vectors, "vector")}`}
      >
        {last && last.step > refine && refinementArea(refine, last.step)}
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
    below: BAND,
    draw: (room) => (
      <Band
        {...{ room, rows, both: bothRows(figure, beside) }}
        x={({ facts }) => facts}
        logX
        along="keys at the layer"
        up="margin (cosine)"
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
    below: BAND,
    draw: (room) => (
      <Band
        {...{ room, rows, both: bothRows(figure, beside) }}
        x={({ tokens }) => tokens}
        along="tokens of the part"
        up="steps"
        color="var(--verdigris)"
        title={({ tokens, facts }) => `${counted(tokens, "token")}: ${counted(facts, "vector")}`}
      />
    ),
  };
};

/** A line without a stroke: dots at the medians, with whiskers to the smallest and the largest. */
const medians = <R extends Three>(
  color: string,
  dot: (row: R, at: { readonly cx: number; readonly cy: number }) => ReactNode,
): ReactNode => (
  <Line
    dataKey="median"
    stroke="none"
    activeDot={false}
    dot={({ cx, cy, index, payload }) =>
      typeof cx === "number" && typeof cy === "number" ? (
        <g key={index}>{dot(payload as R, { cx, cy })}</g>
      ) : (
        <g key={index} />
      )
    }
    {...STILL}
  >
    <ErrorBar
      dataKey={({ min, median, max }: R) => [median - min, max - median]}
      width={0}
      stroke={color}
      {...STILL}
    />
  </Line>
);

export const deltaNormsFigure: PictureOf<"delta-norms"> = (figure, beside) => {
  const { rows } = figure;
  const both = bothRows(figure, beside);
  // A layer that only the other figure has keeps its place.
  const data = distinct(both, ({ layer }) => layer).map(
    (layer) => rows.find((row) => row.layer === layer) ?? { layer },
  );
  const [low, high] = [rowOfMost(rows, ({ median }) => -median), rowOfMost(rows, ({ median }) => median)];
  return {
    interactive: true,
    summary: `Median norm of δ from ${numberText(low?.median ?? NaN)} at layer ${low?.layer ?? ""} to ${numberText(high?.median ?? NaN)} at layer ${high?.layer ?? ""}.`,
    below: "Dot: median. Box: middle half. Line: all.",
    draw: (room) => (
      <ComposedChart
        {...chartProps(room, 230)}
        {...pickProps(room, rows.length === data.length ? rows : [])}
        data={data}
      >
        <Axes x={{ dataKey: "layer" }} along="layer ℓ" up="‖δ‖" top={largest(both, ({ max }) => max, 1e-9)} />
        <Hover
          tip={(row: RowOf<"delta-norms">) => [
            `Layer ${row.layer}: ${counted(row.vectors, "vector")}`,
            rangeLines(row),
          ]}
          over="column"
        />
        <Bar
          dataKey={({ q1, q3 }: Partial<Five>) => (q1 === undefined ? null : [q1, q3])}
          maxBarSize={48}
          fillOpacity={0.3}
          {...STILL}
        >
          {data.map(({ layer }) => (
            <Cell key={layer} fill={layerOf(layer)} stroke={layerOf(layer)} />
          ))}
        </Bar>
        {medians<RowOf<"delta-norms">>("var(--ink-soft)", ({ layer }, at) => (
          <circle {...at} r={4.5} fill={layerOf(layer)} stroke="var(--paper)" />
        ))}
      </ComposedChart>
    ),
  };
};

/** Radius in pixels of the smallest and the largest dot. */
const RADII = [2, 9] as const;

export const fidelityFigure: PictureOf<"fidelity-by-length"> = (figure, beside) => {
  const { rows } = figure;
  const both = bothRows(figure, beside);
  const perfect = rows.filter(({ exactRate }) => exactRate === 1).reduce((sum, { facts }) => sum + facts, 0);
  const lowest = rowOfMost(rows, ({ min }) => -min);
  const domain = ends(both, ({ tokens }) => tokens);
  const most = largest(both, ({ facts }) => facts, 1);
  const radius = (facts: number): number => RADII[0] + (RADII[1] - RADII[0]) * Math.sqrt(facts / most);
  const scale = {
    ...{ dataKey: "tokens", type: "number" as const, domain },
    ticks: ticks(...domain, 10).filter(Number.isInteger),
    padding: { left: 14, right: 14 },
  };
  return {
    interactive: true,
    summary: `${figure.caption} ${counted(perfect, "fact")} at lengths where all are exact; lowest fidelity ${numberText(lowest?.min ?? NaN)} at ${counted(lowest?.tokens ?? 0, "token")}.`,
    below:
      "Dot: median; larger for more facts, full if all of them are exact, otherwise hollow. Line: lowest to highest.",
    draw: (room) => (
      <ComposedChart {...chartProps(room, 230)} {...pickProps(room, rows)} data={rows}>
        <Axes x={scale} along="value length t (tokens)" up="fidelity (token F1)" top={1} count={5} />
        <Hover
          tip={(row: RowOf<"fidelity-by-length">) => [
            `${counted(row.tokens, "token")}: ${counted(row.facts, "fact")}, ${shareText(row.exactRate)} exact`,
            rangeLines(row),
          ]}
        />
        {medians<RowOf<"fidelity-by-length">>("var(--ink-soft)", ({ facts, exactRate }, at) => (
          <circle
            {...at}
            r={radius(facts)}
            fill={exactRate === 1 ? "var(--verdigris)" : "var(--paper-raised)"}
            stroke={exactRate === 1 ? "var(--paper)" : "var(--rubric)"}
            strokeWidth={1.5}
          />
        ))}
      </ComposedChart>
    ),
  };
};
