/** @file From a row of a figure to its facts: those it names, or those it counts. */

import { intervalNames } from "./interval.ts";
import type { Column, Counted, Figure, Row } from "./figure.ts";
import { traitsOf, type FigureKind, type FigureOf, type RowOf } from "./registry.ts";

export function namedFacts({ columns }: Pick<Figure, "columns">, row: Row): readonly string[] {
  const ids = columns.flatMap(({ fact }) => (fact === undefined ? [] : row[fact]));
  return [...new Set(ids.filter((id) => typeof id === "string"))];
}

/** Whether a row names a fact or counts at least one. */
export function isLeading<K extends FigureKind>(figure: FigureOf<K>, row: RowOf<K>): boolean {
  const { counts } = traitsOf<K>(figure.kind);
  return counts ? (counts.size?.(row) ?? 1) > 0 : namedFacts(figure, row).length > 0;
}

/** The facts that a row counts, and words for them; null if the figure's rows count no facts. */
export function countedFacts<K extends FigureKind, F extends Counted>(
  { kind }: FigureOf<K>,
  row: RowOf<K>,
  facts: readonly F[],
): { readonly facts: readonly F[]; readonly words: string } | null {
  const { counts } = traitsOf<K>(kind);
  return counts && { facts: facts.filter(counts.includes(row, facts)), words: counts.words(row) };
}

export function readableColumns({ columns }: Pick<Figure, "columns">): readonly Column[] {
  const bounds = intervalNames(columns);
  return columns.filter(({ name, unit }) => unit !== "id" && !bounds.has(name));
}
