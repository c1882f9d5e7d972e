/** @file Histograms and evenly spread samples. */

/** At most `count` equal bins of the whole numbers 0..largest; bounds are inclusive. */
export function wholeBins(largest: number, count: number): { from: number; to: number }[] {
  const width = Math.max(1, Math.ceil((largest + 1) / count));
  return Array.from({ length: Math.ceil((largest + 1) / width) }, (_, i) => ({
    from: i * width,
    to: (i + 1) * width - 1,
  }));
}

/** Indices of at most `count` of n items, evenly spread, including the first and the last. */
export function spreadIndices(n: number, count: number): number[] {
  if (n <= count) return Array.from({ length: n }, (_, i) => i);
  if (count <= 1) return count === 1 ? [0] : [];
  return Array.from({ length: count }, (_, i) => Math.round((i * (n - 1)) / (count - 1)));
}
