/** @file A map of keys or residuals in two dimensions: PCA at once, UMAP with progress for a worker. */

import { UMAP } from "umap-js";
import { unit } from "../lib/vector.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import { seeded } from "../lib/rng.ts";
import type { MapRequest, VectorMap } from "../records/geometry.ts";
import { ownRead, type EntryMeta } from "../records/memory.ts";
import type { EntryVectors, VectorKind } from "../records/vectors.ts";
import { keyText } from "../records/fact.ts";
import { pca2 } from "./pca.ts";
import { spreadIndices } from "./stats.ts";

export interface MapOptions {
  readonly signal?: AbortSignal | undefined;
  /** Share of the work that is done, 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
}

type Mapped = Pick<EntryMeta, "id" | "anchor" | "index" | "layer" | "report">;

export interface MapSet {
  readonly available: number;
  readonly shown: readonly Mapped[];
  readonly directions: readonly Float32Array[];
}

/**
 * The points that a map of `sets` sets shows of one of them; each set has as many points. `vectorsOf` reads the vectors
 * of these points only. @throws if keys of several layers are requested, because their spaces differ
 */
export async function mapSet<E extends Mapped>(
  entries: readonly E[],
  { of, layer, limit }: MapRequest,
  sets: number,
  vectorsOf: (shown: readonly E[]) => Promise<readonly Float32Array[]>,
): Promise<MapSet> {
  if (of === "key" && layer === null)
    throw new Error(
      "figures: keys of different layers live in different spaces; choose one layer to map keys of",
    );
  const each = Math.max(1, Math.floor(limit / Math.max(1, sets)));
  const available = entries.filter((entry) => layer === null || entry.layer === layer);
  const shown = spreadIndices(available.length, each).map((i) => available[i]!);
  // Directions only: the length of δ depends on its layer, would dominate the map, and is shown in another figure.
  const directions = (await vectorsOf(shown)).map(unit);
  return { available: available.length, shown, directions };
}

/** One map for each set, all in one projection: a place means the same in each. @throws Cancelled */
export async function vectorMaps(
  sets: readonly MapSet[],
  request: MapRequest,
  options: MapOptions = {},
): Promise<VectorMap[]> {
  const vectors = sets.flatMap(({ directions }) => directions);
  const pca = request.method === "pca" ? pca2(vectors) : null;
  const places = (pca?.points ?? (await umap(vectors, request.seed, options))).values();
  return sets.map(({ available, shown }) => ({
    request,
    available,
    explained: pca?.explained ?? null,
    points: shown.map(({ id, anchor, index, layer, report }) => {
      const [x, y] = places.next().value!;
      const key = keyText({ anchor, index });
      return {
        id,
        key,
        anchor,
        layer,
        fidelity: ownRead(report).fidelity,
        exact: ownRead(report).exact,
        x: x!,
        y: y!,
      };
    }),
  }));
}

/** The map of one set of entries that are loaded. @throws as {@link mapSet} and {@link vectorMaps} */
export async function vectorMap(
  entries: readonly (Mapped & Pick<EntryVectors, VectorKind>)[],
  request: MapRequest,
  options: MapOptions = {},
): Promise<VectorMap> {
  const set = await mapSet(entries, request, 1, async (shown) => shown.map((entry) => entry[request.of]));
  return (await vectorMaps([set], request, options))[0]!;
}

/** UMAP needs a few neighbours; with fewer vectors PCA is used. */
const FEWEST = 5;
const NEIGHBOURS = 15;
/** Epochs between two looks at the clock and the signal. */
const EPOCHS_PER_TURN = 10;

declare function setTimeout(callback: () => void, milliseconds: number): unknown;

/** Cosine UMAP, the same for the same seed; gives way to other work between epochs. */
export async function umap(
  vectors: readonly ArrayLike<number>[],
  seed: number,
  { signal, onProgress }: MapOptions = {},
): Promise<readonly (readonly number[])[]> {
  if (vectors.length < FEWEST) return pca2(vectors).points;
  const model = new UMAP({
    nComponents: 2,
    nNeighbors: Math.min(NEIGHBOURS, vectors.length - 1),
    random: seeded(seed),
    distanceFn: cosineDistance,
  });
  const epochs = model.initializeFit(vectors.map((vector) => Array.from(vector)));
  for (let epoch = 0; epoch < epochs; epoch++) {
    model.step();
    if (epoch % EPOCHS_PER_TURN > 0) continue;
    throwIfCancelled(signal, "figures: UMAP");
    onProgress?.(epoch / epochs);
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
  }
  onProgress?.(1);
  return model.getEmbedding();
}

function cosineDistance(a: number[], b: number[]): number {
  let [ab, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    ab += a[i]! * b[i]!;
    aa += a[i]! * a[i]!;
    bb += b[i]! * b[i]!;
  }
  return aa > 0 && bb > 0 ? 1 - ab / Math.sqrt(aa * bb) : 1;
}
