/** @file The dense side of routing: cosine similarity over unit vectors. */

import { dot, norm, unit } from "../lib/vector.ts";
import { rankByScore, type Ranked } from "./fuse.ts";

/** The vector scaled to length 1; a zero vector stays zero. @throws {Error} if it contains NaN or infinity */
export function unitEmbedding(vector: Float32Array): Float32Array {
  if (!Number.isFinite(norm(vector)))
    throw new Error("router: an embedding contains NaN or infinity; check the embedding model");
  return unit(vector);
}

/** Cosine of two unit vectors. Throws if their lengths differ, which means that two embedding models were mixed. */
export function cosine(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length)
    throw new Error(
      `router: embeddings of ${a.length} and ${b.length} numbers cannot be compared; use one embedding model`,
    );
  return dot(a, b);
}

export function denseRank(
  question: Float32Array,
  vectors: readonly (Float32Array | undefined)[],
): ReadonlyMap<number, Ranked> {
  return rankByScore(
    vectors.flatMap((vector, id) => (vector?.length ? [{ id, score: cosine(question, vector) }] : [])),
  );
}
