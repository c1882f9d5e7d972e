/** @file A figure of one memory, or of two beside each other on one scale, each with its memory's name. */

import { useMemo, type ReactNode } from "react";
import type { FigureKind, FigureOf } from "../../../figures/registry.ts";
import { Compare } from "../Compare.tsx";
import { FactPicking } from "../FactPicking.tsx";
import { FigureView } from "../FigureView.tsx";
import type { Side } from "./sides.ts";

/** Figures in the order of `sides`; null for a memory that has nothing to draw it from. */
export function Drawn<K extends FigureKind>({
  sides,
  figures,
}: {
  readonly sides: readonly Side[];
  readonly figures: readonly (FigureOf<K> | null)[];
}) {
  const [a, b] = useMemo(
    () =>
      sides.flatMap((side, i) => {
        const figure = figures[i];
        return figure ? [{ side, figure: sides.length > 1 ? named<K>(figure, side) : figure }] : [];
      }),
    [sides, figures],
  );
  if (!a) return null;
  if (!b) return <Of side={a.side}>{<FigureView<K> figure={a.figure} />}</Of>;
  return (
    <Compare<K>
      a={a.figure}
      b={b.figure}
      around={[(drawn) => <Of side={a.side}>{drawn}</Of>, (drawn) => <Of side={b.side}>{drawn}</Of>]}
    />
  );
}

function Of({ side, children }: { readonly side: Side; readonly children: ReactNode }) {
  const { memory: id, name: title, other } = side;
  const where = useMemo(() => (other ? { id, title } : undefined), [id, title, other]);
  return (
    <FactPicking facts={side.facts} other={where}>
      {children}
    </FactPicking>
  );
}

/** Two figures of one title could not be told apart, least of all as files. */
const named = <K extends FigureKind>(figure: FigureOf<K>, { name }: Side): FigureOf<K> => ({
  ...figure,
  title: `${figure.title}, in “${name}”`,
});
