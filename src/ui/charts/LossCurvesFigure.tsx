/** @file Loss of single vectors before each step, guided and refinement steps apart. */

import type { MouseEvent, SyntheticEvent } from "react";
import { Line, LineChart } from "recharts";
import type { FigureOf, RowOf } from "../../figures/registry.ts";
import { counted } from "../format.ts";
import type { PictureOf, Room } from "./kit/picture.ts";
import { Axes, chartProps, HoverLines, TICK } from "./kit/recharts.tsx";
import { HALO } from "./kit/measure.ts";
import { Refinement } from "./kit/Refinement.tsx";
import { LEAST_LOSS, logScale, logShare, positiveEnds } from "./kit/logScale.ts";
import { bothRows, fromFirst, largest } from "./kit/scale.ts";

type Row = RowOf<"loss-curves">;
/** A step, and the loss of every curve that took it. */
type Step = Readonly<Record<string, number>>;

/** Curves that are named at their end; the longest are the ones to look at. */
const NAMED = 4;
/** Values that a tooltip lists. */
const LISTED = 6;

const TOP = 26;
const HEIGHT = 260;
/** Pixels between the axis and the top of the scale. */
const PLOT = HEIGHT - 66;
/** Pixels that a name takes, across and down. */
const NAME = 120;
const LINE = 14;

interface Curves {
  readonly data: readonly Step[];
  readonly keys: readonly string[];
  /** Steps of the longest curve of both figures, and the losses at the ends of their scale. */
  readonly steps: number;
  readonly decades: readonly [number, number];
  /** The last step of each curve. */
  readonly ends: ReadonlyMap<string, number>;
  readonly longest: readonly string[];
  /** Where refinement begins. */
  readonly refine: number;
}

function curvesOf(figure: FigureOf<"loss-curves">, beside: FigureOf<"loss-curves"> | null): Curves {
  const both = bothRows(figure, beside);
  const steps = largest(both, ({ step }) => step);
  const data = Array.from({ length: steps }, (_, i): Record<string, number> => ({ step: i + 1 }));
  const ends = new Map<string, number>();
  for (const { key, step, loss } of figure.rows) {
    data[step - 1]![key] = Math.max(loss, LEAST_LOSS);
    ends.set(key, step);
  }
  const keys = [...ends.keys()];
  return {
    ...{ data, keys, steps, ends },
    decades: logScale(
      ...positiveEnds(
        both.map(({ loss }) => loss),
        LEAST_LOSS,
      ),
    ).domain,
    longest: keys.toSorted((a, b) => ends.get(b)! - ends.get(a)!).slice(0, NAMED),
    refine: figure.guides[0]?.value ?? Infinity,
  };
}

export const lossCurvesFigure: PictureOf<"loss-curves"> = (figure, beside) => {
  const curves = curvesOf(figure, beside);
  const { keys, longest, steps } = curves;
  return {
    interactive: true,
    summary: `${counted(keys.length, "curve")}; the longest is that of ${longest[0] ?? "none"} with ${counted(steps, "step")}.`,
    draw: (room) => <Chart room={room} rows={figure.rows} curves={curves} />,
  };
};

function Chart({
  room,
  rows,
  curves,
}: {
  readonly room: Room<Row>;
  readonly rows: readonly Row[];
  readonly curves: Curves;
}) {
  const { data, keys, steps, decades, refine } = curves;
  const rises = labelRises(curves, room.width);
  const ends = [1, Math.max(2, steps)];
  const x = { dataKey: "step", type: "number", domain: ends, ticks: fromFirst(ends) } as const;
  return (
    <LineChart {...chartProps(room, HEIGHT)} data={data} {...pickCurve(room, rows, decades)}>
      <Axes x={x} along="step" up="loss (nats per token), logarithmic" top={0} decades={decades} />
      {steps > refine && <Refinement from={refine} to={steps} />}
      {keys.map((key) => (
        <Line
          key={key}
          dataKey={(row: Step) => row[key]}
          name={key}
          stroke={rises.has(key) ? "var(--rubric)" : "var(--ink)"}
          strokeOpacity={rises.has(key) ? 1 : 0.35}
          strokeWidth={1.25}
          dot={false}
          isAnimationActive={false}
        />
      ))}
      {/* Names come last, so that no line crosses one. */}
      {[...rises].map(([key, rise]) => (
        <Line
          key={`name of ${key}`}
          dataKey={(row: Step) => row[key]}
          stroke="none"
          tooltipType="none"
          activeDot={false}
          dot={({ cx, cy, index }) => (
            index === curves.ends.get(key)! - 1
              ? <EndLabel key={index} cx={cx} cy={cy} left={index + 1 > steps * 0.6} rise={rise}>{key}</EndLabel>
              : <g key={index} />
          )}
          isAnimationActive={false}
        />
      ))}
      <HoverLines
        tip={(step, values) => {
          const rest = values.length - LISTED;
          const more = rest > 0 ? [["and", `${rest} more`] as const] : [];
          return [`Step ${step}`, [...values.slice(0, LISTED), ...more]];
        }}
      />
    </LineChart>
  );
} // prettier-ignore

/** A click means the curve that passes closest to it. */
const pickCurve = ({ pick }: Room<Row>, rows: readonly Row[], ends: Curves["decades"]) =>
  pick
    ? {
        style: { cursor: "pointer" },
        onClick: (
          { activeTooltipIndex }: { readonly activeTooltipIndex?: unknown },
          event: MouseEvent | (SyntheticEvent & { clientY?: number }),
        ) => {
          const at = 1 - (placeOf(event) - TOP) / PLOT;
          const near = nearestCurve(rows, Number(activeTooltipIndex) + 1, at, ends);
          if (near) pick(near);
        },
      }
    : {};

/** The curve that passes closest to a height (from 0 to 1) at a step. */
function nearestCurve(
  rows: readonly Row[],
  step: number,
  height: number,
  ends: Curves["decades"],
): Row | undefined {
  const off = ({ loss }: Row): number => Math.abs(logShare(loss, ends) - height);
  return rows.filter((row) => row.step === step).toSorted((a, b) => off(a) - off(b))[0];
}

/** Pixels from the top of the chart. */
const placeOf = ({ clientY = 0, currentTarget }: MouseEvent | (SyntheticEvent & { clientY?: number })) =>
  clientY - currentTarget.getBoundingClientRect().top;

/** How far above its end each curve's name stands, so that names at one place do not meet. */
function labelRises(
  { longest, ends, data, decades, steps }: Curves,
  width: number,
): ReadonlyMap<string, number> {
  const taken: { step: number; y: number }[] = [];
  const places = longest.map((key) => ({ key, step: ends.get(key)!, loss: data[ends.get(key)! - 1]![key]! }));
  const rises = new Map<string, number>();
  for (const { key, step, loss } of places.toSorted((a, b) => a.loss - b.loss)) {
    const at = logShare(loss, decades) * PLOT;
    let y = at + 7;
    for (const other of taken)
      if ((Math.abs(other.step - step) / steps) * width < NAME && Math.abs(other.y - y) < LINE)
        y = other.y + LINE;
    taken.push({ step, y });
    rises.set(key, y - at);
  }
  return rises;
}

/** The key beside the last point of its curve. */
function EndLabel({
  cx,
  cy,
  left,
  rise,
  children,
}: {
  readonly cx?: number | undefined;
  readonly cy?: number | undefined;
  /** On the left of the point. */
  readonly left: boolean;
  /** Pixels above it. */
  readonly rise: number;
  readonly children: string;
}) {
  if (cx === undefined || cy === undefined) return <g />;
  return (
    <g>
      <circle cx={cx} cy={cy} r={2.5} fill="var(--rubric)" />
      <text
        {...TICK}
        {...HALO}
        x={cx + (left ? -5 : 6)}
        y={cy - rise}
        textAnchor={left ? "end" : "start"}
        fill="var(--rubric)"
      >
        {children}
      </text>
    </g>
  );
}
