/** @file The strip as it stands, for rows alone: in reports, and where the text's reading is long gone. */

import type { extractionStrip } from "../../figures/extraction.ts";
import { FigureFrame } from "./kit/FigureFrame.tsx";
import { Lanes } from "./StripLanes.tsx";

export function LanesFigure({ figure }: { readonly figure: ReturnType<typeof extractionStrip> }) {
  const { rows } = figure;
  const view = { from: rows[0]?.from ?? 0, to: rows.at(-1)?.to ?? 1 };
  return (
    <FigureFrame figure={figure} summary={figure.caption}>
      {({ width }) => <Lanes rows={rows} view={view} width={width} />}
    </FigureFrame>
  );
}
