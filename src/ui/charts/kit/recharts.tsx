/** @file How all charts of recharts look: axes without boxes, a grid one barely sees, labels in words. */

import type { ReactNode } from "react";
import type { Row } from "../../../figures/figure.ts";
import type { Room } from "./FigureFrame.tsx";
import { numberText } from "./text.ts";
import s from "./Figure.module.css";

export const TICK = { fontSize: 11.5, fill: "var(--ink-soft)" } as const;
const LABEL = { fontSize: 11.5, fill: "var(--ink-soft)" } as const;

/** Room around the plot; the label of y stands above its axis, on the left. */
export const MARGIN = { top: 26, right: 16, bottom: 18, left: 0 } as const;

export const GRID = { stroke: "var(--hairline)", vertical: false } as const;

/** Props of the axis below. */
export const xAxis = (label: string) =>
  ({
    tick: TICK,
    tickLine: false,
    axisLine: { stroke: "var(--hairline-strong)" },
    height: 22,
    label: { ...LABEL, value: label, position: "insideBottomRight", offset: -11 },
  }) as const;

/** Props of the axis on the left; its label stands above it, where it reads without turning the head. */
export const yAxis = (width = 40) =>
  ({
    tick: TICK,
    tickLine: false,
    axisLine: false,
    width,
    tickFormatter: (value: number) => numberText(value),
  }) as const;

/** The words above the axis on the left. */
export function YLabel({ children }: { readonly children: string }) {
  return (
    <text x={2} y={12} fontSize={11.5} fill="var(--ink-soft)">
      {children}
    </text>
  );
}

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
export const pickProps = <R extends Row>({ pick }: Room, rows: readonly R[]) =>
  pick
    ? {
        style: { cursor: "pointer" },
        onClick: ({ activeTooltipIndex }: { readonly activeTooltipIndex?: unknown }) => {
          const row = activeTooltipIndex === undefined ? undefined : rows[Number(activeTooltipIndex)];
          if (row) pick(row);
        },
      }
    : {};

/** Lines of a tooltip: a name and what is known of it. */
export function Tip({
  title,
  lines,
}: {
  readonly title: string;
  readonly lines: readonly (readonly [string, ReactNode])[];
}) {
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

/** A tooltip over one row of a figure. */
export function rowTip<R>(
  describe: (row: R) => readonly [string, readonly (readonly [string, ReactNode])[]],
) {
  return function RowTip({
    active,
    payload,
  }: {
    readonly active?: boolean;
    readonly payload?: readonly { readonly payload?: R }[];
  }) {
    const row = payload?.find((item) => item.payload)?.payload;
    if (!active || !row) return null;
    const [title, lines] = describe(row);
    return <Tip title={title} lines={lines} />;
  };
}
