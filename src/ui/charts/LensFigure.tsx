/** @file The logit lens: layers down, decoded tokens across, the right token's probability as colour, the likeliest token as word. */

import type { RowOf } from "../../figures/registry.ts";
import { HeatCell, TokenOnEnd } from "./kit/Across.tsx";
import { Marked } from "./kit/Marked.tsx";
import { cut, FONT } from "./kit/measure.ts";
import type { PictureOf, Room } from "./kit/picture.ts";
import type { TipWords } from "./kit/recharts.tsx";
import { distinct } from "./kit/scale.ts";
import { numberText, tokenText } from "./kit/text.ts";
import s from "./kit/Figure.module.css";

type Row = RowOf<"lens">;

/** A cell has room for a short word; a value longer than the figure is wide is scrolled. */
const NARROWEST = 44;
const ROW = 26;
const LEFT = 80;
const TOP = 8;
/** Pixels of the tokens below. */
const TOKENS = 64;

const share = ({ logProbability }: Row): number => Math.exp(logProbability);

const tip = (row: Row): TipWords => [
  `After layer ${row.layer}: ${tokenText(row.right)}`,
  [
    ["rank", row.rank],
    ["probability", numberText(share(row), 2)],
    ["likeliest", row.top],
  ],
];

export const lensFigure: PictureOf<"lens"> = ({ rows, guides }) => {
  const layers = distinct(rows, ({ layer }) => layer).reverse();
  const last = rows.filter(({ layer }) => layer === layers[0]);
  const right = last.filter(({ rank }) => rank === 1).length;
  return {
    interactive: true,
    summary: `After the last layer the right token is likeliest at ${right} of ${last.length} positions.`,
    below:
      "Colour: probability of the right token, the stronger the likelier. Word: the likeliest token at that layer.",
    draw: (room) => (
      <div className={s.scroller}>
        <Grid room={room} rows={rows} layers={layers} at={guides[0]?.value} />
      </div>
    ),
  };
};

/** Pixels of the whole grid in a room, and of each of its columns. */
export function lensColumns(
  room: number,
  columns: number,
): { readonly width: number; readonly pitch: number } {
  const width = Math.max(room, columns * NARROWEST + LEFT);
  return { width, pitch: (width - LEFT) / columns };
}

function Grid({
  room,
  rows,
  layers,
  at,
}: {
  readonly room: Room<Row>;
  readonly rows: readonly Row[];
  readonly layers: readonly number[];
  /** Where δ is added. */
  readonly at: number | undefined;
}) {
  const { width, pitch } = lensColumns(room.width, rows.length / layers.length);
  const y = (layer: number): number => TOP + (layers.indexOf(layer) + 0.5) * ROW;
  const place = ({ step, layer }: Row) => ({ x: LEFT + (step - 0.5) * pitch, y: y(layer) });
  const bottom = TOP + layers.length * ROW;
  return (
    <Marked room={{ ...room, width }} rows={rows} at={place} tip={tip} reach={Math.max(pitch, ROW)}>
      <svg width={width} height={bottom + TOKENS} fontSize={11.5} fill="var(--ink-soft)">
        {layers.map((layer) => (
          <text key={layer} x={LEFT - 8} y={y(layer) + 4} textAnchor="end">
            {layer === at ? `δ → layer ${layer}` : layer}
          </text>
        ))}
        {rows.map((row, i) => (
          <HeatCell
            key={i}
            {...place(row)}
            width={pitch - 1}
            height={ROW - 1.5}
            share={share(row)}
            tone="rubric"
          >
            {cut(tokenText(row.best), pitch - 4, FONT.label)}
          </HeatCell>
        ))}
        {rows
          .filter(({ layer }) => layer === layers[0])
          .map((row) => (
            <TokenOnEnd key={row.step} x={place(row).x} y={bottom + 6} token={row.right} />
          ))}
      </svg>
    </Marked>
  );
}
