/** @file Figures along one axis: counts as bars and lanes, margins by rank, and logits by token. */

import { Area, Bar, Cell, LabelList, Line } from "recharts";
import { type Figure, type Row as FigureRow, spreadIndices } from "../../figures/figure.ts";
import type { RowOf } from "../../figures/registry.ts";
import { count, counted } from "../format.ts";
import { Chart, nearGuides, STILL, TICK, NamedBars } from "./kit/Chart.tsx";
import { layerColor, bothRows, distinct, largest, roundScale, ticks } from "./kit/scale.ts";
import { panelRoom, type Picture, type PictureOf } from "./kit/picture.tsx";
import { axisText, columnOf, numberText, summaryOf, tipOf, tokenText, shareText } from "./kit/text.ts";
import { Row } from "../controls/basics.tsx";
import s from "./charts.module.css";

type Name<R> = keyof R & string;

interface Bars<R extends FigureRow> {
  readonly x: Name<R>;
  readonly along?: string;
  readonly up: string;
  readonly name?: (row: R) => string;
  readonly title: (row: R) => string;
  readonly full: Name<R>;
  readonly rest?: (row: R) => number;
  readonly color?: (row: R) => string;
  readonly below?: string;
  readonly guided?: (rows: readonly R[]) => boolean;
}

const MOST_LABELS = 24;
/** A bar of height 0 would lose the number above it. */
const NOTHING = 1e-6;

function bars<R extends FigureRow>({ x, along, up, name, title, full, rest, color, below, guided }: Bars<R>) {
  const solid = (row: R): number => Number(row[full] ?? 0);
  const hollow = (row: R): number => rest?.(row) || 0;
  const total = (row: R): number => solid(row) + hollow(row);
  const ink = color ?? (() => "var(--ink)");
  return (figure: Figure<R>, beside: Figure<R> | null): Picture<R> => {
    const both = bothRows(figure, beside);
    const rows = distinct(both, (row) => Number(row[x])).map(
      (place) => figure.rows.find((row) => row[x] === place) ?? ({ [x]: place } as R),
    );
    const most = largest(both, total);
    const guides = guided?.(both) ? nearGuides(figure.guides, most) : [];
    const part = { stackId: "bar", maxBarSize: 64, ...STILL };
    const cells = (size: (row: R) => number, fill: (row: R) => string) =>
      rows.map((row, i) => <Cell key={i} fill={fill(row)} stroke={size(row) > 0 ? ink(row) : "none"} />);
    return {
      summary: summaryOf(figure, x, full),
      below,
      draw: (room) => (
        <Chart
          {...{ room, rows, up, guides }}
          along={along ?? axisText(columnOf(figure, x))}
          x={{ dataKey: name ?? x, interval: "preserveStartEnd", minTickGap: 14 }}
          y={roundScale(0, Math.max(most, ...guides.map(({ value }) => value)), 4, true)}
          tip={tipOf(figure, title, x)}
          over="column"
        >
          <Bar dataKey={solid} {...part}>
            {cells(solid, ink)}
          </Bar>
          <Bar dataKey={(row: R) => Math.max(NOTHING, hollow(row))} {...part}>
            {cells(hollow, () => "var(--paper-raised)")}
            {rows.length <= MOST_LABELS && (
              <LabelList
                dataKey={(row: R) => (total(row) > 0 ? count(total(row)) : "")}
                position="top"
                {...TICK}
              />
            )}
          </Bar>
        </Chart>
      ),
    };
  };
}

const EXACT = "Full: exact, hollow: not exact.";

export const stepsFigure: PictureOf<"steps-histogram"> = bars<RowOf<"steps-histogram">>({
  ...{ x: "from", along: "steps", up: "facts", full: "exact", below: EXACT },
  name: ({ from, to }) => (from === to ? `${from}` : `${from}–${to}`),
  title: ({ from, to }) => (from === to ? counted(from, "step") : `${from}–${counted(to, "step")}`),
  rest: ({ inexact }) => inexact,
  color: () => "var(--verdigris)",
});

export const factsPerLayerFigure: PictureOf<"facts-per-layer"> = bars<RowOf<"facts-per-layer">>({
  ...{ x: "layer", up: "facts", full: "exact", below: EXACT },
  title: ({ layer }) => `Layer ${layer}`,
  rest: ({ facts, exact }) => facts - exact,
  color: ({ layer }) => layerColor(layer),
  // C counts vectors: a line among bars of facts is right only if every fact has one vector.
  guided: (rows) => rows.every(({ facts, vectors }) => facts === vectors),
});

const MOST_POINTS = 400;
const NAMED = 24;

export const marginsFigure: PictureOf<"margins"> = (figure, beside) => {
  const { rows, guides } = figure;
  const limit = guides[0]!;
  const below = rows.filter(({ margin }) => margin !== null && margin < limit.value);
  // A fact in parts has several keys, which are deleted together.
  const ofOthers = below.filter(({ fact, rivalFact }) => rivalFact !== fact).length;
  const widest = largest(bothRows(figure, beside), ({ margin }) => margin, 1e-9);
  const near = nearGuides(guides, widest);
  const most = Math.max(rows.length, beside?.rows.length ?? 0);
  const meaning =
    rows.length === 1
      ? "There is no other key at this layer."
      : `Below 1 − θ (${counted(below.length, "key")} of ${rows.length}) a prompt also opens the gate for the nearest other key. For ${ofOthers} it is the key of another fact, and the gate would still open after its own fact is deleted.${near.length > 0 ? "" : ` ${limit.label} is beyond this scale.`}`;
  const top = Math.max(widest, ...near.map(({ value }) => value));
  const tip = tipOf(figure, ({ rank, key }) => `${rank}: ${key}`, "rank", "key");
  return {
    summary: `${summaryOf(figure, "key", "margin")} ${meaning}`,
    below: meaning,
    draw: (room) =>
      most <= NAMED ? (
        <NamedBars
          {...{ room, rows, tip, guides: near }}
          name={({ key }) => key}
          value={({ margin }) => margin ?? 0}
          top={top * 1.04}
          text={({ margin, rival }) =>
            margin === null ? "alone" : `${marginText(margin)} to ${rival ?? ""}`
          }
          color={() => "var(--lapis)"}
        />
      ) : (
        <Chart
          {...{ room, tip, guides: near }}
          rows={spreadIndices(rows.length, MOST_POINTS).map((i) => rows[i]!)}
          x={{ dataKey: "rank", type: "number", domain: [1, most] }}
          y={roundScale(0, top)}
          along="keys, smallest margin first"
          up="margin (cosine)"
        >
          <Area dataKey="margin" stroke="var(--lapis)" fill="var(--lapis)" fillOpacity={0.18} {...STILL} />
        </Chart>
      ),
  };
};

export const marginText = (margin: number): string =>
  margin === 0 || Math.abs(margin) >= 0.01 ? margin.toFixed(2).replace("-", "−") : numberText(margin, 2);

const NARROWEST = 26;

export const tokenLogitsFigure: PictureOf<"token-logits"> = (figure) => {
  const { rows } = figure;
  const logits = rows.flatMap((row) => [row.rightWith, row.rightWithout, row.chosenWith]);
  const points = { stroke: "none", activeDot: false, ...STILL } as const;
  return {
    summary: summaryOf(figure, "right", "rightWith"),
    below: "Full: the right token with δ, hollow: without. Black: the chosen token, if it is another one.",
    draw: (room) => (
      <div className={s.scroller}>
        <Chart
          room={{ ...room, width: Math.max(room.width, rows.length * NARROWEST + 60) }}
          {...{ rows, height: 280, along: "", up: "logit" }}
          x={{
            ...{ dataKey: "step", interval: 0, angle: -90, height: 66 },
            tickFormatter: (step: number) => tokenText(rows[step - 1]?.right ?? "").slice(0, 11),
            tick: { fontSize: 13, fill: "var(--ink)", textAnchor: "end", dx: -5 },
          }}
          y={roundScale(Math.min(0, Math.floor(Math.min(...logits) / 5) * 5), Math.max(...logits), 6)}
          tip={tipOf(figure, ({ right }) => tokenText(right), "step", "right", "exact")}
        >
          <Bar
            dataKey={({ rightWith, rightWithout }: RowOf<"token-logits">) => [rightWithout, rightWith]}
            barSize={2}
            fill="var(--rubric)"
            {...STILL}
          />
          <Line
            {...points}
            dataKey="rightWithout"
            dot={{ r: 3.5, fill: "var(--paper)", stroke: "var(--ink-soft)" }}
          />
          <Line {...points} dataKey="rightWith" dot={{ r: 4, fill: "var(--rubric)" }} />
          <Line
            {...points}
            dataKey={({ exact, chosenWith }: RowOf<"token-logits">) => (exact ? null : chosenWith)}
            dot={{ r: 3.5, fill: "var(--ink)" }}
          />
        </Chart>
      </div>
    ),
  };
};

type Probed = RowOf<"layer-probe">;

export const layerProbeFigure: PictureOf<"layer-probe"> = (figure, beside) => {
  const { rows } = figure;
  const most = largest(bothRows(figure, beside), ({ work }) => work, 1e-9);
  const panels = [
    {
      heading: "exact",
      value: ({ exactRate }: Probed) => exactRate,
      text: ({ exactRate }: Probed) => shareText(exactRate),
      span: ({ low, high }: Probed) => (low === null || high === null ? null : ([low, high] as const)),
    },
    {
      heading: "fidelity",
      value: ({ fidelity }: Probed) => fidelity,
      text: ({ fidelity }: Probed) => fidelity.toFixed(3),
    },
    {
      heading: "layers run per fact",
      value: ({ work }: Probed) => work ?? 0,
      text: ({ work }: Probed) => (work === null ? "–" : numberText(work)),
      top: most,
    },
  ];
  return {
    summary: summaryOf(figure, "layer", "exactRate"),
    below: "Full: chosen, with its rank. Hollow: not chosen.",
    draw: (room) => (
      <Row wrap gap="0.75rem 24px">
        {panels.map((panel) => (
          <NamedBars
            key={panel.heading}
            room={panelRoom(room, panels.length, 200)}
            {...{ rows, top: 1, ...panel }}
            name={({ layer, rank, chosen }) => (chosen ? `${layer}, #${rank}` : String(layer))}
            hollow={({ chosen }) => !chosen}
            color={({ layer }) => layerColor(layer)}
            tip={tipOf(figure, ({ layer }) => `Layer ${layer}`, "layer", "work", "cost")}
          />
        ))}
      </Row>
    ),
  };
};

export const competitorsFigure: PictureOf<"competitor-weights"> = (figure) => {
  const weightText = (weight: number): string => (weight < 0.001 ? "<0.001" : weight.toFixed(3));
  return {
    summary: summaryOf(figure, "key", "weight"),
    below: "Blue: the fact’s own key. α: weight in the soft read, s: similarity.",
    draw: (room) => (
      <NamedBars
        {...{ room, rows: figure.rows }}
        name={({ key }) => key}
        value={({ weight }) => weight}
        top={1}
        text={({ weight, similarity }) => `α ${weightText(weight)}, s ${similarity.toFixed(3)}`}
        color={({ own }) => (own ? "var(--lapis)" : "var(--ink-soft)")}
        tip={tipOf(figure, ({ rank, key }) => `${rank}: ${key}`, "rank", "key", "own")}
      />
    ),
  };
};

const DECISIONS = { candidates: "Sentences, by decision", anchors: "Anchors, by origin" } as const;
const ACCEPTED: Readonly<Record<string, string>> = {
  kept: "var(--ink)",
  "proposal accepted": "var(--verdigris)",
};

export const reasonsFigure: PictureOf<"extraction-reasons"> = ({ rows, caption }) => {
  const [top] = rows;
  const nameOf = ({ outcome, why }: RowOf<"extraction-reasons">): string =>
    why === "" ? outcome : `${outcome}: ${why}`;
  return {
    summary: `${caption} Most often kept for: ${top?.why ?? "nothing"}, ${counted(top?.count ?? 0, "sentence")}.`,
    draw: (room) => (
      <Row wrap gap="0.75rem 24px">
        {(["candidates", "anchors"] as const).map((decided) => {
          const own = rows.filter((row) => row.decided === decided);
          return own.length === 0 ? null : (
            <NamedBars
              key={decided}
              room={panelRoom(room, 2, 440)}
              rows={own}
              heading={DECISIONS[decided]}
              name={nameOf}
              value={(row) => row.count}
              top={largest(own, (row) => row.count, 1)}
              text={(row) => `${count(row.count)}, ${shareText(row.share)}`}
              color={({ outcome }) => ACCEPTED[outcome] ?? "var(--ochre)"}
              hollow={({ outcome }) => !(outcome in ACCEPTED)}
              tip={(row) => [
                nameOf(row),
                row.samples === "" ? [] : row.samples.split(" ¶ ").map((sample, i) => [`${i + 1}.`, sample]),
              ]}
            />
          );
        })}
      </Row>
    ),
  };
};

const [LANE, LANE_GAP] = [40, 20];
const LANES = [
  { name: "sentence", by: "", color: "var(--ink-faint)", of: "sentences" },
  { name: "candidate", by: "", color: "var(--ink)", of: "candidates" },
  { name: "anchor", by: ", by the model", color: "var(--lapis)", of: "byModel" },
  { name: "anchor", by: ", by rule", color: "var(--ochre)", of: "byRule" },
] as const;

export const stripFigure: PictureOf<"extraction-strip"> = ({ rows, caption }) => ({
  summary: caption,
  still: true,
  draw: ({ width, pick }) => (
    <div
      style={pick ? { cursor: "pointer" } : undefined}
      onClick={({ clientX, currentTarget }) => {
        const share = (clientX - currentTarget.getBoundingClientRect().left) / width;
        const row = rows[Math.floor(share * rows.length)];
        if (row) pick?.(row);
      }}
    >
      {lanes(rows, width)}
    </div>
  ),
});

function lanes(rows: readonly RowOf<"extraction-strip">[], width: number) {
  const most = largest(rows, ({ sentences }) => sentences, 1);
  const step = width / rows.length;
  const end = rows.at(-1)?.to ?? 1;
  const height = 12 + LANES.length * (LANE + LANE_GAP);
  return (
    <svg width={width} height={height + 18} fontSize={13} fill="var(--ink-soft)">
      {LANES.map(({ name, by, color, of }, lane) => {
        const named = (n: number): string => `${n === 1 ? name : `${name}s`}${by}`;
        const total = rows.reduce((sum, row) => sum + row[of], 0);
        const base = 12 + (lane + 1) * (LANE + LANE_GAP) - 8;
        return (
          <g key={name + by}>
            <text x={0} y={base - LANE + 2}>
              <tspan fill={color === "var(--ink-faint)" ? "var(--ink-soft)" : color} fontWeight={600}>
                {count(total)}
              </tspan>{" "}
              {named(total)}
            </text>
            <line x1={0} x2={width} y1={base + 0.5} y2={base + 0.5} stroke="var(--hairline)" />
            {rows.map((row, i) => {
              const tall = Math.max(2, (row[of] / most) * (LANE - 10));
              return row[of] === 0 ? null : (
                <rect
                  key={row.from}
                  {...{ x: i * step, y: base - tall, width: Math.max(1, step - 0.6), height: tall }}
                  fill={color}
                >
                  <title>{`characters ${count(row.from)} to ${count(row.to)}: ${row[of]} ${named(row[of])}`}</title>
                </rect>
              );
            })}
          </g>
        );
      })}
      {ticks(0, end, Math.max(2, width / 120)).map((value) => {
        const x = Math.min(width, (value / end) * width);
        const anchor = x < 30 ? "start" : x > width - 30 ? "end" : "middle";
        return (
          <text key={value} x={x} y={height + 12} textAnchor={anchor}>
            {count(value)}
          </text>
        );
      })}
    </svg>
  );
}
