/** @file Loss of single vectors before each step, guided and refinement steps apart. */

import type { MouseEvent, SyntheticEvent } from "react";
import { Line, LineChart } from "recharts";
import type { FigureOf, RowOf } from "../../figures/registry.ts";
import { counted } from "../format.ts";
import type { PictureOf, Room } from "./kit/picture.ts";
import { Axes, chartProps, HoverLines, TICK } from "./kit/recharts.tsx";
import { FONT, HALO, textWidth } from "./kit/measure.ts";
import { placeNames, type Place } from "./kit/placeNames.ts";
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
/** Pixels beside the plot. */
const [LEFT, RIGHT] = [44, 16];

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
  const places = namePlaces(curves, room.width);
  const ends = [1, Math.max(2, steps)];
  const x = { dataKey: "step", type: "number", domain: ends, ticks: fromFirst(ends) } as const;
  return (
    <LineChart {...chartProps(room, HEIGHT)} data={data} {...pickCurve(room, rows, decades)}>
      <Axes x={x} along="step" up="loss (nats per token), logarithmic" top={0} decades={decades} />
      {steps > refine && <Refinement from={refine} to={steps} />}
      {[...keys.filter((key) => !places.has(key)), ...places.keys()].map((key) => (
        <Line
          key={key}
          dataKey={(row: Step) => row[key]}
          name={key}
          stroke={places.has(key) ? "var(--rubric)" : "var(--ink)"}
          strokeOpacity={places.has(key) ? 1 : 0.35}
          strokeWidth={1.25}
          dot={false}
          isAnimationActive={false}
        />
      ))}
      {/* Names come last, so that no line crosses one. */}
      {[...places].map(([key, place]) => (
        <Line
          key={`name of ${key}`}
          dataKey={(row: Step) => row[key]}
          stroke="none"
          tooltipType="none"
          activeDot={false}
          dot={({ cx, cy, index }) =>
            index === curves.ends.get(key)! - 1 ? (
              <EndLabel key={index} cx={cx} cy={cy} place={place}>
                {key}
              </EndLabel>
            ) : (
              <g key={index} />
            )
          }
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
}

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

/** Where the name of each of the longest curves stands; null where there is no room beside its end. */
function namePlaces({ longest, ends, data, decades, steps }: Curves, width: number) {
  const across = (width - LEFT - RIGHT) / Math.max(1, steps - 1);
  const points = longest.map((key) => {
    const at = ends.get(key)! - 1;
    const y = TOP + (1 - logShare(data[at]![key]!, decades)) * PLOT;
    return { x: LEFT + at * across, y, wide: textWidth(key, FONT.label) };
  });
  // A curve comes from the left and falls, so that there is room on the right of its end, or below.
  const placed = placeNames(points, { width, height: TOP + PLOT }, [
    "right",
    "below left",
    "above left",
    "above",
  ]);
  return new Map(longest.map((key, i) => [key, placed[i]!] as const));
}

/** The key beside the last point of its curve. */
function EndLabel({
  cx,
  cy,
  place,
  children,
}: {
  readonly cx?: number | undefined;
  readonly cy?: number | undefined;
  readonly place: Place | null;
  readonly children: string;
}) {
  if (cx === undefined || cy === undefined) return <g />;
  return (
    <g>
      <circle cx={cx} cy={cy} r={2.5} fill="var(--rubric)" />
      {place && (
        <text {...TICK} {...HALO} x={place.x} y={place.y} textAnchor={place.anchor} fill="var(--rubric)">
          {children}
        </text>
      )}
    </g>
  );
}
