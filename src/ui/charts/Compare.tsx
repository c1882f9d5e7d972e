/** @file The same figure twice, side by side and on one scale: two memories, or two runs. */

import type { ReactNode } from "react";
import type { Figure } from "../../figures/figure.ts";
import { FigureView } from "./FigureView.tsx";
import s from "./Panel.module.css";

type Around = (drawn: ReactNode) => ReactNode;
const plain: Around = (drawn) => drawn;

/** `a` and `b` are figures of the same kind; each says in its own foot which run it is from. */
export function Compare({
  a,
  b,
  around = [plain, plain],
}: {
  readonly a: Figure;
  readonly b: Figure;
  /** What stands around each. */
  readonly around?: readonly [Around, Around];
}) {
  return (
    <div className={s.pair} data-compare="">
      {around[0](<FigureView figure={a} beside={b} />)}
      {around[1](<FigureView figure={b} beside={a} />)}
    </div>
  );
}
