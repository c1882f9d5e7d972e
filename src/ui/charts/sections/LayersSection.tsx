/** @file Layers of a memory: how many facts each holds, how large δ is, Eq. 2 drawn, and the probe that chose them. */

import { useMemo } from "react";
import { deltaNorms, factsPerLayer, layerProbe, roundRobin } from "../../../figures/layers.ts";
import { Drawn } from "./Drawn.tsx";
import type { SectionProps } from "./MemorySections.tsx";
import { anchorOrders } from "./memoryRows.ts";
import s from "../Panel.module.css";

/** Marks of Eq. 2 that are drawn. */
const MARKS = 4000;

export function LayersSection({ sides }: SectionProps) {
  const made = useMemo(
    () => ({
      perLayer: sides.map(({ facts, layers, params, source }) =>
        factsPerLayer(facts, layers, params.capacity, source),
      ),
      norms: sides.map(({ facts, source }) => deltaNorms(facts, source)),
      robin: sides.map(({ facts, layers, source }) => {
        const orders = anchorOrders(facts);
        const placed = facts.map((fact) => ({ ...fact, anchorOrder: orders.get(fact.anchor)! }));
        return roundRobin(placed, layers, MARKS, source);
      }),
      probe: sides.map(({ plan, source }) => plan && layerProbe(plan, source)),
    }),
    [sides],
  );
  const pair = sides.length > 1 ? s.panel : s.pair;
  return (
    <>
      <div className={pair}>
        <Drawn sides={sides} figures={made.perLayer} />
        <Drawn sides={sides} figures={made.norms} />
      </div>
      <Drawn sides={sides} figures={made.robin} />
      <Drawn sides={sides} figures={made.probe} />
    </>
  );
}
