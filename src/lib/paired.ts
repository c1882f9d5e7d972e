/**
 * @file Questions in groups that belong together, those of one text: what they are worth, and two methods on them by
 * McNemar's exact test and by a bootstrap over groups.
 */

import { quantile } from "./stats.ts";
import { seeded } from "./rng.ts";

/** How two methods did on one question, and which questions stand or fall together (those of one text). */
export interface Pair {
  readonly a: number;
  readonly b: number;
  readonly cluster: string;
}

/**
 * McNemar's exact test: the two-sided chance that of the questions which one method alone got right, so many or more
 * fall to one side, if each falls to either side with probability 1/2. 1 without such questions.
 */
export function mcnemar(onlyA: number, onlyB: number): number {
  const n = onlyA + onlyB;
  const few = Math.min(onlyA, onlyB);
  // log of (n over k) / 2^n, step by step: large n would pass the largest number otherwise.
  let term = -n * Math.LN2;
  let tail = 0;
  for (let k = 0; k <= few; k++) {
    tail += Math.exp(term);
    term += Math.log((n - k) / (k + 1));
  }
  return Math.min(1, 2 * tail);
}

/**
 * Groups below which two methods are not told apart, nor a variance of groups believed: that five fall to one side by
 * chance has a chance of 1/16, six of 1/32.
 */
export const FEWEST_CLUSTERS = 6;

/**
 * How many independent questions `values` (0 to 1) are worth that come in groups: n over the design effect, the variance
 * of their mean over groups k / (k - 1) Σ (s - m p)² / n² over that of independent ones p (1 - p) / n. It is between n
 * and n² / Σ m², where the questions of a group are one; it is the latter for few groups, and where all values are equal.
 */
export function effectiveSize(values: readonly number[], clusters: readonly string[]): number {
  const n = values.length;
  if (n === 0) return 0;
  const sums = clusterSums(values.map((a, i) => ({ a, b: 0, cluster: clusters[i]! })));
  const total = (of: (one: ClusterSum) => number): number => sums.reduce((sum, one) => sum + of(one), 0);
  const least = n ** 2 / total(({ count }) => count ** 2);
  const p = total(({ difference }) => difference) / n;
  const spread = p * (1 - p);
  if (sums.length < FEWEST_CLUSTERS || spread <= 0) return least;
  const k = sums.length;
  const variance = ((k / (k - 1)) * total(({ difference, count }) => (difference - count * p) ** 2)) / n ** 2;
  return Math.min(n, Math.max(least, spread / variance));
}

/** A difference of means with an interval. */
export interface Difference {
  readonly difference: number;
  /** 95 %, by percentiles. */
  readonly interval: readonly [number, number];
}

/** Times that groups are drawn. */
const DRAWS = 2000;

/**
 * mean(a) - mean(b) with its 95 % interval over draws of whole clusters with replacement, as many as there are; the
 * same seed gives the same interval. For a single cluster the interval is [-1, 1].
 */
export function pairedBootstrap(pairs: readonly Pair[], seed = 1): Difference {
  const sums = clusterSums(pairs);
  const total = sums.reduce((sum, one) => sum + one.difference, 0);
  const difference = pairs.length === 0 ? 0 : total / pairs.length;
  if (sums.length < 2) return { difference, interval: [-1, 1] };
  const random = seeded(seed);
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
