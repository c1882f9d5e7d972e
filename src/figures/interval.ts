/** @file Shares of samples in figures: their 95 % intervals as columns, and in words which shares differ. */

import { many } from "../lib/format.ts";
import { sharesDiffer, wilson, type SampledShare } from "../lib/stats.ts";
import type { Column, Row } from "./figure.ts";

export const INTERVAL = {
  low: ["95 % interval from", "share", "number?"],
  high: ["to", "share", "number?"],
  n: ["n", "count", "number?"],
} as const;
/** Refers from the share's column to {@link INTERVAL}. */
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

export interface PlacedShare<P> extends SampledShare {
  readonly label: string;
  readonly place: P;
}

/**
 * Counts the pairs of shares that differ by more than their n leaves open.
 * @param comparable whether two shares of one label are compared
 * @param which the pairs in words
 * @returns one or two sentences; "" if no two shares are compared
 */
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
