/** @file The figures of one section that one part of a memory is read for, in the order of the registry. */

import { useMemo } from "react";
import {
  MEMORY_LIST,
  type FigureKind,
  type MemoryPart,
  type MemorySection,
} from "../../../figures/registry.ts";
import { Laid } from "../Laid.tsx";
import { Drawn } from "./Drawn.tsx";
import type { Side } from "./sides.ts";

export function Listed({
  sides,
  section,
  needs,
  except,
}: {
  readonly sides: readonly Side[];
  readonly section: MemorySection;
  /** Null: those that the facts alone are enough for. */
  readonly needs: MemoryPart | null;
  /** Kinds that stand elsewhere. */
  readonly except?: readonly FigureKind[];
}) {
  const figures = useMemo(
    () =>
      MEMORY_LIST.filter((row) => row.section === section && row.needs === needs).flatMap((row, place) => {
        const made = sides.map((side) => row.of(side).filter(({ kind }) => !except?.includes(kind)));
        const most = Math.max(...made.map(({ length }) => length));
        // Beside each other, two figures take the whole width.
        const wide = row.traits.wide || sides.length > 1;
        return Array.from({ length: most }, (_, i) => ({
          ...{ wide, key: `${place} ${i}`, each: made.map((list) => list[i] ?? null) },
        }));
      }),
    [sides, section, needs, except],
  );
  return (
    <Laid
      figures={figures.map(({ wide, key, each }) => ({
        wide,
        drawn: <Drawn key={key} sides={sides} figures={each} />,
      }))}
    />
  );
}
