/** @file Colours of figures: ramps whose lightness runs one way, so that they read without hue, and the colours of layers. */

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
