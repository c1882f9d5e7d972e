/** @file How close a layer is to confusion: the margin of every key, smallest first, against 1 − θ. */

import { Area, AreaChart, ReferenceLine } from "recharts";
import type { FigureOf, RowOf } from "../../figures/registry.ts";
import { spreadIndices } from "../../figures/stats.ts";
import { counted } from "../format.ts";
import { BarList } from "./kit/BarList.tsx";
import type { PictureOf, Room } from "./kit/picture.ts";
import { Axes, chartProps, Hover, pickProps, TICK, type TipWords } from "./kit/recharts.tsx";
import { bothRows, largest } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

type Row = RowOf<"margins">;

/** 1 − θ is drawn where the widest margin reaches this share of it; far above all margins, it would flatten them. */
const NEAR = 0.2;

/** Points of the curve; more could not be told apart. */
const MOST_POINTS = 400;

/** Up to so many facts each has a bar with its name. */
const NAMED = 24;

const tip = ({ rank, key, rival, margin }: Row): TipWords => [
  `${rank}: ${key}`,
  [
    ["nearest", rival ?? "none"],
    ["margin", numberText(margin ?? NaN)],
  ],
];

export const marginsFigure: PictureOf<"margins"> = (figure, beside) => {
  const { rows } = figure;
  const guide = figure.guides[0]!;
  const below = rows.filter(({ margin }) => margin !== null && margin < guide.value);
  // A fact in parts has several keys, and a deletion takes them all.
  const ofOthers = below.filter(({ fact, rivalFact }) => rivalFact !== fact).length;
  const widest = largest(bothRows(figure, beside), ({ margin }) => margin, 1e-9);
  const near = widest >= NEAR * guide.value;
  const many = Math.max(rows.length, beside?.rows.length ?? 0);
  const meaning =
    rows.length === 1
      ? "With one key there is no other to take it for."
      : `Below 1 − θ (${counted(below.length, "key")} of ${rows.length}) a prompt opens the gate by the nearest other key too: that of another fact at ${ofOthers}, where the prompt would open the gate still after its fact is deleted.${near ? "" : ` ${guide.label} lies beyond this scale.`}`;
  const drawn = { top: near ? Math.max(widest, guide.value) : widest, guide: near ? guide : null };
  const [first] = rows;
  return {
    interactive: many > NAMED,
    summary: `Smallest margin ${numberText(first?.margin ?? NaN)}, ${first?.key ?? ""} against ${first?.rival ?? "nothing"}. ${meaning}`,
    below: meaning,
    draw: (room) =>
      many <= NAMED ? (
        <Named room={room} rows={rows} {...drawn} />
      ) : (
        <Ranked room={room} rows={rows} many={many} {...drawn} />
      ),
  };
};

/** Hundredths, so that margins under each other have as many digits; smaller ones with two that count. */
export const marginText = (margin: number): string =>
  margin === 0 || Math.abs(margin) >= 0.01 ? margin.toFixed(2).replace("-", "−") : numberText(margin, 2);

interface Drawn {
  readonly room: Room<Row>;
  readonly rows: readonly Row[];
  readonly top: number;
  readonly guide: FigureOf<"margins">["guides"][0] | null;
}

function Named({ room: { width, pick }, rows, top, guide }: Drawn) {
  return (
    <BarList
      width={width}
      domain={[0, top * 1.04]}
      tick={guide}
      bars={rows.map((row) => ({
        name: row.key,
        value: row.margin ?? 0,
        said: row.margin === null ? "alone" : `${marginText(row.margin)} to ${row.rival}`,
        color: "var(--lapis)",
        pick: pick && (() => pick(row)),
      }))}
    />
  );
}

function Ranked({ room, rows, many, top, guide }: Drawn & { readonly many: number }) {
  const points = spreadIndices(rows.length, MOST_POINTS).map((i) => ({ ...rows[i]! }));
  const paint = { stroke: "var(--lapis)", isAnimationActive: false } as const;
  return (
    <AreaChart {...chartProps(room, 240)} {...pickProps(room, points)} data={points}>
      <Axes
        x={{ dataKey: "rank", type: "number", domain: [1, many] }}
        along="keys, smallest margin first"
        up="margin (cosine)"
        top={top}
      />
      <Area dataKey="margin" {...paint} fill="var(--lapis)" fillOpacity={0.18} />
      {guide && (
        <ReferenceLine
          y={guide.value}
          stroke="var(--lapis)"
          strokeDasharray="4 3"
          label={{ ...TICK, value: guide.label, position: "insideTopRight", fill: "var(--lapis)" }}
        />
      )}
      <Hover tip={tip} />
    </AreaChart>
  );
}
