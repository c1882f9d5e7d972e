/** @file How well a score separates two kinds of things, from pairs of one thing of each kind. */

import { mean, quantile } from "./stats.ts";
import { seeded } from "./rng.ts";

export type ScorePair = readonly [positive: number, negative: number];

const DRAWS = 1000;

/**
 * `auc`: probability that a positive has a larger score than a negative, where equal scores count half, with its 95 % interval.
 * `bits`: information of a guess that is right with that probability. @throws without a pair, or if a score is NaN
 */
export function aucOf(pairs: readonly ScorePair[], seed = 1) {
  if (pairs.length === 0 || pairs.flat().some(Number.isNaN))
    throw new Error(`auc: ${pairs.length} pairs were given; at least one, and numbers alone, are expected`);
  const random = seeded(seed);
  const draws = Array.from({ length: DRAWS }, () =>
    area(pairs.map(() => pairs[Math.floor(random() * pairs.length)]!)),
  ).sort((a, b) => a - b);
  const auc = area(pairs);
  return { auc, low: quantile(draws, 0.025), high: quantile(draws, 0.975), bits: 1 - entropy(auc) };
}

function area(pairs: readonly ScorePair[]): number {
  const n = pairs.length;
  const scores = pairs.flatMap(([a, b]) => [
    { score: a, positive: true },
    { score: b, positive: false },
  ]);
  scores.sort((a, b) => a.score - b.score);
  let sum = 0;
  for (let from = 0; from < scores.length;) {
    let to = from;
    while (to < scores.length && scores[to]!.score === scores[from]!.score) to++;
    const rank = (from + to + 1) / 2;
    for (let i = from; i < to; i++) if (scores[i]!.positive) sum += rank;
    from = to;
  }
  return (sum - (n * (n + 1)) / 2) / (n * n);
}

const entropy = (p: number): number =>
  [p, 1 - p].reduce((sum, q) => (q > 0 ? sum - q * Math.log2(q) : sum), 0);

const FOLDS = 5;
const STEPS = 300;
const RATE = 0.5;
const SHRINKAGE = 1e-3;

/** Scores of a logistic classifier over features [pair][2][features], each of a model that was trained without its fold. */
export function crossValidated(
  pairs: readonly (readonly [readonly number[], readonly number[]])[],
): ScorePair[] {
  const width = pairs[0]?.[0].length ?? 0;
  const columns = Array.from({ length: width }, (_, f) =>
    pairs.flatMap((pair) => pair.map((row) => row[f]!)),
  );
  const centres = columns.map(mean);
  const scales = columns.map((all, f) => Math.sqrt(mean(all.map((x) => (x - centres[f]!) ** 2))) || 1);
  const scaled = pairs.map((pair) => pair.map((row) => row.map((x, f) => (x - centres[f]!) / scales[f]!)));
  const weights = Array.from({ length: FOLDS }, (_, fold) =>
    // Differences of pairs: common properties, such as the anchor, do not count.
    trained(
      scaled.flatMap(([a, b], i) => (i % FOLDS === fold ? [] : [a!.map((x, f) => x - b![f]!)])),
      width,
    ),
  );
  const score = (row: readonly number[], i: number): number =>
    row.reduce((sum, x, f) => sum + x * weights[i % FOLDS]![f]!, 0);
  return scaled.map(([a, b], i) => [score(a!, i), score(b!, i)]);
}

function trained(differences: readonly (readonly number[])[], width: number): number[] {
  let weights = Array.from({ length: width }, () => 0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = weights.map((w) => SHRINKAGE * w);
    for (const row of differences) {
      const margin = row.reduce((sum, x, f) => sum + x * weights[f]!, 0);
      const pull = 1 / (1 + Math.exp(margin)) / differences.length;
      for (const [f, x] of row.entries()) gradient[f]! -= pull * x;
    }
    weights = weights.map((w, f) => w - RATE * gradient[f]!);
  }
  return weights;
}
