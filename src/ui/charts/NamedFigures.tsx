/** @file Figures of named bars: the layer probe, competing keys, margins, extraction, and where questions fail. */

import { Area, AreaChart, Bar, BarChart, LabelList, ReferenceLine, XAxis, YAxis } from "recharts";
import type { FigureOf, RowOf } from "../../figures/registry.ts";
import { spreadIndices } from "../../figures/stats.ts";
import { count, counted } from "../format.ts";
import { layerOf } from "./kit/colors.ts";
import { FONT, textWidth } from "./kit/measure.ts";
import { barsProps, nameAxis, nameColumn, NamedBars } from "./kit/NamedBars.tsx";
import type { PictureOf, Room } from "./kit/picture.ts";
import { Axes, chartProps, Hover, pickProps, STILL, TICK, type TipWords } from "./kit/recharts.tsx";
import { bothRows, largest } from "./kit/scale.ts";
import { numberText, shareText, spanText } from "./kit/text.ts";
import { Row } from "../controls/layout.tsx";

/** The room of each of `count` panels that are placed side by side if there is room. */
function panelRoom<R extends Room<never>>(room: R, panels: number, narrowest: number): R {
  const across = Math.max(1, Math.min(panels, Math.floor(room.width / narrowest)));
  return { ...room, width: Math.floor((room.width - (across - 1) * 24) / across) };
}

export const layerProbeFigure: PictureOf<"layer-probe"> = (figure, beside) => {
  const { rows } = figure;
  const best = rows.find(({ rank }) => rank === 1);
  const chosen = rows.filter((row) => row.chosen).map(({ layer }) => layer);
  const most = largest(bothRows(figure, beside), ({ work }) => work, 1e-9);
  type Probed = RowOf<"layer-probe">;
  const tip = (row: Probed): TipWords => [
    `Layer ${row.layer}, rank ${row.rank}`,
    [
      ["exact", shareText(row.exactRate)],
      ["fidelity", numberText(row.fidelity)],
      ["", row.why],
    ],
  ];
  return {
    interactive: true,
    summary: `${counted(rows.length, "layer")} probed, chosen: ${chosen.join(", ")}. Best is layer ${best?.layer ?? "none"}: exact ${shareText(best?.exactRate ?? 0)}, fidelity ${numberText(best?.fidelity ?? 0)}.`,
    below: "Full: chosen, with its rank. Hollow: not chosen.",
    draw: (room) => {
      const panel = panelRoom(room, 3, 200);
      const common = {
        ...{ room: panel, rows, tip },
        name: ({ layer, rank, chosen: full }: Probed) => (full ? `${layer}, #${rank}` : String(layer)),
        hollow: ({ chosen: full }: Probed) => !full,
        color: ({ layer }: Probed) => layerOf(layer),
      };
      return (
        <Row wrap gap="0.75rem 24px">
          <NamedBars
            {...common}
            heading="exact"
            value={({ exactRate }) => exactRate}
            top={1}
            text={({ exactRate }) => shareText(exactRate)}
            span={({ low, high }) => (low === null || high === null ? null : [low, high])}
          />
          <NamedBars
            {...common}
            heading="fidelity"
            value={({ fidelity }) => fidelity}
            top={1}
            text={({ fidelity }) => fidelity.toFixed(3)}
          />
          <NamedBars
            {...common}
            heading="layers run per fact"
            value={({ work }) => work ?? 0}
            top={most}
            text={({ work }) => (work === null ? "–" : numberText(work))}
          />
        </Row>
      );
    },
  };
};

export const competitorsFigure: PictureOf<"competitor-weights"> = ({ rows }) => {
  const [first, second] = rows;
  const weightText = (weight: number): string => (weight < 0.001 ? "<0.001" : weight.toFixed(3));
  return {
    interactive: true,
    summary: `${first?.key ?? "Nothing"} has weight ${numberText(first?.weight ?? NaN)}${second ? `, then ${second.key} with ${numberText(second.weight)}` : ""}.`,
    below: "Blue: the fact’s own key. α: weight in the soft read, s: similarity.",
    draw: (room) => (
      <NamedBars
        {...{ room, rows }}
        name={({ key }) => key}
        value={({ weight }) => weight}
        top={1}
        text={({ weight, similarity }) => `α ${weightText(weight)}, s ${similarity.toFixed(3)}`}
        color={({ own }) => (own ? "var(--lapis)" : "var(--ink-soft)")}
        tip={({ rank, key, weight, similarity }) => [
          `${rank}: ${key}`,
          [
            ["weight α", numberText(weight)],
            ["similarity", numberText(similarity)],
          ],
        ]}
      />
    ),
  };
};

type MarginRow = RowOf<"margins">;

/** 1 − θ is drawn if the widest margin reaches this share of it; otherwise it would flatten all margins. */
const NEAR = 0.2;
/** Points of the curve of margins. */
const MOST_POINTS = 400;
/** Up to this many keys have a bar each. */
const NAMED = 24;

const marginTip = ({ rank, key, rival, margin }: MarginRow): TipWords => [
  `${rank}: ${key}`,
  [
    ["nearest other key", rival ?? "none"],
    ["margin", numberText(margin ?? NaN)],
  ],
];

export const marginsFigure: PictureOf<"margins"> = (figure, beside) => {
  const { rows } = figure;
  const guide = figure.guides[0]!;
  const below = rows.filter(({ margin }) => margin !== null && margin < guide.value);
  // A fact in parts has several keys, which are deleted together.
  const ofOthers = below.filter(({ fact, rivalFact }) => rivalFact !== fact).length;
  const widest = largest(bothRows(figure, beside), ({ margin }) => margin, 1e-9);
  const near = widest >= NEAR * guide.value;
  const most = Math.max(rows.length, beside?.rows.length ?? 0);
  const meaning =
    rows.length === 1
      ? "There is no other key at this layer."
      : `Below 1 − θ (${counted(below.length, "key")} of ${rows.length}) a prompt also opens the gate for the nearest other key. For ${ofOthers} it is the key of another fact, and the gate would still open after its own fact is deleted.${near ? "" : ` ${guide.label} is beyond this scale.`}`;
  const top = near ? Math.max(widest, guide.value) : widest;
  const [first] = rows;
  return {
    interactive: true,
    summary: `Smallest margin ${numberText(first?.margin ?? NaN)}, ${first?.key ?? ""} and ${first?.rival ?? "no other key"}. ${meaning}`,
    below: meaning,
    draw: (room) =>
      most <= NAMED ? (
        <NamedBars
          {...{ room, rows }}
          name={({ key }) => key}
          value={({ margin }) => margin ?? 0}
          top={top * 1.04}
          text={({ margin, rival }) =>
            margin === null ? "alone" : `${marginText(margin)} to ${rival ?? ""}`
          }
          color={() => "var(--lapis)"}
          guide={near ? guide : null}
          tip={marginTip}
        />
      ) : (
        <RankedMargins {...{ room, rows, most, top }} guide={near ? guide : null} />
      ),
  };
};

/** Hundredths, so that all margins have as many digits; small ones with two significant digits. */
export const marginText = (margin: number): string =>
  margin === 0 || Math.abs(margin) >= 0.01 ? margin.toFixed(2).replace("-", "−") : numberText(margin, 2);

function RankedMargins({
  room,
  rows,
  most,
  top,
  guide,
}: {
  readonly room: Room<MarginRow>;
  readonly rows: readonly MarginRow[];
  /** Rows of the longer of two figures. */
  readonly most: number;
  readonly top: number;
  readonly guide: FigureOf<"margins">["guides"][0] | null;
}) {
  const points = spreadIndices(rows.length, MOST_POINTS).map((i) => ({ ...rows[i]! }));
  return (
    <AreaChart {...chartProps(room, 240)} {...pickProps(room, points)} data={points}>
      <Axes
        x={{ dataKey: "rank", type: "number", domain: [1, most] }}
        along="keys, smallest margin first"
        up="margin (cosine)"
        top={top}
      />
      <Area dataKey="margin" stroke="var(--lapis)" fill="var(--lapis)" fillOpacity={0.18} {...STILL} />
      {guide && (
        <ReferenceLine
          y={guide.value}
          stroke="var(--lapis)"
          strokeDasharray="4 3"
          label={{ ...TICK, value: guide.label, position: "insideTopRight", fill: "var(--lapis)" }}
        />
      )}
      <Hover tip={marginTip} />
    </AreaChart>
  );
}

const DECISIONS = { candidates: "Sentences, by decision", anchors: "Anchors, by origin" } as const;
const ACCEPTED: Readonly<Record<string, string>> = {
  kept: "var(--ink)",
  "proposal accepted": "var(--verdigris)",
};

export const reasonsFigure: PictureOf<"extraction-reasons"> = ({ rows, caption }) => {
  const [top] = rows;
  const accepted = rows.find(({ outcome }) => outcome === "proposal accepted");
  return {
    interactive: true,
    summary: `${caption} Most often kept for: ${top?.why ?? "nothing"}, ${counted(top?.count ?? 0, "sentence")}. ${counted(accepted?.count ?? 0, "proposal")} of the model accepted.`,
    draw: (room) => {
      const panel = panelRoom(room, 2, 440);
      return (
        <Row wrap gap="0.75rem 24px">
          {(["candidates", "anchors"] as const).map((decided) => {
            const own = rows.filter((row) => row.decided === decided);
            return own.length === 0 ? null : (
              <NamedBars
                key={decided}
                room={panel}
                rows={own}
                heading={DECISIONS[decided]}
                name={({ outcome, why }) => (why === "" ? outcome : `${outcome}: ${why}`)}
                value={(row) => row.count}
                top={largest(own, (row) => row.count, 1)}
                text={(row) => `${count(row.count)}, ${shareText(row.share)}`}
                color={({ outcome }) => ACCEPTED[outcome] ?? "var(--ochre)"}
                hollow={({ outcome }) => !(outcome in ACCEPTED)}
                tip={({ outcome, why, samples }) => [
                  `${outcome}${why === "" ? "" : `: ${why}`}`,
                  samples === ""
                    ? []
                    : samples.split(" ¶ ").map((sample, i) => [`${i + 1}.`, sample] as const),
                ]}
              />
            );
          })}
        </Row>
      );
    },
  };
};

type Outcome = RowOf<"attribution">;

/** Colours of the outcomes of a question, in order. */
const OUTCOMES: Readonly<Record<string, string>> = {
  right: "var(--verdigris)",
  extraction: "var(--ochre)",
  routing: "var(--lapis)",
  reconstruction: "var(--rubric)",
  answer: "var(--layer-8)",
  unattributed: "var(--ink-soft)",
};

export const attributionFigure: PictureOf<"attribution"> = ({ rows }) => {
  const shown = rows.filter(({ samples }) => samples > 0);
  const failed = shown.filter(({ outcome }) => outcome !== "right");
  const sum = failed.reduce((all, { samples }) => all + samples, 0);
  const bars = new Map<string, Outcome[]>();
  for (const row of shown) bars.set(barName(row), [...(bars.get(barName(row)) ?? []), row]);
  return {
    interactive: true,
    summary: `${counted(sum, "question")} failed: ${failed.map(({ outcome, samples }) => `${outcome} ${samples}`).join(", ") || "none"}.`,
    draw: (room) => <Outcomes room={room} bars={[...bars].map(([name, outcomes]) => ({ name, outcomes }))} />,
  };
};

const barName = ({ task, length, method }: Outcome): string =>
  [task, length, method === "ours" ? "" : method].filter((part) => part !== "").join(" ");

interface OutcomeBar {
  readonly name: string;
  readonly outcomes: readonly Outcome[];
}

function Outcomes({
  room,
  bars,
}: {
  readonly room: Pick<Room, "width" | "label">;
  readonly bars: readonly OutcomeBar[];
}) {
  const column = nameColumn(
    bars.map(({ name }) => name),
    room.width,
  );
  const names = Object.keys(OUTCOMES).filter((name) =>
    bars.some(({ outcomes }) => outcomes.some(({ outcome }) => outcome === name)),
  );
  const find = ({ outcomes }: OutcomeBar, name: string) => outcomes.find(({ outcome }) => outcome === name);
  const widths = names.map((name) => textWidth(name, FONT.label) + 30);
  return (
    <BarChart {...barsProps(room, bars.length, { right: 12 })} data={bars}>
      {names.map((name, i) => (
        <g key={name} transform={`translate(${widths.slice(0, i).reduce((all, one) => all + one, 0)} 0)`}>
          <rect y={2} width={11} height={11} fill={OUTCOMES[name]} />
          <text x={16} y={12} {...TICK}>
            {name}
          </text>
        </g>
      ))}
      <XAxis type="number" domain={[0, 1]} hide />
      <YAxis {...nameAxis(({ name }: OutcomeBar) => name, column)} />
      <Hover
        over="column"
        tip={({ name, outcomes }: OutcomeBar) => [
          name,
          outcomes.map((row) => [
            row.outcome,
            `${row.samples} of ${row.n ?? 0}, ${shareText(row.share)} (${intervalText(row)})${row.checked > 0 ? `, ${row.confirmed} of ${row.checked} confirmed by the oracle` : ""}`,
          ]),
        ]}
      />
      {names.map((name) => (
        <Bar
          key={name}
          stackId="outcomes"
          dataKey={(bar: OutcomeBar) => find(bar, name)?.share ?? 0}
          fill={OUTCOMES[name]!}
          stroke="var(--paper)"
          {...STILL}
        >
          <LabelList
            dataKey={(bar: OutcomeBar) => find(bar, name)?.samples ?? ""}
            position="center"
            fontSize={11.5}
            fill="var(--on-ink)"
          />
        </Bar>
      ))}
    </BarChart>
  );
}

const intervalText = ({ low, high, n }: Outcome): string =>
  low === null || high === null || n === null ? "no interval" : spanText({ low, high, n });
