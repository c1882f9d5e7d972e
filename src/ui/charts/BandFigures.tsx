/** @file Five numbers along an axis as a band: the loss over all facts of a batch, and margins as facts are added. */

import {
  Area,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ReferenceLine,
  Tooltip,
  XAxis,
  YAxis,
} from "recharts";
import type { lossBand } from "../../figures/encoding.ts";
import type { marginGrowthRows } from "../../figures/layers.ts";
import type { Row } from "../../figures/figure.ts";
import { counted } from "../format.ts";
import { FigureFrame, type Room } from "./kit/FigureFrame.tsx";
import { chartProps, GRID, pickProps, rowTip, TICK, xAxis, yAxis, YLabel } from "./kit/recharts.tsx";
import { bothRows, distinct, largest, roundScale, ticks } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

type Five = Row & {
  readonly facts: number;
  readonly min: number;
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  readonly max: number;
};

const fiveLines = ({ min, q1, median, q3, max }: Five) =>
  [
    ["median", numberText(median)],
    ["middle half", `${numberText(q1)} to ${numberText(q3)}`],
    ["all", `${numberText(min)} to ${numberText(max)}`],
  ] as const;

type LossFigure = ReturnType<typeof lossBand>;
type LossRow = LossFigure["rows"][number];
const LossTip = rowTip<LossRow>((row) => [
  `Step ${row.step}, ${row.phase}: ${counted(row.facts, "fact")}`,
  fiveLines(row),
]);

type GrowthFigure = ReturnType<typeof marginGrowthRows>;
type MarginRow = GrowthFigure["rows"][number];
const MarginTip = rowTip<MarginRow>((row) => [counted(row.facts, "fact"), fiveLines(row)]);

export function LossBandFigure({
  figure,
  beside,
}: {
  readonly figure: LossFigure;
  /** Drawn on the same scale. */
  readonly beside?: LossFigure | null | undefined;
}) {
  const { rows, guides } = figure;
  const refine = guides[0]?.value ?? Infinity;
  const last = rows.at(-1);
  return (
    <FigureFrame
      figure={figure}
      interactive
      summary={`Median loss from ${numberText(rows[0]?.median ?? NaN)} at step 1 to ${numberText(last?.median ?? NaN)} at step ${last?.step ?? 0}, when ${counted(last?.facts ?? 0, "fact")} are left of ${rows[0]?.facts ?? 0}.`}
    >
      {(room) => (
        <Band
          room={room}
          rows={rows}
          x="step"
          words={["step", "loss (nats)"]}
          color="var(--rubric)"
          both={bothRows(figure, beside)}
          tip={<LossTip />}
        >
          {last && last.step > refine && <Refinement from={refine} to={last.step} />}
        </Band>
      )}
    </FigureFrame>
  );
}

export function MarginGrowthFigure({
  figure,
  beside,
}: {
  readonly figure: GrowthFigure;
  /** Drawn on the same scale. */
  readonly beside?: GrowthFigure | null | undefined;
}) {
  const { rows } = figure;
  const [first, last] = [rows[0], rows.at(-1)];
  return (
    <FigureFrame
      figure={figure}
      interactive
      empty="A margin needs two facts at the layer."
      summary={`Median margin ${numberText(first?.median ?? NaN)} with ${first?.facts ?? 0} facts, ${numberText(last?.median ?? NaN)} with ${last?.facts ?? 0}; the smallest is ${numberText(last?.min ?? NaN)}.`}
    >
      {(room) => (
        <Band
          room={room}
          rows={rows}
          x="facts"
          log
          words={["facts at the layer", "margin (cosine)"]}
          color="var(--lapis)"
          both={bothRows(figure, beside)}
          tip={<MarginTip />}
        />
      )}
    </FigureFrame>
  );
}

/** The part of the schedule after the guided steps. */
export function Refinement({ from, to }: { readonly from: number; readonly to: number }) {
  return (
    <>
      <ReferenceArea x1={from} x2={to} fill="var(--ink)" fillOpacity={0.05} />
      <ReferenceLine
        x={from}
        stroke="var(--ink-faint)"
        strokeDasharray="3 3"
        label={{ ...TICK, value: "refinement →", position: "insideTopLeft" }}
      />
    </>
  );
}

function Band<R extends Five>({
  room,
  rows,
  x,
  words,
  color,
  log,
  both,
  tip,
  children,
}: {
  readonly room: Room;
  readonly rows: readonly R[];
  readonly x: keyof R & string;
  readonly words: readonly [x: string, y: string];
  readonly color: string;
  readonly log?: boolean;
  /** What the scales hold. */
  readonly both: readonly R[];
  readonly tip: React.ReactElement;
  readonly children?: React.ReactNode;
}) {
  const data = rows.map((row) => ({ ...row, whole: [row.min, row.max], middle: [row.q1, row.q3] }));
  const places = distinct(both, (row) => row[x] as number);
  const ends = [places[0]!, places.at(-1)!];
  const scale = roundScale(
    0,
    largest(both, ({ max }) => max),
  );
  return (
    <ComposedChart {...chartProps(room, 240)} {...pickProps(room, rows)} data={data}>
      <CartesianGrid {...GRID} />
      <XAxis
        dataKey={(row: R) => row[x]}
        type="number"
        domain={ends}
        {...(log ? { scale: "log" as const, ticks: places } : { ticks: fromFirst(ends) })}
        {...xAxis(words[0])}
      />
      <YAxis {...yAxis(44)} {...scale} />
      <YLabel>{words[1]}</YLabel>
      {children}
      <Area dataKey="whole" stroke="none" fill={color} fillOpacity={0.12} isAnimationActive={false} />
      <Area dataKey="middle" stroke="none" fill={color} fillOpacity={0.25} isAnimationActive={false} />
      <Line
        dataKey="median"
        stroke={color}
        strokeWidth={2}
        dot={rows.length < 30 ? { r: 2.5, fill: color } : false}
        isAnimationActive={false}
      />
      <Tooltip content={tip} cursor={{ stroke: "var(--ink-faint)" }} />
      <text x={room.width - 16} y={12} textAnchor="end" fontSize={11.5} fill="var(--ink-soft)">
        line: median, dark: middle half, light: all
      </text>
    </ComposedChart>
  );
}

/** The first step and round ones after it. */
export const fromFirst = ([first, last]: readonly number[]): number[] => {
  const round = ticks(first!, last!, 6).filter((value) => value >= first! + (last! - first!) / 20);
  return [first!, ...round];
};
