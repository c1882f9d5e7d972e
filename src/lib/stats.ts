export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Value at share q of the sorted numbers, between neighbours in proportion (R's type 7). NaN for none. */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  if (sorted.length === 0) return NaN;
  const at = q * (sorted.length - 1);
  const low = sorted[Math.floor(at)]!;
  return low + (sorted[Math.ceil(at)]! - low) * (at - Math.floor(at));
}

export function spread<T>(items: readonly T[], count: number): T[] {
  if (count >= items.length) return [...items];
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]!);
}

/** F1 of two multisets: 2 |a ∩ b| / (|a| + |b|), 1 when both are empty. */
export function multisetF1<T>(a: readonly T[], b: readonly T[]): number {
  const total = a.length + b.length;
  if (total === 0) return 1;
  const left = new Map<T, number>();
  for (const item of b) left.set(item, (left.get(item) ?? 0) + 1);
  let common = 0;
  for (const item of a) {
    const count = left.get(item) ?? 0;
    if (count > 0) common++;
    left.set(item, count - 1);
  }
  return (2 * common) / total;
}

/** Indices of the `count` largest of `values`, largest first; the first index wins a tie. */
export function largest(values: ArrayLike<number>, count: number): number[] {
  const top: number[] = [];
  let least = -Infinity;
  for (let i = 0; i < values.length; i++) {
    if (top.length === count && values[i]! <= least) continue;
    const at = top.findIndex((j) => values[i]! > values[j]!);
    top.splice(at < 0 ? top.length : at, 0, i);
    if (top.length > count) top.pop();
    least = values[top.at(-1)!]!;
  }
  return top;
}

export function softmax(values: ArrayLike<number>, sharpness: number): Float64Array {
  const scores = Float64Array.from(values, (x) => sharpness * x);
  const most = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  const raised = scores.map((score) => Math.exp(score - most));
  const sum = raised.reduce((a, b) => a + b, 0);
  return raised.map((x) => x / sum);
}

/** {@link softmax} at the places `at` alone, the same to the bit, without an array of all: a recall asks it of each part. */
export function softmaxAt(values: ArrayLike<number>, sharpness: number, at: readonly number[]): number[] {
  let most = -Infinity;
  for (let i = 0; i < values.length; i++) most = Math.max(most, sharpness * values[i]!);
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += Math.exp(sharpness * values[i]! - most);
  return at.map((i) => Math.exp(sharpness * values[i]! - most) / sum);
}

/** 95 % Wilson score interval of a share of `n` in `of`; [0, 1] if `of` is 0. */
export function wilson(n: number, of: number): readonly [number, number] {
  if (of === 0) return [0, 1];
  const [share, z] = [n / of, 1.96];
  const centre = share + (z * z) / (2 * of);
  const half = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  const scale = 1 + (z * z) / of;
  return [Math.max(0, (centre - half) / scale), Math.min(1, (centre + half) / scale)];
}

export interface SampledShare {
  readonly share: number;
  readonly n: number;
}

/** Whether two shares differ at 95 %: Newcombe's interval of their difference excludes 0. Conservative for paired samples. */
export function sharesDiffer(a: SampledShare, b: SampledShare): boolean {
  const [low, high] = a.share < b.share ? [a, b] : [b, a];
  const [, lowEnd] = wilson(low.share * low.n, low.n);
  const [highEnd] = wilson(high.share * high.n, high.n);
  return high.share - low.share > Math.hypot(high.share - highEnd, lowEnd - low.share);
}

/** Root mean square of found - expected over that of expected; Infinity if the lengths differ or a value is not a number. */
export function relativeRms(found: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (found.length !== expected.length) return Infinity;
  let [error, size] = [0, 0];
  for (let i = 0; i < expected.length; i++) {
    error += (found[i]! - expected[i]!) ** 2;
    size += expected[i]! ** 2;
  }
  const ratio = Math.sqrt(error / size);
  return Number.isNaN(ratio) ? Infinity : ratio;
}
