/** @file Figures under each other: those that want the whole width, and others in pairs. */

import type { ReactNode } from "react";
import s from "./Panel.module.css";

export interface Placed {
  readonly wide: boolean;
  readonly drawn: ReactNode;
}

export function Laid({ figures }: { readonly figures: readonly Placed[] }) {
  const runs: { wide: boolean; drawn: ReactNode[] }[] = [];
  for (const { wide, drawn } of figures) {
    const last = runs.at(-1);
    if (last && last.wide === wide) last.drawn.push(drawn);
    else runs.push({ wide, drawn: [drawn] });
  }
  return runs.map(({ wide, drawn }, i) => (
    <div key={i} className={wide ? s.panel : s.pair}>
      {drawn}
    </div>
  ));
}
