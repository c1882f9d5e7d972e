/** @file Small statistics of a benchmark run. */

/** Middle value; the mean of the two middle ones for an even count. NaN for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Arithmetic mean; NaN for none. */
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** `items` dealt into `hands`, one by one: neighbours end in different hands. */
export function deal<T>(items: readonly T[], hands: number): T[][] {
  return Array.from({ length: hands }, (_, hand) => items.filter((_, i) => i % hands === hand));
}

/** `count` of `items`, evenly spread over them; all of them when there are fewer. */
export function spread<T>(items: readonly T[], count: number): T[] {
  if (count >= items.length) return [...items];
  return Array.from({ length: count }, (_, i) => items[Math.floor((i * items.length) / count)]!);
}
