/** @file The logit of the right token at every decoded position without δ and with it, and the chosen one where it differs. */

import { counted } from "../format.ts";
import type { RowOf } from "../../figures/registry.ts";
import { Gridlines, TokenOnEnd } from "./kit/Across.tsx";
import { Marked } from "./kit/Marked.tsx";
import type { PictureOf, Room } from "./kit/picture.ts";
import type { TipWords } from "./kit/recharts.tsx";
import { ticks } from "./kit/scale.ts";
import { numberText, tokenText } from "./kit/text.ts";
import s from "./kit/Figure.module.css";

type Row = RowOf<"token-logits">;

const NARROWEST = 26;
const LEFT = 38;
const RIGHT = 16;
const TOP = 34;
const PLOT = 168;
/** Pixels of the tokens below. */
const TOKENS = 68;

const tip = (row: Row): TipWords => [
  tokenText(row.right),
  [
    ["logit", `${numberText(row.rightWithout)} → ${numberText(row.rightWith)}`],
    ["probability", `${numberText(row.probabilityWithout, 2)} → ${numberText(row.probabilityWith, 2)}`],
    ["rank", `${row.rankWithout} → ${row.rankWith}`],
    ...(row.exact ? [] : [["chosen", tokenText(row.chosen)] as const]),
  ],
];

export const tokenLogitsFigure: PictureOf<"token-logits"> = ({ rows }) => {
  const raised = rows.reduce((sum, row) => sum + row.rightWith - row.rightWithout, 0);
  const wrong = rows.filter(({ exact }) => !exact).length;
  return {
    interactive: true,
    summary: `δ raises the logit of the right token by ${numberText(raised / Math.max(1, rows.length))} on average over ${counted(rows.length, "token")}; ${wrong} wrong all the same.`,
    below: `Full: with δ, hollow: without.${wrong > 0 ? " ✕: the token that was chosen where it is not the right one." : ""}`,
    draw: (room) => (
      <div className={s.scroller}>
        <Dumbbells room={room} rows={rows} />
      </div>
    ),
  };
};

function Dumbbells({ room, rows }: { readonly room: Room<Row>; readonly rows: readonly Row[] }) {
  const width = Math.max(room.width, rows.length * NARROWEST + LEFT + RIGHT);
  const pitch = (width - LEFT - RIGHT) / rows.length;
  const logits = rows.flatMap((row) => [
    row.rightWith,
    row.rightWithout,
    ...(row.exact ? [] : [row.chosenWith]),
  ]);
  const [low, high] = [Math.min(...logits), Math.max(...logits)];
  const y = (logit: number): number => TOP + PLOT * (1 - (logit - low) / (high - low || 1));
  const x = ({ step }: Row): number => LEFT + (step - 0.5) * pitch;
  return (
    <Marked
      room={{ ...room, width }}
      rows={rows}
      at={(row) => ({ x: x(row), y: y(row.rightWith) })}
      tip={tip}
      reach={Math.max(pitch, PLOT)}
    >
      <svg width={width} height={TOP + PLOT + TOKENS} fontSize={11.5} fill="var(--ink-soft)">
        <text x={2} y={12}>
          logit of the right token
        </text>
        <Gridlines values={ticks(low, high, 6)} y={y} left={LEFT} right={width} />
        {rows.map((row) => (
          <Dumbbell key={row.step} row={row} x={x(row)} y={y} />
        ))}
      </svg>
    </Marked>
  );
}

function Dumbbell({
  row: { right, chosen, exact, rightWith, rightWithout, chosenWith },
  x,
  y,
}: {
  readonly row: Row;
  readonly x: number;
  readonly y: (logit: number) => number;
}) {
  const [on, off, other] = [y(rightWith), y(rightWithout), y(chosenWith)];
  return (
    <g>
      <line x1={x} x2={x} y1={off} y2={on} stroke="var(--rubric)" strokeWidth={1.5} />
      <circle cx={x} cy={off} r={3.5} fill="var(--paper)" stroke="var(--ink-soft)" />
      <circle cx={x} cy={on} r={4} fill="var(--rubric)" />
      {!exact && <Cross x={x} y={other} word={tokenText(chosen)} />}
      <TokenOnEnd x={x} y={TOP + PLOT + 12} token={right} />
    </g>
  );
}

/** What was chosen instead of the right token. */
function Cross({ x, y, word }: { readonly x: number; readonly y: number; readonly word: string }) {
  return (
    <g>
      <path d={`M${x - 4} ${y - 4}l8 8m0 -8l-8 8`} stroke="var(--ink)" strokeWidth={2} />
      <text x={x} y={y - 8} textAnchor="middle" fill="var(--ink)">
        {word}
      </text>
    </g>
  );
}
