/** @file Histograms and evenly spread samples. */

/** At most `count` equal bins of the whole numbers 0..largest; bounds are inclusive. */
export function wholeBins(largest: number, count: number): { from: number; to: number }[] {
  const width = Math.max(1, Math.ceil((largest + 1) / count));
  return Array.from({ length: Math.ceil((largest + 1) / width) }, (_, i) => ({
    from: i * width,
    to: (i + 1) * width - 1,
  }));
}

/** `from`..`to` in about `count` equal parts; `at` returns the part of a number, or -1 outside. */
export function equalParts(from: number, to: number, count: number) {
  const width = Math.max(1, (to - from) / count);
  const n = Math.max(1, Math.ceil((to - from) / width - 1e-9));
  const bins = Array.from({ length: n }, (_, i) => ({
    from: Math.round(from + i * width),
    to: Math.round(Math.min(to, from + (i + 1) * width)),
  }));
  const at = (value: number): number =>
    value < from || value >= to ? -1 : Math.min(n - 1, Math.floor((value - from) / width));
  return { bins, at };
}

/** Indices of at most `count` of n items, evenly spread, including the first and the last. */
export function spreadIndices(n: number, count: number): number[] {
  if (n <= count) return Array.from({ length: n }, (_, i) => i);
  if (count <= 1) return count === 1 ? [0] : [];
  return Array.from({ length: count }, (_, i) => Math.round((i * (n - 1)) / (count - 1)));
}
