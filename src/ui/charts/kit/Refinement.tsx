/** @file The part of the schedule after the guided steps, behind curves of losses. */

import { ReferenceArea, ReferenceLine } from "recharts";
import { TICK } from "./recharts.tsx";

export function Refinement({ from, to }: { readonly from: number; readonly to: number }) {
  return (
    <>
      <ReferenceArea x1={from} x2={to} fill="var(--ink)" fillOpacity={0.05} />
      <ReferenceLine
        x={from}
        stroke="var(--ink-faint)"
        strokeDasharray="3 3"
        label={{ ...TICK, value: "refinement →", position: "insideTopLeft" }}
      />
    </>
  );
}
