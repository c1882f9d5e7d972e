/** @file The keys that compete at one position, with their weights at β. */

import type { competitorWeights } from "../../figures/gates.ts";
import { BarList } from "./kit/BarList.tsx";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { numberText } from "./kit/text.ts";

export function CompetitorsFigure({ figure }: { readonly figure: ReturnType<typeof competitorWeights> }) {
  const { rows } = figure;
  const [first, second] = rows;
  const barOf = ({ key, similarity, weight, own }: (typeof rows)[number]) => ({
    name: key,
    value: weight,
    said: `α ${weight < 0.001 ? "<0.001" : weight.toFixed(3)}   s ${similarity.toFixed(3)}`,
    color: own ? "var(--lapis)" : "var(--ink-soft)",
    strong: own,
  });
  return (
    <FigureFrame
      figure={figure}
      summary={`${first?.key ?? "Nothing"} has weight ${numberText(first?.weight ?? NaN)}${second ? `, then ${second.key} with ${numberText(second.weight)}` : ""}.`}
      below="Blue: the fact’s own key. α: weight in the soft read, s: similarity."
    >
      {({ width, pick }) => (
        <BarList
          width={width}
          groups={[
            {
              heading: "",
              bars: rows.map((row) => ({ ...barOf(row), pick: pick ? () => pick(row) : undefined })),
            },
          ]}
          domain={[0, 1]}
        />
      )}
    </FigureFrame>
  );
}
