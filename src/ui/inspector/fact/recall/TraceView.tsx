/** @file The gate over one recall: θ and β are moved over saved similarities, the model is not run again. */

import { useMemo, useState } from "react";
import type { Source } from "../../../../figures/figure.ts";
import { competitorWeights, gateStrip, readsSideBySide } from "../../../../figures/gates.ts";
import type { ReadMode } from "../../../../records/params.ts";
import type { RecallTrace } from "../../../../records/trace.ts";
import { CompetitorsFigure } from "../../../charts/CompetitorsFigure.tsx";
import { GateStripFigure } from "../../../charts/GateStripFigure.tsx";
import { ReadsFigure } from "../../../charts/ReadsFigure.tsx";
import { Choice } from "../../../controls/Choice.tsx";
import { Slider } from "../../../controls/Slider.tsx";
import { counted } from "../../../format.ts";
import s from "../FactPanel.module.css";

export function TraceView({ trace, source }: { readonly trace: RecallTrace; readonly source: Source }) {
  const [read, setRead] = useState<ReadMode>("top1");
  const [theta, setTheta] = useState(trace.theta);
  const [beta, setBeta] = useState(trace.beta);
  const [position, setPosition] = useState(trace.keyPosition);
  const strip = useMemo(
    () => gateStrip(trace, read, { theta, beta }, source),
    [trace, read, theta, beta, source],
  );
  const weights = useMemo(
    () => competitorWeights(trace, read, position, { theta, beta }, source),
    [trace, read, position, theta, beta, source],
  );
  const reads = useMemo(() => readsSideBySide(trace, source), [trace, source]);
  const atKey = strip.rows[trace.keyPosition];
  const open = strip.rows.filter((row) => row.open).length;
  return (
    <div className={s.figures}>
      <GateStripFigure
        figure={strip}
        position={position}
        onPosition={setPosition}
        controls={
          <>
            <Slider
              label="θ, gate threshold"
              tone="lapis"
              value={theta}
              min={0}
              max={1}
              step={0.01}
              format={(value) => value.toFixed(2)}
              onChange={setTheta}
            />
            <Slider
              label="β, inverse temperature"
              value={beta}
              min={1}
              max={200}
              step={1}
              onChange={setBeta}
            />
            <Choice
              label="Read"
              value={read}
              options={[
                { value: "top1", label: "top-1" },
                { value: "soft", label: "soft" },
              ]}
              onChange={setRead}
            />
          </>
        }
      />
      <p role="status" className={s.soft} data-gate={atKey?.open ? "open" : "closed"}>
        At θ = {theta.toFixed(2)} the gate is {atKey?.open ? "open" : "closed"} at the key, and open at{" "}
        {counted(open, "position")} in all.
        {(theta !== trace.theta || beta !== trace.beta) && " Worked out from the saved similarities."}
      </p>
      <CompetitorsFigure figure={weights} />
      <ReadsFigure figure={reads} />
    </div>
  );
}
