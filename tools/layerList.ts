/** @file The option --layers of commands that name storage layers one by one. */

import { layerIndex, type LayerIndex } from "../src/records/ids.ts";
import { UsageError } from "./cli.ts";

/** "3,1" -> [1, 3]. @throws UsageError on anything but different layers of a model with `depth` of them. */
export function parseLayers(text: string, depth: number): LayerIndex[] {
  const layers = text.split(",").map((part) => (part.trim() === "" ? NaN : Number(part)));
  const wrong = layers.some((layer) => !Number.isInteger(layer) || layer < 0 || layer >= depth);
  if (wrong || new Set(layers).size < layers.length)
    throw new UsageError(
      `--layers is "${text}", expected different layers from 0 to ${depth - 1}, as in 1,3`,
    );
  return layers.toSorted((a, b) => a - b).map(layerIndex);
}
