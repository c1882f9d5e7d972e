/** @file Small statistics: what benchmarks, figures and reports need of a list of numbers. */

/** Arithmetic mean; NaN for none. */
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Middle value; the mean of the two middle ones for an even count. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** `count` of `items`, evenly spread over them; all of them when there are no more. */
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
