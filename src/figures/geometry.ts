/**
 * @file How a layer's keys lie to each other: similarities, margins (how close the store is to confusion), and who is
 * nearest. Keys are unit vectors, so a product is a cosine.
 */

import type { LayerGeometry, Margin, Neighbour, SimilarityMatrix } from "../records/geometry.ts";
import type { FactId } from "../records/ids.ts";
import type { EntryMeta, MemoryEntry } from "../records/memory.ts";
import { vectorsOfBlock, vectorsOfKind, type KeptMemory, type VectorKind } from "../records/vectors.ts";
import { dot, norm } from "../lib/vector.ts";
import { spreadIndices } from "./stats.ts";
import { keyText } from "../records/fact.ts";

export type KeyedEntry = Pick<MemoryEntry, "id" | "anchor" | "index" | "layer" | "key">;

export function similarityMatrix(
  entries: readonly KeyedEntry[],
  layer: number,
  limit: number,
): SimilarityMatrix {
  const stored = entries.filter((entry) => entry.layer === layer);
  const shown = spreadIndices(stored.length, limit).map((i) => stored[i]!);
  const n = shown.length;
  const similarity = new Float32Array(n * n);
  for (let i = 0; i < n; i++)
    for (let j = 0; j <= i; j++)
      similarity[i * n + j] = similarity[j * n + i] = dot(shown[i]!.key, shown[j]!.key);
  return {
    layer,
    stored: stored.length,
    keys: shown.map(keyText),
    ids: shown.map(({ id }) => id),
    similarity,
  };
}

/**
 * Margins of the facts of one layer, each against all others; at most `limit` facts are asked, evenly spread. At a
 * fact's own key token its own key has similarity 1, so the second-best key decides.
 */
export function margins(entries: readonly KeyedEntry[], layer: number, limit = Infinity): Margin[] {
  const stored = entries.filter((entry) => entry.layer === layer);
  return spreadIndices(stored.length, limit).map((i) => {
    const own = stored[i]!;
    let [rival, best] = [-1, -Infinity];
    for (let j = 0; j < stored.length; j++) {
      if (j === i) continue;
      const s = dot(own.key, stored[j]!.key);
      if (s > best) [rival, best] = [j, s];
    }
    const found = rival >= 0;
    return {
      id: own.id,
      key: keyText(own),
      rival: found ? keyText(stored[rival]!) : null,
      rivalId: found ? stored[rival]!.id : null,
      rivalSimilarity: found ? best : null,
      margin: found ? 1 - best : null,
    };
  });
}

/**
 * The facts nearest to `id` by key (its own layer only: keys of different layers live in different spaces) or by
 * residual (all layers share the residual stream). One block of vectors is looked at after another, and no more is kept
 * than the best so far. @throws when `id` is not among the entries
 */
export async function nearest(
  { entries, blocks, model }: Pick<KeptMemory, "entries" | "blocks" | "model">,
  id: FactId,
  by: VectorKind,
  count: number,
): Promise<Neighbour[]> {
  const own = entries.find((entry) => entry.id === id);
  if (!own) throw new Error(`figures: no fact ${id} among the ${entries.length} entries`);
  const [vector] = await vectorsOfKind({ blocks, model }, [own], by);
  let best: Neighbour[] = [];
  for (const block of blocks) {
    if (by === "key" && block.layer !== own.layer) continue;
    const vectorAt = await vectorsOfBlock(block, model);
    const found = block.entries.flatMap((entry, i) =>
      entry === own ? [] : neighbour(entry, cosineOf(vector!, vectorAt(by, i))),
    );
    best = [...best, ...found].sort(nearestFirst).slice(0, count);
  }
  return best;
}

const neighbour = (entry: EntryMeta, cosine: number): Neighbour => ({
  ...{ id: entry.id, key: keyText(entry), layer: entry.layer as number, cosine },
});

const nearestFirst = (a: Neighbour, b: Neighbour): number =>
  b.cosine - a.cosine || (a.key < b.key ? -1 : Number(a.key > b.key));

function cosineOf(a: Float32Array, b: Float32Array): number {
  const scale = norm(a) * norm(b);
  return scale > 0 ? dot(a, b) / scale : 0;
}

export function layerGeometry(
  entries: readonly KeyedEntry[],
  layer: number,
  limits: { readonly matrix: number; readonly margins: number },
): LayerGeometry {
  return {
    matrix: similarityMatrix(entries, layer, limits.matrix),
    margins: margins(entries, layer, limits.margins),
  };
}
