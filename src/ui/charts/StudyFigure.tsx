/** @file The curves of a study: one panel for each measure, one line for each series, on one scale for shares. */

import { CartesianGrid, Line, LineChart, Tooltip, XAxis, YAxis } from "recharts";
import type { Column } from "../../figures/figure.ts";
import type { CurveRow } from "../../figures/studies.ts";
import type { Figure } from "../../figures/figure.ts";
import { counted } from "../format.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { chartProps, GRID, Tip, xAxis, yAxis, YLabel } from "./kit/recharts.tsx";
import { FONT, textWidth } from "./kit/measure.ts";
import { roundScale, sharedDomain } from "./kit/scale.ts";
import { axisText, numberText } from "./kit/text.ts";
import { seriesLook, type Look } from "./seriesLook.ts";
import own from "./Study.module.css";

const FIXED = new Set(["x", "series", "cases"]);
/** Panels side by side where each has this many pixels. */
const PANEL = 300;

export function StudyFigure({ figure }: { readonly figure: Figure<CurveRow> }) {
  const series = [...new Set(figure.rows.map((row) => row.series))].sort(inOrder);
  const looks = seriesLook(series);
  const measures = figure.columns.filter(
    ({ name }) => !FIXED.has(name) && figure.rows.some((row) => typeof row[name] === "number"),
  );
  return (
    <FigureFrame
      figure={figure}
      interactive
      empty="No case is done yet."
      summary={`${counted(series.length, "line")}: ${series.join("; ")}. ${measures.map(({ label }) => label).join(", ")} against ${xLabel(figure)}.`}
      below={series.length > 1 ? undefined : series[0] === "all" ? undefined : series[0]}
    >
      {({ width }) => {
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
      }}
    </FigureFrame>
  );
}

/** The same line has the same place, and so the same colour, however many cases are there yet. */
const inOrder = (a: string, b: string): number =>
  Number(b.includes("sharp")) - Number(a.includes("sharp")) || a.localeCompare(b, "en", { numeric: true });

const xLabel = ({ columns }: Figure): string => axisText(columns.find(({ name }) => name === "x")!);

/** The lines by name, drawn as they are drawn below. */
function Series({ looks, width }: { readonly looks: ReadonlyMap<string, Look>; readonly width: number }) {
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
  const xs = [...new Set(figure.rows.map(({ x }) => x))].sort((a, b) => a - b);
  const data = xs.map((x) => {
    const point: Record<string, number | null> = { x };
    for (const row of figure.rows) if (row.x === x) point[row.series] = row[measure.name] as number | null;
    return point;
  });
  const shares = measure.unit === "share" || measure.unit === "token F1";
  const top = sharedDomain([figure], [measure.name])?.[1] ?? 1;
  const log = xs.length > 2 && xs[0]! > 0 && xs.at(-1)! / xs[0]! >= 8;
  const said = xs.length === 2 && xs[0] === 0 && xs[1] === 1;
  const label = `${axisText(measure)} against ${xLabel(figure)}.`;
  return (
    <LineChart {...chartProps({ width, label }, 190)} data={data}>
      <CartesianGrid {...GRID} />
      <XAxis
        dataKey="x"
        type="number"
        ticks={xs}
        domain={[xs[0]!, xs.at(-1)!]}
        {...(log ? { scale: "log" as const } : {})}
        {...xAxis(said ? "" : xLabel(figure))}
        tickFormatter={(x: number) => (said ? (x === 0 ? "kept" : "deleted") : numberText(x))}
        padding={{ left: 14, right: 18 }}
        interval="preserveStartEnd"
      />
      <YAxis {...yAxis(44)} {...roundScale(0, shares ? 1 : top > 0 ? top : 1)} />
      <YLabel>{axisText(measure)}</YLabel>
      <Tooltip content={<PointTip x={xLabel(figure)} />} cursor={{ stroke: "var(--ink-faint)" }} />
      {[...looks].map(([name, { color, dash }]) => (
        <Line
          key={name}
          name={name}
          dataKey={(point: Record<string, number | null>) => point[name]}
          stroke={color}
          strokeWidth={2}
          {...(dash === "none" ? {} : { strokeDasharray: dash })}
          dot={{
            r: 3,
            fill: dash === "none" ? color : "var(--paper)",
            stroke: color,
            strokeDasharray: "none",
          }}
          isAnimationActive={false}
        />
      ))}
    </LineChart>
  );
}

function PointTip({
  active,
  label,
  payload,
  x,
}: {
  readonly active?: boolean;
  readonly label?: number;
  readonly payload?: readonly { readonly name?: string; readonly value?: number | null }[];
  readonly x: string;
}) {
  if (!active || !payload) return null;
  return (
    <div>
      <Tip
        title={`${x}: ${numberText(label ?? NaN)}`}
        lines={payload.map(({ name, value }) => [name ?? "", numberText(value ?? NaN)] as const)}
      />
    </div>
  );
}
