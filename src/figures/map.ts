/** @file A map of keys or residuals in two dimensions: PCA at once, UMAP with progress for a worker. */

import { EigenvalueDecomposition, Matrix, QrDecomposition } from "ml-matrix";
import { UMAP } from "umap-js";
import { unit, dot, norm } from "../lib/vector.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import { turn } from "../lib/eventLoop.ts";
import { seeded } from "../lib/rng.ts";
import type {
  MapRequest,
  VectorMap,
  LayerGeometry,
  Margin,
  Neighbour,
  SimilarityMatrix,
} from "../records/geometry.ts";
import { ownRead, type EntryMeta, type MemoryEntry } from "../records/memory.ts";
import { keyText } from "../records/fact.ts";
import { spreadIndices } from "./figure.ts";
import type { FactId } from "../records/ids.ts";
import { vectorsOfBlock, vectorsOfKind, type KeptMemory, type VectorKind } from "../records/vectors.ts";

interface MapOptions {
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

/** The points that a map of `sets` sets shows of one of them. @throws if keys of several layers are requested */
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
      const { fidelity, exact } = ownRead(report);
      return { id, key: keyText({ anchor, index }), anchor, layer, fidelity, exact, x: x!, y: y! };
    }),
  }));
}

/** UMAP needs a few neighbours; with fewer vectors PCA is used. */
const FEWEST = 5;
const NEIGHBOURS = 15;
/** Epochs between two looks at the clock and the signal. */
const EPOCHS_PER_TURN = 10;

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
    await turn();
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

interface Pca {
  readonly points: readonly (readonly [number, number])[];
  readonly explained: readonly [number, number];
  readonly axes: readonly [readonly number[], readonly number[]];
}

/** Directions iterated together. More than two, so that the second converges even if the third is nearly as large. */
const BLOCK = 8;
const ROUNDS = 60;
/** Stops when the two largest variances change by less than this share in a round. */
const CONVERGED = 1e-10;

/** Centred PCA in two dimensions, by block iteration of XᵀX. Fewer than two vectors or components, or no variance, give zeros. */
export function pca2(vectors: readonly ArrayLike<number>[]): Pca {
  const d = vectors[0]?.length ?? 0;
  const zeros = new Array<number>(d).fill(0);
  const nothing: Pca = { axes: [zeros, zeros], points: vectors.map(() => [0, 0]), explained: [0, 0] };
  if (vectors.length < 2 || d < 2) return nothing;
  const rows = new Matrix(vectors.map((vector) => Array.from(vector))).center("column");
  const total = rows.dot(rows);
  if (total === 0) return nothing;
  const columns = rows.transpose();
  let basis = Matrix.random(d, Math.min(BLOCK, d), { random: seeded(1) });
  /** Of the directions in `basis`, the largest last. */
  let variances: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const images = new QrDecomposition(columns.mmul(rows.mmul(basis))).orthogonalMatrix;
    const within = rows.mmul(images);
    const ritz = new EigenvalueDecomposition(within.transpose().mmul(within), { assumeSymmetric: true });
    const found = ritz.realEigenvalues;
    const moved = [-1, -2].some(
      (i) => Math.abs(found.at(i)! - (variances.at(i) ?? 0)) > CONVERGED * found.at(-1)!,
    );
    variances = found;
    basis = images.mmul(ritz.eigenvectorMatrix);
    if (!moved) break;
  }
  const axis = (i: number): number[] => signed(basis.getColumn(basis.columns + i));
  const axes = [axis(-1), axis(-2)] as const;
  return {
    axes,
    points: rows.to2DArray().map((row) => [dot(row, axes[0]), dot(row, axes[1])]),
    explained: [variances.at(-1)! / total, variances.at(-2)! / total],
  };
}

/** The axis with its largest component positive, so that pictures do not flip. */
function signed(axis: number[]): number[] {
  const largest = axis.reduce((most, x) => (Math.abs(x) > Math.abs(most) ? x : most), 0);
  return largest < 0 ? axis.map((x) => -x) : axis;
}

type KeyedEntry = Pick<MemoryEntry, "id" | "anchor" | "index" | "layer" | "key">;

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

/** Margins of facts of one layer: a fact's own key has similarity 1, so the second-best key decides. */
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

/** The facts nearest to `id` by key (its own layer only) or by residual. @throws when `id` is not among the entries */
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
    const found = block.entries.flatMap((entry, i): Neighbour[] => {
      const { id, layer } = entry;
      const cosine = cosineOf(vector!, vectorAt(by, i));
      return entry === own ? [] : [{ id, key: keyText(entry), layer, cosine }];
    });
    best = [...best, ...found].sort(nearestFirst).slice(0, count);
  }
  return best;
}

const nearestFirst = (a: Neighbour, b: Neighbour): number =>
  b.cosine - a.cosine || (a.key < b.key ? -1 : Number(a.key > b.key));

function cosineOf(a: Float32Array, b: Float32Array): number {
  const scale = norm(a) * norm(b);
  return scale > 0 ? dot(a, b) / scale : 0;
}

export const layerGeometry = (
  entries: readonly KeyedEntry[],
  layer: number,
  limits: { readonly matrix: number; readonly margins: number },
): LayerGeometry => ({
  matrix: similarityMatrix(entries, layer, limits.matrix),
  margins: margins(entries, layer, limits.margins),
});
