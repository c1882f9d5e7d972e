/**
 * @file Shares of samples in figures: beside each its 95 % interval and its n as columns of their own, and in words which
 * of them can be told apart.
 */

import { many } from "../lib/format.ts";
import { sharesDiffer, wilson, type SampledShare } from "../lib/stats.ts";
import type { Column, ColumnWords, Row } from "./figure.ts";

/** Columns of a share of a sample: itself, its interval, and n; nothing stands where it was not measured. */
export function shareColumns<K extends string>(name: K, label: string): ShareColumns<K> {
  const interval = { low: `${name}Low`, high: `${name}High`, n: `${name}N` };
  const columns: Readonly<Record<string, ColumnWords>> = {
    [name]: [label, "share", "number?", undefined, interval],
    [interval.low]: [`${label}, 95 % interval from`, "share", "number?"],
    [interval.high]: [`${label}, to`, "share", "number?"],
    [interval.n]: [`${label}, n`, "count", "number?"],
  };
  return columns as ShareColumns<K>;
}
type ShareColumns<K extends string> = {
  readonly [N in keyof ShareValues<K>]: readonly [string, string, "number?", undefined?, Column["interval"]?];
};

/** What stands in the columns of share `name`; nothing where it was not measured, no interval where n is not known. */
export function shareValues<K extends string>(
  name: K,
  share: number | null,
  n: number | null,
): ShareValues<K> {
  const [low, high] = share === null || n === null ? [null, null] : wilson(share * n, n);
  const values = {
    [name]: share,
    [`${name}Low`]: low,
    [`${name}High`]: high,
    [`${name}N`]: share === null ? null : n,
  };
  return values as ShareValues<K>;
}
type ShareValues<K extends string> = { readonly [N in K | `${K}Low` | `${K}High` | `${K}N`]: number | null };

/** Names of the columns that hold intervals of others. */
export const intervalNames = (columns: readonly Column[]): ReadonlySet<string> =>
  new Set(columns.flatMap(({ interval }) => (interval ? Object.values(interval) : [])));

/** The interval of a share in a row, where it has one. */
export function intervalIn({ interval }: Column, row: Row): Interval | null {
  if (!interval) return null;
  const [low, high, n] = [row[interval.low], row[interval.high], row[interval.n]];
  if (typeof low !== "number" || typeof high !== "number" || typeof n !== "number") return null;
  return { low, high, n };
}
interface Interval {
  readonly low: number;
  readonly high: number;
  readonly n: number;
}

/** The share in a row, where it has an n. */
export function shareIn(column: Column, row: Row): SampledShare | null {
  const [share, interval] = [row[column.name], intervalIn(column, row)];
  return typeof share === "number" && interval ? { share, n: interval.n } : null;
}

/**
 * Which shares are told apart: of all pairs of rows that `beside` lets stand beside each other, how many differ by more
 * than their n leaves open. Empty where no two shares stand beside each other.
 * @param which the pairs in words
 */
export function toldText(
  columns: readonly Column[],
  rows: readonly Row[],
  beside: (a: Row, b: Row) => boolean,
  which: string,
): string {
  const pairs = rows.flatMap((a, i) =>
    rows.slice(i + 1).flatMap((b) => (beside(a, b) ? [[a, b] as const] : [])),
  );
  const counted = columns
    .filter(({ interval }) => interval !== undefined)
    .map((column) => {
      const both = pairs.flatMap(([a, b]) => {
        const [one, other] = [shareIn(column, a), shareIn(column, b)];
        return one && other ? [sharesDiffer(one, other)] : [];
      });
      return { label: column.label, pairs: both.length, told: both.filter(Boolean).length };
    })
    .filter(({ pairs: of }) => of > 0);
  if (counted.length === 0) return "";
  const told = counted.filter((one) => one.told > 0);
  if (told.length === 0) return `No two ${which} are told apart: n is too small, or they are alike.`;
  const named = told.map((one) => `${one.label}, ${one.told} of ${many(one.pairs, "pair")}`);
  return `Of ${which}, told apart: ${named.join("; ")}. Of the others n is too small, or they are alike.`;
}
