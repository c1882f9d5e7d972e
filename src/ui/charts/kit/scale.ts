/** @file Scales and colours: round and logarithmic ticks, one scale for two figures, and ramps whose lightness runs one way. */

import type { Figure, Row } from "../../../figures/figure.ts";

export function ticks(low: number, high: number, count: number): number[] {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((m) => m * power >= raw) ?? 10) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

export const fromFirst = ([first, last]: readonly number[]): number[] => {
  const after = first! + (last! - first!) / 20;
  const round = ticks(first!, last!, 6).filter((value) => value > first! && value >= after);
  return [first!, ...round.filter(Number.isInteger)];
};

/** Smallest and largest value of a number over rows, never the same. */
export function ends<R>(rows: readonly R[], of: (row: R) => number): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const row of rows) [low, high] = [Math.min(low, of(row)), Math.max(high, of(row))];
  return low < high ? [low, high] : [low - 1, low + 1];
}

export const bothRows = <R extends Row>({ rows }: Figure<R>, beside: Figure<R> | null | undefined) =>
  beside ? [...rows, ...beside.rows] : rows;

export const largest = <R>(rows: readonly R[], of: (row: R) => number | null, least = 0): number =>
  rows.reduce((most, row) => Math.max(most, of(row) ?? least), least);

export const rowOfMost = <R>(rows: readonly R[], of: (row: R) => number): R | undefined =>
  rows.reduce<R | undefined>(
    (most, row) => (most !== undefined && of(most) >= of(row) ? most : row),
    undefined,
  );

export const distinct = <R>(rows: readonly R[], of: (row: R) => number): number[] =>
  [...new Set(rows.map(of))].sort((a, b) => a - b);

export function roundScale(low: number, high: number, count = 4, whole = false) {
  if (!(high > low)) return { domain: [low, low + 1] as [number, number], ticks: [low, low + 1] };
  const fine = ticks(low, high, count).filter((value) => !whole || Number.isInteger(value));
  const step = fine.length > 1 ? fine[1]! - fine[0]! : high - low;
  const top =
    fine.at(-1)! >= high - 1e-9 * (high - low) ? fine.at(-1)! : Number((fine.at(-1)! + step).toPrecision(12));
  const all = fine.at(-1) === top ? fine : [...fine, top];
  return { domain: [Math.min(low, all[0]!), top] as [number, number], ticks: all };
}

/** A logarithmic scale over whole decades that holds `low` to `high`, both above 0, with its ticks. */
export function logScale(low: number, high: number): { domain: [number, number]; ticks: number[] } {
  const [first, last] = [Math.floor(Math.log10(low) + 1e-9), Math.ceil(Math.log10(high) - 1e-9)];
  const top = Math.max(last, first + 1);
  const ticks = Array.from({ length: top - first + 1 }, (_, i) => Number(`1e${first + i}`));
  return { domain: [ticks[0]!, ticks.at(-1)!], ticks };
}

export const logShare = (value: number, [low, high]: readonly [number, number]): number =>
  Math.log(Math.max(value, low) / low) / Math.log(high / low);

const LEAST_LOSS = 1e-4;

/** Smallest and largest of `values`; what is not above 0 cannot be drawn on a logarithm and counts as `least`. */
export function positiveEnds(values: readonly number[], least = LEAST_LOSS): [number, number] {
  const shown = values.map((value) => Math.max(value, least));
  return [shown.reduce((a, b) => Math.min(a, b), 1), shown.reduce((a, b) => Math.max(a, b), least)];
}

export type Tone = "lapis" | "rubric" | "verdigris";

const clamp = (t: number): number => Math.max(0, Math.min(1, Number.isFinite(t) ? t : 0));

const HUE_AT = 0.72;

/** Colour at t of 0..1: paper, then the tone, then ink. */
export function ramp(t: number, tone: Tone = "lapis"): string {
  const at = clamp(t);
  return at <= HUE_AT
    ? mix(`--${tone}`, "--paper-sunk", at / HUE_AT)
    : mix("--ink", `--${tone}`, ((at - HUE_AT) / (1 - HUE_AT)) * 0.72);
}

export const onRamp = (t: number): string => (clamp(t) > 0.46 ? "var(--paper-raised)" : "var(--ink)");

const mix = (a: string, b: string, share: number): string =>
  `color-mix(in srgb, var(${a}) ${Math.round(share * 1000) / 10}%, var(${b}))`;

/** Colours in theme.css; a deeper model takes them round again, so figures name the layer as well. */
const LAYER_COLORS = 12;

/** The CSS colour of layer ℓ, e.g. "var(--layer-3)". */
export const layerColor = (layer: number): string => `var(--layer-${layer % LAYER_COLORS})`;
