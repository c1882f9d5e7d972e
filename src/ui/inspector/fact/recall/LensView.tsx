/** @file The logit lens over one recall: the right token's logit with δ and without, and every layer's likeliest word. */

import { useMemo, useState } from "react";
import type { Source } from "../../../../figures/figure.ts";
import { lensGrid, tokenLogits } from "../../../../figures/reconstruction.ts";
import type { LensTrace } from "../../../../records/trace.ts";
import { FigureView } from "../../../charts/FigureView.tsx";
import { Choice } from "../../../controls/Choice.tsx";
import { Stack } from "../../../controls/layout.tsx";

export function LensView({ lens, source }: { readonly lens: LensTrace; readonly source: Source }) {
  const [side, setSide] = useState<"with" | "without">("with");
  const logits = useMemo(() => tokenLogits(lens, source), [lens, source]);
  const grid = useMemo(() => lensGrid({ lens, withDelta: side === "with" }, source), [lens, side, source]);
  return (
    <Stack gap={3}>
      <FigureView figure={logits} />
      <Choice
        label="Lens"
        value={side}
        options={[
          { value: "with", label: "with δ" },
          { value: "without", label: "without δ" },
        ]}
        onChange={setSide}
      />
      <FigureView figure={grid} />
    </Stack>
  );
}
