/** @file Questions in groups (those of one text): their effective number, McNemar's exact test, and a bootstrap over groups. */

import { quantile } from "./stats.ts";
import { seeded } from "./rng.ts";

export interface Pair {
  readonly a: number;
  readonly b: number;
  readonly cluster: string;
}

/** McNemar's exact test: two-sided probability of so uneven a split of the questions that one method got right. */
export function mcnemar(onlyA: number, onlyB: number): number {
  const n = onlyA + onlyB;
  const few = Math.min(onlyA, onlyB);
  // log of (n over k) / 2^n in steps, because large n would overflow.
  let term = -n * Math.LN2;
  let tail = 0;
  for (let k = 0; k <= few; k++) {
    tail += Math.exp(term);
    term += Math.log((n - k) / (k + 1));
  }
  return Math.min(1, 2 * tail);
}

/** Fewest groups for comparing methods or estimating a variance: five on one side by chance have probability 1/16, six 1/32. */
export const FEWEST_CLUSTERS = 6;

/**
 * Number of independent questions that `values` (0 to 1) in groups of m are worth: n over the design effect, the variance of their
 * mean over groups k / (k - 1) Σ (s - m p)² / n² over p (1 - p) / n. For few groups or equal values it is 1 + ρ (Σ m² / n - 1),
 * with the correlation ρ within groups; with ρ = 1 each group counts once. Between n² / Σ m² and n.
 */
export function effectiveSize(
  values: readonly number[],
  clusters: readonly string[],
  correlation: number,
): number {
  const n = values.length;
  if (n === 0) return 0;
  const sums = clusterSums(unpaired(values, clusters));
  const mean = sumOf(sums, ({ count }) => count ** 2) / n;
  const p = sumOf(sums, ({ difference }) => difference) / n;
  const spread = p * (1 - p);
  if (sums.length < FEWEST_CLUSTERS || spread <= 0) return n / (1 + correlation * (mean - 1));
  const k = sums.length;
  const variance =
    ((k / (k - 1)) * sumOf(sums, ({ difference, count }) => (difference - count * p) ** 2)) / n ** 2;
  return Math.min(n, Math.max(n / mean, spread / variance));
}

/**
 * Correlation of values within groups over all strata (tasks and lengths): the upper end of its one-sided 95 % interval, by a
 * one-way analysis of variance within strata whose mean squares between and within groups are added up. The quantile of F is
 * Wilson and Hilferty's for chi squared between groups. 1 if there are too few groups or the values of a stratum never differ.
 */
export function groupCorrelation(
  strata: readonly { readonly values: readonly number[]; readonly clusters: readonly string[] }[],
): number {
  let [between, within, groups, rest, sizes] = [0, 0, 0, 0, 0];
  for (const { values, clusters } of strata) {
    const sums = clusterSums(unpaired(values, clusters));
    const n = values.length;
    const p = sumOf(sums, ({ difference }) => difference) / n;
    const explained = sumOf(sums, ({ difference, count }) => count * (difference / count - p) ** 2);
    between += explained;
    within += values.reduce((sum, value) => sum + (value - p) ** 2, 0) - explained;
    groups += sums.length - 1;
    rest += n - sums.length;
    sizes += n - sumOf(sums, ({ count }) => count ** 2) / n;
  }
  if (groups < FEWEST_CLUSTERS || rest === 0 || within <= 0) return 1;
  const low = (1 - 2 / (9 * groups) - ONE_SIDED * Math.sqrt(2 / (9 * groups))) ** 3;
  const ratio = between / groups / (within / rest) / low - 1;
  return Math.min(1, Math.max(0, ratio / (ratio + sizes / groups)));
}

/** `values` in groups, each against 0. */
export const unpaired = (values: readonly number[], clusters: readonly string[]): Pair[] =>
  values.map((a, i) => ({ a, b: 0, cluster: clusters[i]! }));

/** The normal distribution's quantile of 95 %. */
const ONE_SIDED = 1.645;

const sumOf = (sums: readonly ClusterSum[], of: (one: ClusterSum) => number): number =>
  sums.reduce((sum, one) => sum + of(one), 0);

export interface Difference {
  readonly difference: number;
  readonly interval: readonly [number, number];
}

const DRAWS = 2000;

/** mean(a) - mean(b) with its 95 % interval over draws of whole clusters with replacement; [-1, 1] for a single cluster. */
export function pairedBootstrap(pairs: readonly Pair[]): Difference {
  const sums = clusterSums(pairs);
  const total = sums.reduce((sum, one) => sum + one.difference, 0);
  const difference = pairs.length === 0 ? 0 : total / pairs.length;
  if (sums.length < 2) return { difference, interval: [-1, 1] };
  const random = seeded(1);
  const drawn = Float64Array.from({ length: DRAWS }, () => {
    let [sum, count] = [0, 0];
    for (let i = 0; i < sums.length; i++) {
      const one = sums[Math.floor(random() * sums.length)]!;
      sum += one.difference;
      count += one.count;
    }
    return sum / count;
  }).sort();
  return { difference, interval: [quantile(drawn, 0.025), quantile(drawn, 0.975)] };
}

interface ClusterSum {
  difference: number;
  count: number;
}

function clusterSums(pairs: readonly Pair[]): ClusterSum[] {
  const clusters = new Map<string, ClusterSum>();
  for (const { a, b, cluster } of pairs) {
    const own = clusters.get(cluster) ?? { difference: 0, count: 0 };
    own.difference += a - b;
    own.count++;
    clusters.set(cluster, own);
  }
  return [...clusters.values()];
}
