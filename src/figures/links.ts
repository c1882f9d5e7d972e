/**
 * @file The way from a row of a figure to the facts behind it: those it names, or those it counts. Rows that count
 * (a bar, a bucket) carry what they counted by, and the facts are found again by it.
 */

import type { FactRow } from "../records/notebook.ts";
import type { Column, Figure, Row } from "./figure.ts";

/** What a row's facts are found by. */
type Counted = Pick<FactRow, "id" | "documentId" | "anchor" | "layer" | "tokens" | "steps" | "offset">;

/** Which facts a row of a figure counts, and these in words. */
interface Bucket {
  readonly holds: (fact: Counted, row: Row, facts: readonly Counted[]) => boolean;
  readonly says: (row: Row) => string;
  /** How many there are, where that can be none. */
  readonly size?: (row: Row) => number;
}

const atLayer: Bucket = {
  holds: ({ layer }, row) => layer === row["layer"],
  says: (row) => `at layer ${row["layer"]}`,
  size: (row) => Number(row["facts"]),
};

/** By figure id. */
const BUCKETS: Readonly<Record<string, Bucket>> = {
  "facts-per-layer": atLayer,
  "delta-norms": atLayer,
  "steps-histogram": {
    holds: ({ steps }, row) => steps >= Number(row["from"]) && steps <= Number(row["to"]),
    says: ({ from, to }) => (from === to ? `with ${from} steps` : `with ${from} to ${to} steps`),
    size: ({ exact, inexact }) => Number(exact) + Number(inexact),
  },
  "fidelity-by-length": {
    holds: ({ tokens }, row) => tokens === row["tokens"],
    says: (row) => `of ${row["tokens"]} tokens`,
  },
  "loss-band": {
    holds: ({ steps }, row) => steps >= Number(row["step"]),
    says: (row) => `that took step ${row["step"]}`,
  },
  "anchors-by-facts": {
    holds: ({ anchor }, row, facts) => sizesOf(facts).get(anchor) === row["facts"],
    says: (row) => `of anchors with ${row["facts"]} of them`,
  },
  "extraction-strip": {
    holds: ({ offset }, row) => offset >= Number(row["from"]) && offset < Number(row["to"]),
    says: ({ from, to }) => `from characters ${from} to ${to}`,
    size: (row) => Number(row["anchors"]),
  },
  "facts-along": {
    holds: ({ documentId, offset }, row) =>
      documentId === row["document"] && offset >= Number(row["from"]) && offset < Number(row["to"]),
    says: ({ from, to }) => `from characters ${from} to ${to}`,
    size: (row) => Number(row["facts"]),
  },
  "extraction-marks": {
    holds: ({ offset }, row) => offset === row["start"],
    says: (row) => `from character ${row["start"]}`,
    size: (row) => (row["anchor"] === null ? 0 : 1),
  },
};

/** Sizes of anchors, worked out once for a list of facts. */
const sizesOf = (() => {
  const known = new WeakMap<readonly Counted[], ReadonlyMap<string, number>>();
  return (facts: readonly Counted[]): ReadonlyMap<string, number> => {
    const found = known.get(facts);
    if (found) return found;
    const sizes = new Map<string, number>();
    for (const { anchor } of facts) sizes.set(anchor, (sizes.get(anchor) ?? 0) + 1);
    known.set(facts, sizes);
    return sizes;
  };
})();

/** Ids of the facts that a row names, each once, in the order of the columns. */
export function namedFacts({ columns }: Pick<Figure, "columns">, row: Row): readonly string[] {
  const ids = columns.flatMap(({ fact }) => (fact === undefined ? [] : row[fact]));
  return [...new Set(ids.filter((id) => typeof id === "string"))];
}

/** Whether rows of the figure lead to single facts, to lists of facts, or nowhere. */
export function leadsTo({ id, columns }: Pick<Figure, "id" | "columns">): "fact" | "list" | null {
  const links = columns.filter(({ fact }) => fact !== undefined).length;
  if (links > 0) return id === "similarity-matrix" ? "list" : "fact";
  return id in BUCKETS ? "list" : null;
}

/** Whether a row leads anywhere: it names a fact, or counts at least one. */
export function isLeading(figure: Pick<Figure, "id" | "columns">, row: Row): boolean {
  const bucket = BUCKETS[figure.id];
  return bucket ? (bucket.size?.(row) ?? 1) > 0 : namedFacts(figure, row).length > 0;
}

/** The facts that a row counts, with words for them; null where the figure's rows count no facts. */
export function countedFacts<F extends Counted>(
  { id }: Pick<Figure, "id">,
  row: Row,
  facts: readonly F[],
): { readonly facts: readonly F[]; readonly words: string } | null {
  const bucket = BUCKETS[id];
  return bucket
    ? { facts: facts.filter((fact) => bucket.holds(fact, row, facts)), words: bucket.says(row) }
    : null;
}

/** Columns that a table on the page shows: ids are links there, and no text. */
export function readableColumns({ columns }: Pick<Figure, "columns">): readonly Column[] {
  return columns.filter(({ unit }) => unit !== "id");
}
