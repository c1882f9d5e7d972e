/** @file Facts per storage layer against C: exact ones full, the others hollow, C as a line or in words. */

import { Bar, BarChart, Cell, LabelList, ReferenceLine } from "recharts";
import type { RowOf } from "../../figures/registry.ts";
import { count, counted } from "../format.ts";
import { layerOf } from "./kit/colors.ts";
import type { PictureOf, Room } from "./kit/picture.ts";
import { Axes, chartProps, Hover, Legend, pickProps, STACK, TICK, type TipWords } from "./kit/recharts.tsx";
import { bothRows, distinct, largest, rowOfMost } from "./kit/scale.ts";
import { numberText } from "./kit/text.ts";

type Row = RowOf<"facts-per-layer">;

const tip = ({ layer, facts, exact, capacity, share }: Row): TipWords => [
  `Layer ${layer}: ${counted(facts, "fact")}`,
  [
    ["exact", count(exact)],
    [`of C = ${count(capacity)}`, `${numberText(share * 100)} %`],
  ],
];

/** Not quite nothing: a part of no height would lose the number above it. */
const NONE = 1e-6;

/**
 * C is drawn where the fullest layer reaches this share of it; below, it would flatten everything else. It counts
 * vectors, so among bars of facts it has a place only where each takes one.
 */
const NEAR = 0.3;

export const factsPerLayerFigure: PictureOf<"facts-per-layer"> = (figure, beside) => {
  const both = bothRows(figure, beside);
  const capacity = figure.rows[0]?.capacity ?? 0;
  const rows = distinct(both, ({ layer }) => layer).map(
    (layer): Row =>
      figure.rows.find((row) => row.layer === layer) ?? {
        layer,
        facts: 0,
        exact: 0,
        vectors: 0,
        capacity,
        share: 0,
      },
  );
  const fullest = rowOfMost(rows, ({ share }) => share)!;
  const near = both.some(({ share, facts, vectors }) => share >= NEAR && vectors === facts);
  const top = largest(both, (row) => (near ? Math.max(row.facts, row.capacity) : row.facts));
  const fill = `layer ${fullest.layer} is fullest: ${numberText(fullest.share * 100)} % of C = ${count(capacity)}`;
  const legend = (width: number) => (width < 480 ? `C = ${count(capacity)}, far above` : fill);
  return {
    interactive: true,
    summary: `${figure.caption} Of these layers, ${fill}.`,
    draw: (room) => (
      <Bars room={room} rows={rows} top={top} limit={near ? capacity : null}>
        {near ? null : legend(room.width)}
      </Bars>
    ),
  };
};

function Bars({
  room,
  rows,
  top,
  limit,
  children,
}: {
  readonly room: Room<Row>;
  readonly rows: readonly Row[];
  readonly top: number;
  /** C, where it is drawn. */
  readonly limit: number | null;
  /** Words for it, where it is not. */
  readonly children: string | null;
}) {
  const cells = (fill: (layer: number) => string) =>
    rows.map(({ layer }) => <Cell key={layer} fill={fill(layer)} stroke={layerOf(layer)} />);
  const C = {
    ...TICK,
    fill: "var(--lapis)",
    value: `C = ${count(limit ?? 0)}`,
    position: "insideBottomRight",
  } as const;
  return (
    <BarChart {...chartProps(room, 220)} {...pickProps(room, rows)} data={rows}>
      <Axes
        x={{ dataKey: "layer" }}
        along="layer ℓ"
        up="facts, full where exact"
        top={top}
        whole
        width={46}
      />
      {children && (
        <Legend room={room} fill="var(--lapis)">
          {children}
        </Legend>
      )}
      <Hover tip={tip} over="column" />
      <Bar dataKey="exact" maxBarSize={56} {...STACK}>
        {cells(layerOf)}
      </Bar>
      <Bar dataKey={({ facts, exact }: Row) => Math.max(NONE, facts - exact)} maxBarSize={56} {...STACK}>
        {cells(() => "var(--paper-raised)")}
        {rows.length <= 24 && (
          <LabelList
            dataKey="facts"
            position="top"
            fontSize={11.5}
            fill="var(--ink)"
            formatter={(value) => count(Number(value))}
          />
        )}
      </Bar>
      {limit !== null && <ReferenceLine y={limit} stroke="var(--lapis)" strokeDasharray="4 3" label={C} />}
    </BarChart>
  );
}
