/** @file A chart of recharts: axes, guides, a tooltip for each row, clicks that lead to facts, and arrow keys. */

import type { ReactNode } from "react";
import {
  CartesianGrid,
  ComposedChart,
  ReferenceLine,
  Tooltip,
  XAxis,
  YAxis,
  type XAxisProps,
  type YAxisProps,
  Bar,
  BarChart,
  Cell,
  ErrorBar,
  LabelList,
} from "recharts";
import type { Guide, Row } from "../../../figures/figure.ts";
import { logScale } from "./scale.ts";
import type { Room } from "./picture.tsx";
import { numberText, type TipWords, FONT, textWidth, cut } from "./text.ts";
import s from "../charts.module.css";

export const TICK = { fontSize: 13, fill: "var(--ink-soft)" } as const;
/** Charts do not move: they are exported as soon as they are drawn. */
export const STILL = { isAnimationActive: false } as const;

const MARGIN = { top: 26, right: 16, bottom: 18, left: 0 } as const;

export interface ChartProps<R> {
  readonly room: Room<R>;
  readonly rows: readonly R[];
  readonly x: XAxisProps;
  readonly y: YAxisProps;
  readonly along: string;
  readonly up: string;
  readonly tip: (row: R) => TipWords;
  readonly over?: keyof typeof CURSORS;
  readonly guides?: readonly Guide[];
  readonly height?: number;
  readonly children: ReactNode;
}

export function Chart<R>(props: ChartProps<R>) {
  const { room, rows, x, y, along, up, tip, over, guides = [], height = 230, children } = props;
  return (
    <ComposedChart {...chartProps(room, rows, height)} data={rows} barCategoryGap="8%">
      <CartesianGrid stroke="var(--hairline)" vertical={false} />
      <XAxis
        tick={TICK}
        tickLine={false}
        axisLine={{ stroke: "var(--hairline-strong)" }}
        height={22}
        label={{ ...TICK, value: along, position: "insideBottomRight", offset: -11 }}
        {...x}
      />
      <YAxis tick={TICK} tickLine={false} axisLine={false} width={44} tickFormatter={tickText} {...y} />
      <text x={2} y={12} {...TICK}>
        {up}
      </text>
      {guides.map((guide) => (
        <ReferenceLine key={guide.label} {...guideProps(guide)} />
      ))}
      {children}
      <Hover {...{ tip, over }} />
    </ComposedChart>
  );
}

const tickText = (value: number): string => numberText(value);

const guideProps = ({ axis, value, label }: Guide) => ({
  ...(axis === "x" ? { x: value } : { y: value }),
  stroke: "var(--lapis)",
  strokeDasharray: "4 3",
  label: {
    ...{ ...TICK, value: label, fill: "var(--lapis)" },
    position: axis === "x" ? ("insideTopLeft" as const) : ("insideBottomRight" as const),
  },
});

/** Guides further than this beyond the largest value would flatten the marks. */
const FAR = 4;

export const nearGuides = (guides: readonly Guide[], largest: number): readonly Guide[] =>
  guides.filter(({ axis, value }) => axis === "y" && value <= FAR * largest);

export const logAxis = (ends: readonly [low: number, high: number]) =>
  ({ scale: "log", allowDataOverflow: true, ...logScale(...ends) }) as const;

const chartProps = <R,>({ width, label, pick }: Room<R>, rows: readonly R[], height: number) =>
  ({
    ...{ width, height, margin: MARGIN, role: "img", tabIndex: 0, accessibilityLayer: true },
    "aria-label": `${label} Arrow keys move through its points.`,
    ...(pick && {
      style: { cursor: "pointer" },
      onClick: ({ activeTooltipIndex }: { readonly activeTooltipIndex?: unknown }) => {
        const row = activeTooltipIndex === undefined ? undefined : rows[Number(activeTooltipIndex)];
        if (row !== undefined) pick(row);
      },
    }),
  }) as const;

export const Tip = ({ words: [title, lines] }: { readonly words: TipWords }) => (
  <div className={s.tip}>
    <strong>{title}</strong>
    {lines.map(([name, value]) => (
      <div key={name}>
        {name} <span className="num">{value}</span>
      </div>
    ))}
  </div>
);

const CURSORS = {
  line: { stroke: "var(--ink-faint)" },
  column: { fill: "var(--lapis-wash)" },
} as const;

function Hover<R>(props: Pick<ChartProps<R>, "tip"> & { over?: ChartProps<R>["over"] | undefined }) {
  const { tip, over = "line" } = props;
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

const [LINE, MARK, BETWEEN] = [18, 33, 25];

export function Legend({
  items,
  width,
}: Readonly<{ items: readonly { readonly label: string; readonly mark: ReactNode }[]; width: number }>) {
  let [x, y] = [0, 0];
  const placed = items.map((item) => {
    const wide = MARK + textWidth(item.label, FONT.label) + BETWEEN;
    if (x > 0 && x + wide > width) [x, y] = [0, y + LINE];
    const place = `translate(${x} ${y})`;
    x += wide;
    return { ...item, place };
  });
  return (
    <svg width={width} height={y + LINE + 6} {...TICK}>
      {placed.map(({ label, mark, place }) => (
        <g key={label} transform={place}>
          {mark}
          <text x={MARK} y={13} fill="var(--ink)">
            {label}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** Recharts breaks text at spaces. */
const oneLine = (text: string): string => text.replaceAll(" ", "\u00a0");

const ROW = 24;
const GAP = 10;
const MOST_FOR_NAMES = 0.42;

export interface NamedBarsProps<R extends Row> extends Pick<
  ChartProps<R>,
  "room" | "rows" | "guides" | "tip"
> {
  readonly heading?: string;
  readonly name: (row: R) => string;
  readonly value: (row: R) => number;
  readonly top: number;
  readonly text: (row: R) => string;
  readonly color: (row: R) => string;
  readonly hollow?: (row: R) => boolean;
  readonly span?: (row: R) => readonly [low: number, high: number] | null;
}

export function NamedBars<R extends Row>(props: NamedBarsProps<R>) {
  const { room, rows, heading, name, value, top, text, color, hollow, span, guides = [], tip } = props;
  const widest = (of: (row: R) => string): number =>
    Math.ceil(Math.max(0, ...rows.map((row) => textWidth(of(row), FONT.label)))) + GAP;
  const column = Math.min(widest(name), Math.round(room.width * MOST_FOR_NAMES));
  const right = Math.min(widest(text), room.width - column - 40);
  return (
    <BarChart
      {...chartProps(room, rows, rows.length * ROW + 26)}
      layout="vertical"
      margin={{ top: 22, bottom: 4, left: 0, right }}
      barSize={12}
      data={rows}
    >
      {heading && (
        <text x={0} y={12} fontSize={13} fontWeight={600} fill="var(--ink)">
          {heading}
        </text>
      )}
      <XAxis type="number" domain={[0, top]} hide />
      <YAxis
        type="category"
        dataKey={name}
        width={column}
        tick={{ ...TICK, fill: "var(--ink)" }}
        tickFormatter={(words: string) => oneLine(cut(words, column - GAP, FONT.label))}
        tickLine={false}
        axisLine={false}
        interval={0}
      />
      <Hover tip={tip} over="column" />
      {guides.map((guide) => (
        <ReferenceLine key={guide.label} {...guideProps({ ...guide, axis: "x" })} />
      ))}
      <Bar dataKey={value} minPointSize={1} fillOpacity={span ? 0.4 : 1} {...STILL}>
        {rows.map((row, i) => (
          <Cell key={i} fill={hollow?.(row) ? "var(--paper)" : color(row)} stroke={color(row)} />
        ))}
        {span && (
          <ErrorBar dataKey={whisker(value, span)} direction="x" width={3} stroke="var(--ink)" {...STILL} />
        )}
        <LabelList dataKey={(row: R) => oneLine(text(row))} position="right" {...TICK} />
      </Bar>
    </BarChart>
  );
}

export const whisker =
  <R,>(value: (row: R) => number, span: (row: R) => readonly [number, number] | null) =>
  (row: R): [number, number] | null => {
    const ends = span(row);
    return ends && [value(row) - ends[0], ends[1] - value(row)];
  };
