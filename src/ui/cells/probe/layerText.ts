/** @file Lists of layers as people write them, and the memorize cell that a probe speaks to. */

import { firstOf, memorizeCellBelow } from "../../../notebook/places.ts";
import type { LayerIndex } from "../../../records/ids.ts";
import type { MemorizeCell, Notebook } from "../../../records/notebook.ts";

/** "1, 3-5" for [1, 3, 4, 5]; "" for all. */
export function layersText(layers: readonly LayerIndex[] | null): string {
  if (!layers) return "";
  const parts: string[] = [];
  for (let i = 0; i < layers.length; i++) {
    let last = i;
    while (last + 1 < layers.length && layers[last + 1] === layers[last]! + 1) last++;
    parts.push(last > i + 1 ? `${layers[i]}-${layers[last]}` : String(layers[i]));
    if (last > i + 1) i = last;
  }
  return parts.join(", ");
}

/** Layers named in `text`, ascending and once each, below `count` where that is known; null when none is. */
export function layersOf(text: string, count: number | null): readonly LayerIndex[] | null {
  const found = new Set<number>();
  for (const part of text.split(/[\s,]+/)) {
    const [, first, last = first] = /^(\d+)(?:[-–](\d+))?$/.exec(part) ?? [];
    if (first === undefined) continue;
    const end = Math.min(Number(last), (count ?? 1000) - 1);
    for (let layer = Number(first); layer <= end; layer++) found.add(layer);
  }
  return found.size === 0 ? null : ([...found].sort((a, b) => a - b) as LayerIndex[]);
}

/** The next memorize cell below, else the first of the notebook. */
export function memorizeCellFor(notebook: Notebook, cellId: string): MemorizeCell | null {
  return memorizeCellBelow(notebook, cellId) ?? firstOf(notebook, "memorize");
}
