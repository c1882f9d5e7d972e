/** @file Axes, tooltips and keyboard access that all charts of recharts share. */

import type { ReactNode } from "react";
import {
  CartesianGrid,
  ReferenceArea,
  ReferenceLine,
  Tooltip,
  XAxis,
  YAxis,
  type XAxisProps,
} from "recharts";
import type { Row } from "../../../figures/figure.ts";
import { logScale } from "./logScale.ts";
import type { Room } from "./picture.ts";
import { roundScale } from "./scale.ts";
import { numberText } from "./text.ts";
import s from "../charts.module.css";

export const TICK = { fontSize: 11.5, fill: "var(--ink-soft)" } as const;
/** Charts do not move: they are exported as soon as they are drawn. */
export const STILL = { isAnimationActive: false } as const;

/** Space around the plot; the label of the y axis is above it, on the left. */
const MARGIN = { top: 26, right: 16, bottom: 18, left: 0 } as const;

/** Grid, both axes and their labels. */
export function Axes({
  x,
  along,
  up,
  top,
  bottom = 0,
  decades,
  count = 4,
  whole = false,
  width = 44,
}: {
  readonly x: XAxisProps;
  /** Label of the x axis. */
  readonly along: string;
  /** Label of the y axis. */
  readonly up: string;
  /** The y axis reaches from `bottom` to at least `top`. */
  readonly top: number;
  readonly bottom?: number;
  /** A logarithmic y axis that covers these values, in place of `top` and `bottom`. */
  readonly decades?: readonly [low: number, high: number] | null | undefined;
  /** About this many ticks on the y axis. */
  readonly count?: number;
  /** Ticks of the y axis at whole numbers only. */
  readonly whole?: boolean;
  /** Width in pixels of the numbers of the y axis. */
  readonly width?: number;
}) {
  return (
    <>
      <CartesianGrid stroke="var(--hairline)" vertical={false} />
      <XAxis
        tick={TICK}
        tickLine={false}
        axisLine={{ stroke: "var(--hairline-strong)" }}
        height={22}
        label={{ ...TICK, value: along, position: "insideBottomRight", offset: -11 }}
        {...x}
      />
      <YAxis
        tick={TICK}
        tickLine={false}
        axisLine={false}
        width={width}
        tickFormatter={(value: number) => numberText(value)}
        {...(decades
          ? { scale: "log", allowDataOverflow: true, ...logScale(...decades) }
          : roundScale(bottom, top, count, whole))}
      />
      <text x={2} y={12} {...TICK}>
        {up}
      </text>
    </>
  );
}

/** Words at the top right of a chart that explain its marks. */
export function Legend({
  room: { width },
  children,
  fill = TICK.fill,
}: {
  readonly room: Pick<Room, "width">;
  readonly children: ReactNode;
  readonly fill?: string;
}) {
  return (
    <text {...TICK} x={width - 16} y={12} textAnchor="end" fill={fill}>
      {children}
    </text>
  );
}

/** Shades the steps of refinement in a chart of losses. */
export const refinementArea = (from: number, to: number): ReactNode => [
  <ReferenceArea key="area" x1={from} x2={to} fill="var(--ink)" fillOpacity={0.05} />,
  <ReferenceLine
    key="line"
    x={from}
    stroke="var(--ink-faint)"
    strokeDasharray="3 3"
    label={{ ...TICK, value: "refinement →", position: "insideTopLeft" }}
  />,
];

/** Props of a chart that arrow keys walk through: they move the tooltip from point to point. */
export const chartProps = ({ width, label }: Pick<Room, "width" | "label">, height: number) =>
  ({
    width,
    height,
    margin: MARGIN,
    role: "img",
    tabIndex: 0,
    "aria-label": `${label} Arrow keys move through its points.`,
    accessibilityLayer: true,
  }) as const;

/** Props of a chart whose columns open their rows' facts on a click anywhere in the column. */
export const pickProps = <R extends Row>({ pick }: Room<R>, rows: readonly R[]) =>
  pick
    ? {
        style: { cursor: "pointer" },
        onClick: ({ activeTooltipIndex }: { readonly activeTooltipIndex?: unknown }) => {
          const row = activeTooltipIndex === undefined ? undefined : rows[Number(activeTooltipIndex)];
          if (row) pick(row);
        },
      }
    : {};

/** The text of a tooltip: a title, and names with their values. */
export type TipWords = readonly [title: string, lines: readonly (readonly [string, ReactNode])[]];

export function Tip({ words: [title, lines] }: { readonly words: TipWords }) {
  return (
    <div className={s.tip}>
      <strong>{title}</strong>
      {lines.map(([name, value]) => (
        <div key={name}>
          {name} <span className="num">{value}</span>
        </div>
      ))}
    </div>
  );
}

const CURSORS = {
  line: { stroke: "var(--ink-faint)" },
  column: { fill: "var(--lapis-wash)" },
} as const;

/** A tooltip for the row at the pointer or the keyboard. */
export function Hover<R>({
  tip,
  over = "line",
}: {
  readonly tip: (row: R) => TipWords;
  readonly over?: keyof typeof CURSORS;
}) {
  return (
    <Tooltip
      cursor={CURSORS[over]}
      content={({ active, payload }) => {
        const row: R | undefined = payload.find((item) => item.payload)?.payload;
        return active && row ? <Tip words={tip(row)} /> : null;
      }}
    />
  );
}
