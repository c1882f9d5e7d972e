/** @file The curves of a study: one panel for each measure, one line for each series, on one scale for shares. */

import { ErrorBar, Line, LineChart } from "recharts";
import type { Column, Figure } from "../../figures/figure.ts";
import { intervalIn, intervalNames } from "../../figures/interval.ts";
import type { FigureOf } from "../../figures/registry.ts";
import type { CurveRow } from "../../figures/studies.ts";
import { counted } from "../format.ts";
import { FONT, textWidth } from "./kit/measure.ts";
import type { Picture } from "./kit/picture.ts";
import { Axes, chartProps, HoverLines } from "./kit/recharts.tsx";
import { distinct, largest } from "./kit/scale.ts";
import { axisText, behindShare, numberText } from "./kit/text.ts";
import { seriesLook, type Look } from "./seriesLook.ts";
import own from "./Study.module.css";

const FIXED = new Set(["x", "series", "cases"]);
/** Panels side by side where each has this many pixels. */
const PANEL = 300;

export const studyFigure = (figure: FigureOf<"study" | "compare">): Picture<CurveRow> => {
  const series = [...new Set(figure.rows.map((row) => row.series))].sort(inOrder);
  const looks = seriesLook(series);
  const bounds = intervalNames(figure.columns);
  const measures = figure.columns.filter(
    ({ name }) =>
      !FIXED.has(name) && !bounds.has(name) && figure.rows.some((row) => typeof row[name] === "number"),
  );
  return {
    interactive: true,
    summary: `${counted(series.length, "line")}: ${series.join("; ")}. ${measures.map(({ label }) => label).join(", ")} against ${xLabel(figure)}.`,
    below: series.length > 1 || series[0] === "all" ? undefined : series[0],
    draw: ({ width }) => {
      const columns = Math.max(1, Math.min(3, Math.floor(width / PANEL)));
      const wide = Math.floor((width - (columns - 1) * 24) / columns);
      return (
        <>
          {series.length > 1 && <Series looks={looks} width={width} />}
          <div className={own.panels}>
            {measures.map((measure) => (
              <Panel key={measure.name} figure={figure} measure={measure} looks={looks} width={wide} />
            ))}
          </div>
        </>
      );
    },
  };
};

/** The same line has the same place, and so the same colour, however many cases are there yet. */
const inOrder = (a: string, b: string): number =>
  Number(b.includes("sharp")) - Number(a.includes("sharp")) || a.localeCompare(b, "en", { numeric: true });

const xLabel = ({ columns }: Figure): string => axisText(columns.find(({ name }) => name === "x")!);

/** The lines by name, drawn as they are drawn below. */
export function Series({
  looks,
  width,
}: {
  readonly looks: ReadonlyMap<string, Look>;
  readonly width: number;
}) {
  const names = [...looks];
  const wide = Math.ceil(Math.max(...names.map(([name]) => textWidth(name, FONT.label)))) + 58;
  const across = Math.max(1, Math.floor(width / wide));
  return (
    <svg width={width} height={Math.ceil(names.length / across) * 18 + 6} fontSize={11.5} fill="var(--ink)">
      {names.map(([name, { color, dash }], i) => (
        <g key={name} transform={`translate(${(i % across) * wide} ${Math.floor(i / across) * 18})`}>
          <line x1={0} x2={26} y1={9} y2={9} stroke={color} strokeWidth={2} strokeDasharray={dash} />
          <circle cx={13} cy={9} r={3} fill={dash === "none" ? color : "var(--paper)"} stroke={color} />
          <text x={33} y={13}>
            {name}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** A place on the x axis, and the row of every line there. */
interface Point {
  readonly x: number;
  readonly rows: ReadonlyMap<string, CurveRow>;
}

/** Pixels between the whiskers of lines that share a place, at most. */
const APART = 5;

function Panel({
  figure,
  measure,
  looks,
  width,
}: {
  readonly figure: Figure<CurveRow>;
  readonly measure: Column;
  readonly looks: ReadonlyMap<string, Look>;
  readonly width: number;
}) {
  const data = pointsOf(figure);
  const label = `${axisText(measure)} against ${xLabel(figure)}.`;
  const { along, ...x } = xOf(figure);
  const valueOf = (point: Point, name: string) => point.rows.get(name)?.[measure.name] as number | null;
  const spanOf = ({ rows }: Point, name: string) => intervalIn(measure, rows.get(name) ?? {});
  const pitch = Math.min(APART, 24 / looks.size);
  return (
    <LineChart {...chartProps({ width, label }, 190)} data={data}>
      <Axes x={x} along={along} up={axisText(measure)} top={topOf(figure, measure)} />
      <HoverLines<Point>
        tip={(at, values) => [`${xLabel(figure)}: ${numberText(at)}`, values]}
        also={({ rows }, name) => behindShare(measure, rows.get(name) ?? {})}
      />
      {[...looks].map(([name, { color, dash }], i) => {
        // Points that lie on each other stand side by side, so that every whisker is seen.
        const transform = `translate(${measure.interval ? (i - (looks.size - 1) / 2) * pitch : 0} 0)`;
        return (
          <Line
            key={name}
            name={name}
            dataKey={(point: Point) => valueOf(point, name)}
            stroke={color}
            strokeWidth={2}
            transform={transform}
            {...(dash === "none" ? {} : { strokeDasharray: dash })}
            dot={{
              r: 3,
              fill: dash === "none" ? color : "var(--paper)",
              stroke: color,
              strokeDasharray: "none",
              transform,
            }}
            isAnimationActive={false}
          >
            {measure.interval && (
              <ErrorBar
                dataKey={(point: Point) => {
                  const [value, span] = [valueOf(point, name), spanOf(point, name)];
                  return span && value !== null ? [value - span.low, span.high - value] : null;
                }}
                width={2}
                stroke={color}
                strokeWidth={1}
                transform={transform}
                isAnimationActive={false}
              />
            )}
          </Line>
        );
      })}
    </LineChart>
  );
}

const pointsOf = ({ rows }: Figure<CurveRow>): Point[] =>
  distinct(rows, ({ x }) => x).map((x) => ({
    x,
    rows: new Map(rows.flatMap((row) => (row.x === x ? [[row.series, row]] : []))),
  }));

/** Shares stand on one scale, whatever they reach. */
function topOf({ rows }: Figure<CurveRow>, { name, unit }: Column): number {
  if (unit === "share" || unit === "token F1") return 1;
  return largest(rows, (row) => row[name] as number | null) || 1;
}

/** The axis below: logarithmic where sizes double, words where something is or is not. */
function xOf(figure: Figure<CurveRow>) {
  const xs = distinct(figure.rows, ({ x }) => x);
  const [first, last] = [xs[0]!, xs.at(-1)!];
  const log = xs.length > 2 && first > 0 && last / first >= 8;
  const said = xs.length === 2 && first === 0 && last === 1;
  return {
    ...({ dataKey: "x", type: "number", interval: "preserveStartEnd" } as const),
    ...(log ? { scale: "log" as const } : {}),
    ticks: xs,
    domain: [first, last],
    tickFormatter: (x: number) => (said ? (x === 0 ? "kept" : "deleted") : numberText(x)),
    padding: { left: 14, right: 18 },
    along: said ? "" : xLabel(figure),
  };
}
