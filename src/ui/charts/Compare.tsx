/** @file The same figure twice, side by side and on one scale: two memories, or two runs. */

import type { Figure } from "../../figures/figure.ts";
import { FigureView } from "./FigureView.tsx";
import s from "./Panel.module.css";

/** `a` and `b` are figures of the same kind; each says in its own foot which run it is from. */
export function Compare({ a, b }: { readonly a: Figure; readonly b: Figure }) {
  return (
    <div className={s.pair}>
      <FigureView figure={a} beside={b} />
      <FigureView figure={b} beside={a} />
    </div>
  );
}
