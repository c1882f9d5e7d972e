/** @file The same figure twice, side by side and on one scale: two memories, or two runs. */

import type { ReactNode } from "react";
import type { FigureKind, FigureOf } from "../../figures/registry.ts";
import { FigureView } from "./FigureView.tsx";
import s from "./Panel.module.css";

type Around = (drawn: ReactNode) => ReactNode;
const plain: Around = (drawn) => drawn;

/** Each says in its own foot which run it is from. */
export function Compare<K extends FigureKind>({
  a,
  b,
  around = [plain, plain],
}: {
  readonly a: FigureOf<K>;
  readonly b: NoInfer<FigureOf<K>>;
  /** What stands around each. */
  readonly around?: readonly [Around, Around];
}) {
  return (
    <div className={s.pair} data-compare="">
      {around[0](<FigureView<K> figure={a} beside={b} />)}
      {around[1](<FigureView<K> figure={b} beside={a} />)}
    </div>
  );
}
