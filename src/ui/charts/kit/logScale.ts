/** @file Logarithmic scales over whole decades: losses fall through several of them. */

/** A logarithmic scale over whole decades that holds `low` to `high`, both above 0, with its ticks. */
export function logScale(low: number, high: number): { domain: [number, number]; ticks: number[] } {
  const [first, last] = [Math.floor(Math.log10(low) + 1e-9), Math.ceil(Math.log10(high) - 1e-9)];
  const top = Math.max(last, first + 1);
  const ticks = Array.from({ length: top - first + 1 }, (_, i) => Number(`1e${first + i}`));
  return { domain: [ticks[0]!, ticks.at(-1)!], ticks };
}

/** The position of `value` on a logarithmic scale, from 0 to 1. */
export const logShare = (value: number, [low, high]: readonly [number, number]): number =>
  Math.log(Math.max(value, low) / low) / Math.log(high / low);

export const LEAST_LOSS = 1e-4;

/** Smallest and largest of `values`; what is not above 0 cannot be drawn on a logarithm and counts as `least`. */
export function positiveEnds(values: readonly number[], least: number): [number, number] {
  const shown = values.map((value) => Math.max(value, least));
  return [shown.reduce((a, b) => Math.min(a, b), 1), shown.reduce((a, b) => Math.max(a, b), least)];
}
