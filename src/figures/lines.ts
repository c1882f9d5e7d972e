/** @file Lines in panels, and heat maps in panels: two kinds that every study and evaluation is drawn with. */

import { columnsOf, openFigure, type Figure, type Source, type Column, type Row } from "./figure.ts";
import { many } from "../lib/format.ts";
import { sharesDiffer, wilson, type SampledShare } from "../lib/stats.ts";

/** A value with its 95 % interval and n; nulls if it is not a share of a sample. */
interface Measured {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number | null;
}

export type LineRow = Measured & Readonly<{ panel: string; line: string; x: number | string }>;

type Words = readonly [label: string, unit: string];

interface Input<R> extends Pick<Figure, "id" | "title" | "caption"> {
  readonly panel: string;
  readonly x: Words;
  readonly value: Words;
  readonly rows: readonly R[];
}

const valueColumns = ([label, unit]: Words) =>
  ({ value: [label, unit, "number", undefined, INTERVAL_NAMES], ...INTERVAL }) as const;

export const lines = openFigure({
  kind: "lines",
  wide: true,
  empty: "No case has finished yet.",
  make: (
    {
      panel,
      line,
      x,
      value,
      guides = [],
      ...input
    }: Input<LineRow> & Readonly<{ line: string; guides?: Figure["guides"] }>,
    source: Source,
  ) => ({
    ...input,
    guides,
    source,
    columns: columnsOf({
      panel: [panel, "", "text"],
      line: [line, "", "text"],
      x: [...x, input.rows.some((row) => typeof row.x === "string") ? "text" : "number"],
      ...valueColumns(value),
    }),
    rows: input.rows.map((row) => ({
      ...{ panel: row.panel, line: row.line, x: row.x },
      ...{ value: row.value, low: row.low, high: row.high, n: row.n },
    })),
  }),
});

type GridRow = Measured & { readonly panel: string; readonly row: string; readonly column: string };

export const grid = openFigure({
  kind: "grid",
  wide: true,
  empty: "A grid needs two rows, or two columns.",
  make: ({ panel, row, x, value, ...input }: Input<GridRow> & { readonly row: Words }, source: Source) => ({
    ...input,
    source,
    columns: columnsOf({
      panel: [panel, "", "text"],
      row: [...row, "text"],
      column: [...x, "text"],
      ...valueColumns(value),
    }),
    rows: input.rows.map((cell) => ({
      ...{ panel: cell.panel, row: cell.row, column: cell.column },
      ...{ value: cell.value, low: cell.low, high: cell.high, n: cell.n },
    })),
  }),
});

export const INTERVAL = {
  low: ["95 % interval from", "share", "number?"],
  high: ["to", "share", "number?"],
  n: ["n", "count", "number?"],
} as const;
export const INTERVAL_NAMES = { low: "low", high: "high", n: "n" } as const;

/** The Wilson interval of a share of `n`; nulls if share or n is unknown. */
export function intervalOf(share: number | null, n: number | null) {
  if (share === null || n === null) return { low: null, high: null, n: null };
  const [low, high] = wilson(share * n, n);
  return { low, high, n };
}

export const intervalNames = (columns: readonly Column[]): ReadonlySet<string> =>
  new Set(columns.flatMap(({ interval }) => (interval ? Object.values(interval) : [])));

/** The interval of a share in a row; null if it has none. */
export function intervalIn({ interval }: Column, row: Row) {
  if (!interval) return null;
  const [low, high, n] = [row[interval.low], row[interval.high], row[interval.n]];
  return typeof low === "number" && typeof high === "number" && typeof n === "number"
    ? { low, high, n }
    : null;
}

interface PlacedShare<P> extends SampledShare {
  readonly label: string;
  readonly place: P;
}

/** Counts the pairs that differ by more than their n leaves open, in words; "" if no two are `comparable`. */
export function differencesText<P>(
  shares: readonly PlacedShare<P>[],
  comparable: (a: P, b: P) => boolean,
  which: string,
): string {
  const labels = [...new Set(shares.map(({ label }) => label))];
  const counted = labels.flatMap((label) => {
    const own = shares.filter((share) => share.label === label);
    const pairs = own.flatMap((a, i) =>
      own.slice(i + 1).flatMap((b) => (comparable(a.place, b.place) ? [sharesDiffer(a, b)] : [])),
    );
    return pairs.length > 0 ? [{ label, pairs: pairs.length, differ: pairs.filter(Boolean).length }] : [];
  });
  if (counted.length === 0) return "";
  const some = counted.filter(({ differ }) => differ > 0);
  if (some.length === 0) return `No two ${which} differ significantly: n is too small, or they are alike.`;
  const named = some.map(({ label, differ, pairs }) => `${label}, ${differ} of ${many(pairs, "pair")}`);
  return `Of ${which}, these differ significantly: ${named.join("; ")}. For the others n is too small, or they are alike.`;
}
