/** @file The strip as it stands, for rows alone: in reports, and where the text is long gone. */

import type { extractionStrip } from "../../figures/extraction.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { Lanes } from "./StripLanes.tsx";

export function LanesFigure({ figure }: { readonly figure: ReturnType<typeof extractionStrip> }) {
  const { rows } = figure;
  const view = { from: rows[0]?.from ?? 0, to: rows.at(-1)?.to ?? 1 };
  return (
    <FigureFrame figure={figure} summary={figure.caption}>
      {({ width, pick }) => (
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
      )}
    </FigureFrame>
  );
}
