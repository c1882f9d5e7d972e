/** @file How all charts of recharts look: axes without boxes, a grid one barely sees, labels in words. */

import type { ReactNode } from "react";
import { CartesianGrid, Tooltip, XAxis, YAxis, type XAxisProps } from "recharts";
import type { Row } from "../../../figures/figure.ts";
import type { Room } from "./picture.ts";
import { logScale } from "./logScale.ts";
import { roundScale } from "./scale.ts";
import { numberText } from "./text.ts";
import s from "./Figure.module.css";

export const TICK = { fontSize: 11.5, fill: "var(--ink-soft)" } as const;

/** Room around the plot; the label of y stands above its axis, on the left. */
const MARGIN = { top: 26, right: 16, bottom: 18, left: 0 } as const;

/** Grid, both axes, and words for them: below on the right, and above the left one, where they read without turning the head. */
export function Axes({
  x,
  along,
  up,
  top,
  decades,
  count = 4,
  whole = false,
  width = 44,
}: {
  /** What the axis below says of its data. */
  readonly x: XAxisProps;
  readonly along: string;
  readonly up: string;
  /** What the left axis reaches at least, from 0. */
  readonly top: number;
  /** In place of that: what a logarithmic axis on the left holds. */
  readonly decades?: readonly [low: number, high: number];
  /** About so many ticks. */
  readonly count?: number;
  /** Ticks at whole numbers alone. */
  readonly whole?: boolean;
  /** Pixels that the numbers on the left take. */
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
          : roundScale(0, top, count, whole))}
      />
      <text x={2} y={12} fontSize={11.5} fill="var(--ink-soft)">
        {up}
      </text>
    </>
  );
}

/** Words on the right above the plot: how it is read. */
export function Legend({
  room: { width },
  children,
  fill = "var(--ink-soft)",
}: {
  readonly room: Pick<Room, "width">;
  readonly children: ReactNode;
  readonly fill?: string;
}) {
  return (
    <text x={width - 16} y={12} textAnchor="end" fontSize={11.5} fill={fill}>
      {children}
    </text>
  );
}

/** A bar's height over 0, exact part full and the rest hollow on it. */
export const STACK = { stackId: "facts", isAnimationActive: false } as const;
export const HOLLOW = { ...STACK, fill: "var(--paper-raised)", stroke: "var(--rubric)" } as const;

/** Pixels of a bar where there are few. */
export const WIDEST_BAR = 72;

/** How exact and inexact facts are told apart, as far as there are both. */
export const exactText = (rows: readonly { readonly exact: number; readonly inexact: number }[]): string =>
  [
    ...(rows.some(({ exact }) => exact > 0) ? ["full: exact"] : []),
    ...(rows.some(({ inexact }) => inexact > 0) ? ["hollow: not exact"] : []),
  ].join(", ");

/** A bar from the smallest to the largest; its shape draws what lies between. */
export const RANGE = {
  dataKey: ({ min, max }: { readonly min: number; readonly max: number }) => [min, max],
  isAnimationActive: false,
} as const;

/** Props of a chart that the keyboard can walk through: arrows move the tooltip from point to point. */
export const chartProps = ({ width, label }: Pick<Room, "width" | "label">, height: number) =>
  ({
    width,
    height,
    margin: MARGIN,
    role: "img",
    tabIndex: 0,
    "aria-label": `${label} Arrow keys walk through its points.`,
    accessibilityLayer: true,
  }) as const;

/** Props of a chart whose columns lead to their rows' facts, wherever in the column one clicks. */
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

/** What a tooltip says: a title, and names with what is known of them. */
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

/** A tooltip over the row that the pointer, or the keyboard, is at. */
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

/** A tooltip over all lines that have a value at the place. */
export function HoverLines<P>({
  also = () => "",
  tip,
}: {
  /** What stands behind the value of line `name` at a point. */
  readonly also?: (point: P, name: string) => string;
  readonly tip: (at: number, values: readonly (readonly [string, string])[]) => TipWords;
}) {
  return (
    <Tooltip
      cursor={CURSORS.line}
      content={({ active, label, payload }) => {
        const shown = payload.filter(({ type }) => type !== "none");
        const values = shown.map(({ name, value, payload: point }): readonly [string, string] => {
          const line = String(name ?? "");
          return [line, `${numberText(Number(value ?? NaN))}${also(point as P, line)}`];
        });
        return active ? <Tip words={tip(Number(label), values)} /> : null;
      }}
    />
  );
}
