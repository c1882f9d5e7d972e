/** @file The facts nearest to one, by key or by residual. */

import { BarList } from "./kit/BarList.tsx";
import { layerOf } from "./kit/colors.ts";
import type { PictureOf } from "./kit/picture.ts";
import { numberText } from "./kit/text.ts";

export const nearestFigure: PictureOf<"nearest"> = ({ rows }) => ({
  summary: `Nearest: ${rows[0]?.key ?? "none"} at ${numberText(rows[0]?.cosine ?? NaN)}.`,
  draw: ({ width, pick }) => (
    <BarList
      width={width}
      domain={[Math.min(0, ...rows.map(({ cosine }) => cosine)), 1]}
      bars={rows.map((row) => ({
        name: row.key,
        value: row.cosine,
        said: `${row.cosine.toFixed(3)}, layer ${row.layer}`,
        color: layerOf(row.layer),
        pick: pick && (() => pick(row)),
      }))}
    />
  ),
});
