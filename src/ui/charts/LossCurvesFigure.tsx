/** @file Loss of single facts before each step, guided and refinement steps apart. */

import { CartesianGrid, Line, LineChart, Tooltip, XAxis, YAxis } from "recharts";
import type { lossCurves } from "../../figures/encoding.ts";
import { counted } from "../format.ts";
import { fromFirst, Refinement } from "./BandFigures.tsx";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { chartProps, GRID, Tip, TICK, xAxis, yAxis, YLabel } from "./kit/recharts.tsx";
import { bothRows, largest, roundScale } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

/** Curves that are named at their end; the longest are the ones to look at. */
const NAMED = 4;

type Losses = ReturnType<typeof lossCurves>;

export function LossCurvesFigure({
  figure,
  beside,
}: {
  readonly figure: Losses;
  /** Drawn on the same scale. */
  readonly beside?: Losses | null | undefined;
}) {
  const both = bothRows(figure, beside);
  const keys = [...new Set(figure.rows.map(({ key }) => key))];
  const steps = largest(both, ({ step }) => step);
  const scale = roundScale(
    0,
    largest(both, ({ loss }) => loss),
  );
  const data = Array.from({ length: steps }, (_, i): Record<string, number> => ({ step: i + 1 }));
  const ends = new Map<string, number>();
  for (const { key, step, loss } of figure.rows) {
    data[step - 1]![key] = loss;
    ends.set(key, step);
  }
  const longest = keys.toSorted((a, b) => ends.get(b)! - ends.get(a)!).slice(0, NAMED);
  const top = scale.domain[1];
  const places = labelPlaces(
    longest.map((key) => ({ key, step: ends.get(key)!, loss: data[ends.get(key)! - 1]![key]! })),
    top,
    steps,
  );
  // Those with names come last, so that no line crosses a name.
  const drawOrder = [...keys.filter((key) => !longest.includes(key)), ...longest];
  const refine = figure.guides[0]?.value ?? Infinity;
  return (
    <FigureFrame
      figure={figure}
      interactive
      summary={`${counted(keys.length, "curve")}; the longest is that of ${longest[0] ?? "none"} with ${counted(steps, "step")}.`}
    >
      {(room) => (
        <LineChart
          {...chartProps(room, HEIGHT)}
          data={data}
          {...(room.pick
            ? {
                style: { cursor: "pointer" },
                onClick: ({ activeTooltipIndex }, event) => {
                  const near = nearestCurve(
                    figure.rows,
                    Number(activeTooltipIndex) + 1,
                    top * (1 - (placeOf(event) - TOP) / PLOT),
                  );
                  if (near) room.pick?.(near);
                },
              }
            : {})}
        >
          <CartesianGrid {...GRID} />
          <XAxis
            dataKey="step"
            type="number"
            domain={[1, Math.max(2, steps)]}
            ticks={fromFirst([1, Math.max(2, steps)])}
            {...xAxis("step")}
          />
          <YAxis {...yAxis(44)} {...scale} />
          <YLabel>loss (nats)</YLabel>
          {steps > refine && <Refinement from={refine} to={steps} />}
          {drawOrder.map((key) => (
            <Line
              key={key}
              dataKey={(row: Record<string, number>) => row[key]}
              name={key}
              stroke={longest.includes(key) ? "var(--rubric)" : "var(--ink)"}
              strokeOpacity={longest.includes(key) ? 1 : 0.35}
              strokeWidth={1.25}
              dot={
                longest.includes(key)
                  ? (dot) => (
                      <EndLabel
                        key={String(dot.index)}
                        {...dot}
                        at={ends.get(key)! - 1}
                        words={key}
                        rise={places.get(key)!}
                        steps={steps}
                      />
                    )
                  : false
              }
              isAnimationActive={false}
            />
          ))}
          <Tooltip content={<CurvesTip />} cursor={{ stroke: "var(--ink-faint)" }} />
        </LineChart>
      )}
    </FigureFrame>
  );
}

/** The curve that passes closest to a loss at a step. */
function nearestCurve(rows: Losses["rows"], step: number, loss: number): Losses["rows"][number] | undefined {
  return rows
    .filter((row) => row.step === step)
    .toSorted((a, b) => Math.abs(a.loss - loss) - Math.abs(b.loss - loss))[0];
}

/** Pixels from the top of the chart. */
const placeOf = ({
  clientY,
  currentTarget,
}: React.MouseEvent | (React.SyntheticEvent & { clientY?: number })): number =>
  (clientY ?? 0) - (currentTarget as Element).getBoundingClientRect().top;

const TOP = 26;
const HEIGHT = 260;
/** Pixels between the axis and the top of the scale. */
const PLOT = HEIGHT - 66;
const LINE = 14;

/** How far above its end each curve's name stands, so that names at one place do not meet. */
function labelPlaces(
  ends: readonly { readonly key: string; readonly step: number; readonly loss: number }[],
  top: number,
  steps: number,
): ReadonlyMap<string, number> {
  const taken: { step: number; y: number }[] = [];
  const rises = new Map<string, number>();
  for (const { key, step, loss } of ends.toSorted((a, b) => a.loss - b.loss)) {
    const at = (loss / top) * PLOT;
    let y = at + 7;
    for (const other of taken)
      if (Math.abs(other.step - step) < steps / 6 && Math.abs(other.y - y) < LINE) y = other.y + LINE;
    taken.push({ step, y });
    rises.set(key, y - at);
  }
  return rises;
}

/** The key beside the last point of its curve. */
function EndLabel({
  cx,
  cy,
  index,
  at,
  words,
  steps,
  rise,
}: {
  readonly cx?: number;
  readonly cy?: number;
  readonly index?: number;
  readonly at: number;
  readonly words: string;
  readonly steps: number;
  /** Pixels above the point. */
  readonly rise: number;
}) {
  if (index !== at || cx === undefined || cy === undefined) return <g />;
  const left = at > steps * 0.6;
  return (
    <g>
      <circle cx={cx} cy={cy} r={2.5} fill="var(--rubric)" />
      <text
        {...TICK}
        x={cx + (left ? -5 : 6)}
        y={cy - rise}
        textAnchor={left ? "end" : "start"}
        fill="var(--rubric)"
      >
        {words}
      </text>
    </g>
  );
}

function CurvesTip({
  active,
  label,
  payload,
}: {
  readonly active?: boolean;
  readonly label?: number;
  readonly payload?: readonly { readonly name?: string; readonly value?: number }[];
}) {
  if (!active || !payload) return null;
  const lines = payload.slice(0, 6).map(({ name, value }) => [name ?? "", numberText(value ?? NaN)] as const);
  const rest = payload.length - lines.length;
  return (
    <Tip title={`Step ${label}`} lines={rest > 0 ? [...lines, ["and", `${rest} more`] as const] : lines} />
  );
}
