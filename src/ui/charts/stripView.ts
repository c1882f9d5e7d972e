/** @file The part of a text in view on the strip: zooming, moving, and what a drag selects. Characters throughout. */

import type { View } from "../../figures/extraction.ts";

const CLOSEST = 60;

/** `view` made `factor` times as wide about `center`, inside 0..characters. */
export function zoomed({ from, to }: View, factor: number, center: number, characters: number): View {
  const width = Math.min(characters, Math.max(CLOSEST, (to - from) * factor));
  const share = (center - from) / (to - from || 1);
  return inside(center - share * width, width, characters);
}

/** `view` moved by a share of its width. */
export const moved = ({ from, to }: View, share: number, characters: number): View =>
  inside(from + share * (to - from), to - from, characters);

/** The view between two places; too narrow a choice is a click, and only moves the view there. */
export function selected(view: View, a: number, b: number, characters: number): View {
  const width = Math.abs(b - a);
  if (width >= CLOSEST) return inside(Math.min(a, b), width, characters);
  return inside(a - (view.to - view.from) / 2, view.to - view.from, characters);
}

function inside(from: number, width: number, characters: number): View {
  const start = Math.max(0, Math.min(characters - width, from));
  return { from: Math.round(start), to: Math.round(Math.min(characters, start + width)) };
}
