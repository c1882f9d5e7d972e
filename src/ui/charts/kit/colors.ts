/**
 * @file Colours of figures: ramps of one hue whose lightness runs one way, so that they read without hue. They use
 * theme tokens, and so follow the theme.
 */

import { layerColor } from "../../layerColor.ts";
import type { LayerIndex } from "../../../records/ids.ts";

export type Tone = "lapis" | "rubric" | "verdigris";

const clamp = (t: number): number => Math.max(0, Math.min(1, Number.isFinite(t) ? t : 0));

/** Share at which the ramp has reached its hue; above it darkens to ink. */
const HUE_AT = 0.72;

/** Colour at t of 0..1: paper, then the tone, then ink. */
export function ramp(t: number, tone: Tone = "lapis"): string {
  const at = clamp(t);
  return at <= HUE_AT
    ? mix(`--${tone}`, "--paper-sunk", at / HUE_AT)
    : mix("--ink", `--${tone}`, ((at - HUE_AT) / (1 - HUE_AT)) * 0.72);
}

/** The colour of text on {@link ramp}(t). */
export const onRamp = (t: number): string => (clamp(t) > 0.46 ? "var(--paper-raised)" : "var(--ink)");

const mix = (a: string, b: string, share: number): string =>
  `color-mix(in srgb, var(${a}) ${Math.round(share * 1000) / 10}%, var(${b}))`;

/** A layer's colour for a number out of a row. */
export const layerOf = (layer: number): string => layerColor(layer as LayerIndex);

/** Steps of a ramp as [r, g, b] bytes, for canvas; resolved against the theme that holds for `element` now. */
export function rampBytes(element: Element, tone: Tone = "lapis", steps = 256): Uint8ClampedArray {
  const style = getComputedStyle(element);
  const [paper, hue, ink] = ["--paper-sunk", `--${tone}`, "--ink"].map((name) =>
    hexBytes(style.getPropertyValue(name).trim()),
  ) as [Bytes, Bytes, Bytes];
  const bytes = new Uint8ClampedArray(steps * 3);
  for (let i = 0; i < steps; i++) {
    const at = i / (steps - 1);
    const low = at <= HUE_AT;
    const share = low ? at / HUE_AT : ((at - HUE_AT) / (1 - HUE_AT)) * 0.72;
    for (let c = 0; c < 3; c++)
      bytes[3 * i + c] = low
        ? paper[c]! + (hue[c]! - paper[c]!) * share
        : hue[c]! + (ink[c]! - hue[c]!) * share;
  }
  return bytes;
}

type Bytes = readonly [number, number, number];

function hexBytes(hex: string): Bytes {
  const value = Number.parseInt(hex.slice(1, 7), 16);
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255];
}

/** A colour with variables in it as the browser computes it now; canvas knows no variables. */
export function resolved(element: Element, color: string): string {
  const name = /^var\((--[\w-]+)\)$/.exec(color)?.[1];
  if (name) return getComputedStyle(element).getPropertyValue(name).trim();
  const probe = document.createElement("span");
  probe.style.color = color;
  element.parentElement!.append(probe);
  const computed = getComputedStyle(probe).color;
  probe.remove();
  return computed;
}
