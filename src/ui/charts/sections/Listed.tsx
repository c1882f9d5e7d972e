/** @file The figures of a section that need one part of a memory, for one memory or for two side by side. */

import { useMemo, type ReactNode } from "react";
import {
  MEMORY_FIGURES,
  traitsOf,
  type AnyFigure,
  type FigureKind,
  type MemoryPart,
  type MemorySection,
} from "../../../figures/registry.ts";
import { FactPicking } from "../FactPicking.tsx";
import { Compare, FigureView, Laid } from "../FigureView.tsx";
import type { Side } from "./sides.ts";

export function Listed({
  sides,
  section,
  needs,
  except,
}: {
  readonly sides: readonly Side[];
  readonly section: MemorySection;
  /** Null: the figures that need only the facts. */
  readonly needs: MemoryPart | null;
  readonly except?: readonly FigureKind[];
}) {
  const parts = useMemo(
    () =>
      MEMORY_FIGURES.filter(
        (row) => row.section === section && row.needs === needs && !except?.includes(row.kind),
      ).flatMap(({ kind, of }) => {
        const made = sides.map(of);
        const most = Math.max(...made.map(({ length }) => length));
        return Array.from({ length: most }, (_, i) => ({
          // Two memories need the whole width.
          wide: traitsOf(kind).wide || sides.length > 1,
          drawn: <Drawn key={`${kind} ${i}`} sides={sides} figures={made.map((list) => list[i] ?? null)} />,
        }));
      }),
    [sides, section, needs, except],
  );
  return <Laid parts={parts} />;
}

/** A figure of one memory, or of two on one scale; `figures` are in the order of `sides`, null if a side has none. */
function Drawn({
  sides,
  figures,
}: {
  readonly sides: readonly Side[];
  readonly figures: readonly (AnyFigure | null)[];
}) {
  const [a, b] = useMemo(
    () =>
      sides.flatMap((side, i) => {
        const figure = figures[i];
        return figure ? [{ side, figure: sides.length > 1 ? withName(figure, side) : figure }] : [];
      }),
    [sides, figures],
  );
  if (!a) return null;
  const of = (side: Side) => (drawn: ReactNode) => <OfSide side={side}>{drawn}</OfSide>;
  return b ? (
    <Compare a={a.figure} b={b.figure} around={[of(a.side), of(b.side)]} />
  ) : (
    of(a.side)(<FigureView figure={a.figure} />)
  );
}

function OfSide({ side, children }: { readonly side: Side; readonly children: ReactNode }) {
  const { memory: id, name: title, other } = side;
  const where = useMemo(() => (other ? { id, title } : undefined), [id, title, other]);
  return (
    <FactPicking facts={side.facts} other={where}>
      {children}
    </FactPicking>
  );
}

const withName = <F extends AnyFigure>(figure: F, { name }: Side): F => ({
  ...figure,
  title: `${figure.title}, in “${name}”`,
});
