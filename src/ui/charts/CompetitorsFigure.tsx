/** @file The keys that compete at one position, with their weights at β. */

import { BarList } from "./kit/BarList.tsx";
import type { PictureOf } from "./kit/picture.ts";
import { numberText } from "./kit/text.ts";

export const competitorsFigure: PictureOf<"competitor-weights"> = ({ rows }) => {
  const [first, second] = rows;
  return {
    summary: `${first?.key ?? "Nothing"} has weight ${numberText(first?.weight ?? NaN)}${second ? `, then ${second.key} with ${numberText(second.weight)}` : ""}.`,
    below: "Blue: the fact’s own key. α: weight in the soft read, s: similarity.",
    draw: ({ width, pick }) => (
      <BarList
        width={width}
        domain={[0, 1]}
        bars={rows.map((row) => ({
          name: row.key,
          value: row.weight,
          said: `α ${row.weight < 0.001 ? "<0.001" : row.weight.toFixed(3)}, s ${row.similarity.toFixed(3)}`,
          color: row.own ? "var(--lapis)" : "var(--ink-soft)",
          strong: row.own,
          pick: pick && (() => pick(row)),
        }))}
      />
    ),
  };
};
