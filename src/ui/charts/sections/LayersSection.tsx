/** @file Layers of a memory: how many facts each holds, how large δ is, Eq. 2 drawn, and the probe that chose them. */

import { Listed } from "./Listed.tsx";
import type { SectionProps } from "./MemorySections.tsx";

export function LayersSection({ sides }: SectionProps) {
  return (
    <>
      <Listed sides={sides} section="layers" needs={null} />
      <Listed sides={sides} section="layers" needs="plan" />
    </>
  );
}
