/** @file Geometry of stored vectors: similarities, margins, neighbours, and maps in two dimensions. */

import type { FactId } from "./ids.ts";

export interface SimilarityMatrix {
  readonly layer: number;
  readonly stored: number;
  readonly keys: readonly string[];
  readonly ids: readonly FactId[];
  readonly similarity: ArrayLike<number>;
}

/** How clearly one fact's own key wins at its own prompt: 1 - the largest similarity to another key of the layer. */
export interface Margin {
  readonly id: FactId;
  readonly key: string;
  readonly rival: string | null;
  readonly rivalId: FactId | null;
  readonly rivalSimilarity: number | null;
  readonly margin: number | null;
}

export interface LayerGeometry {
  readonly matrix: SimilarityMatrix;
  readonly margins: readonly Margin[];
}

export interface Neighbour {
  readonly id: FactId;
  readonly key: string;
  readonly layer: number;
  readonly cosine: number;
}

export interface MapRequest {
  readonly of: "key" | "residual";
  readonly layer: number | null;
  readonly method: "pca" | "umap";
  readonly limit: number;
  readonly seed: number;
}

interface MapPoint {
  readonly id: string;
  readonly key: string;
  readonly anchor: string;
  readonly layer: number;
  readonly fidelity: number;
  readonly exact: boolean;
  readonly x: number;
  readonly y: number;
}

export interface VectorMap {
  readonly request: MapRequest;
  readonly available: number;
  readonly points: readonly MapPoint[];
  /** Share of the variance on each axis; null for UMAP, whose axes mean nothing. */
  readonly explained: readonly [number, number] | null;
}
