/** @file Inexact facts, each up to the token where it first goes wrong: what was stored there, and what was said. */

import type { RowOf } from "../../figures/registry.ts";
import { counted } from "../format.ts";
import { cut, FONT } from "./kit/measure.ts";
import type { PictureOf } from "./kit/picture.ts";
import { TokenText, type DrawnToken } from "./kit/Tokens.tsx";
import { tokenText } from "./kit/text.ts";

type Row = RowOf<"first-wrong">;

/** Facts drawn; all are in the table. */
const SHOWN = 12;
/** Pixels of a fact's key above its tokens. */
const HEAD = 16;

export const firstWrongFigure: PictureOf<"first-wrong"> = ({ rows }) => ({
  summary: `${counted(rows.length, "inexact fact")}. ${rows[0] ? `${rows[0].key} goes wrong at token ${rows[0].position} of ${rows[0].length}.` : ""}`,
  below: `Struck through: stored. Red: said instead.${rows.length > SHOWN ? ` The first ${SHOWN} of ${counted(rows.length, "fact")}.` : ""}`,
  draw: ({ width, pick }) => (
    <TokenText
      width={width}
      blocks={rows.slice(0, SHOWN).map((row) => ({
        ...{ key: row.fact, tokens: tokensOf(row), left: 12, above: HEAD, below: 12 },
        head: <Head row={row} width={width} />,
        pick: pick && (() => pick(row)),
      }))}
    />
  ),
});

function Head({ row: { key, position, length }, width }: { readonly row: Row; readonly width: number }) {
  return (
    <>
      <text x={0} y={13} fontSize={11.5} fontWeight={600} fill="var(--ink)">
        {cut(key, width - 130, FONT.strong)}
      </text>
      <text x={width} y={13} fontSize={11.5} fill="var(--ink-soft)" textAnchor="end">
        {`token ${position} of ${length}`}
      </text>
    </>
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
