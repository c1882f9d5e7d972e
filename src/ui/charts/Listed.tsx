/** @file The figures of a section that need one part of a memory, for one memory or for two side by side. */

import { Fragment, useMemo } from "react";
import {
  MEMORY_FIGURES,
  traitsOf,
  type AnyFigure,
  type FigureKind,
  type MemoryPart,
  type MemorySection,
} from "../../figures/registry.ts";
import { FactPicking } from "./FactPicking.tsx";
import { FigureView, Laid } from "./FigureView.tsx";
import type { Side } from "./sections/sides.ts";
import s from "./charts.module.css";

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
  const made = useMemo(
    () =>
      MEMORY_FIGURES.filter(
        (row) => row.section === section && row.needs === needs && !except?.includes(row.kind),
      ).map(({ kind, of }) => ({ kind, lists: sides.map((side) => named(of(side), side, sides)) })),
    [sides, section, needs, except],
  );
  const parts = made.flatMap(({ kind, lists }) => {
    const most = Math.max(...lists.map(({ length }) => length));
    // Two memories need the whole width.
    const wide = traitsOf(kind).wide || sides.length > 1;
    return Array.from({ length: most }, (_, i) => {
      const pair = lists.flatMap((list, at) => (list[i] ? [{ side: sides[at]!, figure: list[i] }] : []));
      const drawn = pair.map(({ side, figure }, at) => (
        <OfSide key={at} side={side} figure={figure} beside={pair[1 - at]?.figure ?? null} />
      ));
      const key = `${kind} ${i}`;
      return {
        wide,
        drawn:
          pair.length > 1 ? (
            <div key={key} className={s.pair}>
              {drawn}
            </div>
          ) : (
            <Fragment key={key}>{drawn}</Fragment>
          ),
      };
    });
  });
  return <Laid parts={parts} />;
}

/** Titles name their memory if there are two, so that figures and files differ. */
const named = (
  figures: readonly AnyFigure[],
  { name }: Side,
  sides: readonly Side[],
): readonly AnyFigure[] =>
  sides.length < 2
    ? figures
    : figures.map((figure) => ({ ...figure, title: `${figure.title}, in “${name}”` }));

function OfSide({
  side: { memory: id, name: title, other, facts },
  figure,
  beside,
}: {
  readonly side: Side;
  readonly figure: AnyFigure;
  readonly beside: AnyFigure | null;
}) {
  const where = useMemo(() => (other ? { id, title } : undefined), [id, title, other]);
  return (
    <FactPicking facts={facts} other={where}>
      <FigureView figure={figure} beside={beside} />
    </FactPicking>
  );
}
