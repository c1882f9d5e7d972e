/** @file A gate sweep as a heat map: θ across, β down, the measure as colour and number, one panel for each kind of fact. */

import type { Column } from "../../figures/figure.ts";
import type { RowOf } from "../../figures/registry.ts";
import { HeatCell } from "./kit/Across.tsx";
import { Marked } from "./kit/Marked.tsx";
import type { PictureOf, Room } from "./kit/picture.ts";
import type { TipWords } from "./kit/recharts.tsx";
import { bothRows, distinct, largest, rowOfMost } from "./kit/scale.ts";
import { behindShare, numberText } from "./kit/text.ts";

type Row = RowOf<"gate-grid">;

const ROW = 34;
const TOP = 30;
const LEFT = 46;
/** Pixels of the numbers of θ. */
const FOOT = 38;
/** Between panels. */
const GAP = 20;

export const gateGridFigure: PictureOf<"gate-grid"> = (figure, beside) => {
  const { rows, columns } = figure;
  const best = rowOfMost(rows, ({ value }) => value ?? -1);
  return {
    interactive: true,
    summary: `Highest: ${numberText(best?.value ?? NaN)} at θ = ${best?.theta ?? ""}, β = ${best?.beta ?? ""}.`,
    draw: (room) => (
      <Panels
        room={room}
        rows={rows}
        column={columns.find(({ name }) => name === "value")!}
        top={largest(bothRows(figure, beside), ({ value }) => value, 1)}
      />
    ),
  };
};

function Panels({
  room,
  rows,
  column,
  top,
}: {
  readonly room: Room<Row>;
  readonly rows: readonly Row[];
  /** Of the value. */
  readonly column: Column;
  /** The value with the strongest colour. */
  readonly top: number;
}) {
  const thetas = distinct(rows, ({ theta }) => theta);
  const betas = distinct(rows, ({ beta }) => beta).reverse();
  const kinds = [...new Set(rows.map(({ kind }) => kind))];
  const panel = (room.width - LEFT - (kinds.length - 1) * GAP) / kinds.length;
  const pitch = panel / thetas.length;
  const left = (kind: string): number => LEFT + kinds.indexOf(kind) * (panel + GAP);
  const x = (kind: string, theta: number): number => left(kind) + (thetas.indexOf(theta) + 0.5) * pitch;
  const y = (beta: number): number => TOP + (betas.indexOf(beta) + 0.5) * ROW;
  const place = ({ kind, theta, beta }: Row) => ({ x: x(kind, theta), y: y(beta) });
  const bottom = TOP + betas.length * ROW;
  const said = ({ value }: Row): string => (value === null ? "–" : numberText(value, 2));
  const tip = (row: Row): TipWords => [
    `θ = ${row.theta}, β = ${row.beta}`,
    [[row.kind, `${said(row)}${behindShare(column, row)}`]],
  ];
  return (
    <Marked room={room} rows={rows} at={place} reach={Math.max(pitch, ROW)} tip={tip}>
      <svg width={room.width} height={bottom + FOOT} fontSize={11.5} fill="var(--ink-soft)">
        <text x={LEFT - 8} y={14} textAnchor="end">
          β
        </text>
        <text x={room.width} y={bottom + 32} textAnchor="end">
          θ (cosine)
        </text>
        {betas.map((beta) => (
          <text key={beta} x={LEFT - 8} y={y(beta) + 4} textAnchor="end">
            {beta}
          </text>
        ))}
        {kinds.map((kind) => (
          <g key={kind}>
            {kinds.length > 1 && (
              <text x={left(kind) + panel / 2} y={14} textAnchor="middle">
                {kind}
              </text>
            )}
            {thetas.map((theta) => (
              <text key={theta} x={x(kind, theta)} y={bottom + 15} textAnchor="middle">
                {theta}
              </text>
            ))}
          </g>
        ))}
        {rows.map((row, i) => (
          <HeatCell
            key={i}
            {...place(row)}
            width={pitch - 1.5}
            height={ROW - 1.5}
            share={(row.value ?? 0) / top}
          >
            {said(row)}
          </HeatCell>
        ))}
      </svg>
    </Marked>
  );
}
