/** @file The strip as it stands, for rows alone: in reports, and where the text is long gone. */

import type { PictureOf } from "./kit/picture.ts";
import { Lanes } from "./StripLanes.tsx";

export const lanesFigure: PictureOf<"extraction-strip"> = ({ rows, caption }) => {
  const view = { from: rows[0]?.from ?? 0, to: rows.at(-1)?.to ?? 1 };
  return {
    summary: caption,
    draw: ({ width, pick }) => (
      <div
        style={pick ? { cursor: "pointer" } : undefined}
        onClick={({ clientX, currentTarget }) => {
          const share = (clientX - currentTarget.getBoundingClientRect().left) / width;
          const row = rows[Math.floor(share * rows.length)];
          if (row) pick?.(row);
        }}
      >
        <Lanes rows={rows} view={view} width={width} />
      </div>
    ),
  };
};
