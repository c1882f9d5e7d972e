/** @file The facts nearest to one, by key or by residual. */

import type { nearestRows } from "../../figures/reconstruction.ts";
import { BarList } from "./kit/BarList.tsx";
import { layerOf } from "./kit/colors.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { numberText } from "./kit/text.ts";

export function NearestFigure({ figure }: { readonly figure: ReturnType<typeof nearestRows> }) {
  const { rows } = figure;
  return (
    <FigureFrame
      figure={figure}
      empty="There is no other fact to be near."
      summary={`Nearest: ${rows[0]?.key ?? "none"} at ${numberText(rows[0]?.cosine ?? NaN)}.`}
    >
      {({ width, pick }) => (
        <BarList
          width={width}
          domain={[Math.min(0, ...rows.map(({ cosine }) => cosine)), 1]}
          groups={[
            {
              heading: "",
              bars: rows
                .map((row) => ({ ...row, go: pick ? () => pick(row) : undefined }))
                .map(({ key, layer, cosine, go }) => ({
                  name: key,
                  value: cosine,
                  said: `${cosine.toFixed(3)}, layer ${layer}`,
                  color: layerOf(layer),
                  pick: go,
                })),
            },
          ]}
        />
      )}
    </FigureFrame>
  );
}
