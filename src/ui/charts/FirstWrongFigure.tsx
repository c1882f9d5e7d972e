/** @file Inexact facts, each up to the token where it first goes wrong: what was stored there, and what was said. */

import type { firstWrong } from "../../figures/encoding.ts";
import { counted } from "../format.ts";
import { FigureFrame, type Room } from "./kit/FigureFrame.tsx";
import { cut, FONT } from "./kit/measure.ts";
import { layTokens, LINE, TokenLines, type DrawnToken } from "./kit/Tokens.tsx";
import { tokenText } from "./kit/text.ts";

type Row = ReturnType<typeof firstWrong>["rows"][number];

/** Facts drawn; all are in the table. */
const SHOWN = 12;
const HEAD = 20;

export function FirstWrongFigure({ figure }: { readonly figure: ReturnType<typeof firstWrong> }) {
  const { rows } = figure;
  const shown = rows.slice(0, SHOWN);
  return (
    <FigureFrame
      figure={figure}
      empty="Every fact is exact: none goes wrong anywhere."
      summary={`${counted(rows.length, "inexact fact")}. ${rows[0] ? `${rows[0].key} goes wrong at token ${rows[0].position} of ${rows[0].length}.` : ""}`}
      below={`Struck through: stored. Red: said instead.${rows.length > SHOWN ? ` The first ${SHOWN} of ${counted(rows.length, "fact")}.` : ""}`}
    >
      {({ width, pick }) => <Rows rows={shown} width={width} pick={pick} />}
    </FigureFrame>
  );
}

function Rows({ rows, width, pick }: { readonly rows: readonly Row[] } & Pick<Room, "width" | "pick">) {
  let y = 0;
  const drawn = rows.map((row) => {
    const { placed, lines } = layTokens(tokensOf(row), width - 12);
    const top = y;
    y += HEAD + lines * LINE + 8;
    return (
      <g
        key={row.fact}
        transform={`translate(0 ${top})`}
        {...(pick ? { onClick: () => pick(row), style: { cursor: "pointer" } } : {})}
      >
        <rect width={width} height={HEAD + lines * LINE} fill="none" pointerEvents="all" />
        <text x={0} y={13} fontSize={11.5} fontWeight={600} fill="var(--ink)">
          {cut(row.key, width - 130, FONT.strong)}
        </text>
        <text x={width} y={13} fontSize={11.5} fill="var(--ink-soft)" textAnchor="end">
          {`token ${row.position} of ${row.length}`}
        </text>
        <TokenLines placed={placed} x={12} y={HEAD - 4} />
      </g>
    );
  });
  return (
    <svg width={width} height={y}>
      {drawn}
    </svg>
  );
}

const tokensOf = ({ before, right, said }: Row): DrawnToken[] => [
  ...before
    .split(/\s+/)
    .filter(Boolean)
    .map((word): DrawnToken => ({ text: ` ${word}`, fate: "plain" })),
  ...(right === null ? [] : [{ text: ` ${tokenText(right)}`, fate: "missing" as const }]),
  ...(said === null ? [] : [{ text: ` ${tokenText(said)}`, fate: "added" as const }]),
];
