/** @file Two methods on the same questions: McNemar's exact test, and a bootstrap over groups that belong together. */

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
 * fall to one side, if each fell to either with a half. 1 where there is none.
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
 * same seed gives the same interval. Of one cluster nothing can be told: [-1, 1].
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

function clusterSums(pairs: readonly Pair[]): { difference: number; count: number }[] {
  const clusters = new Map<string, { difference: number; count: number }>();
  for (const { a, b, cluster } of pairs) {
    const own = clusters.get(cluster) ?? { difference: 0, count: 0 };
    own.difference += a - b;
    own.count++;
    clusters.set(cluster, own);
  }
  return [...clusters.values()];
}
