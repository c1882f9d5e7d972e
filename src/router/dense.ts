/** @file The dense side of routing: cosine similarity over unit vectors. */

import { assert } from "../lib/assert.ts";
import { rankByScore, type Ranked } from "./fuse.ts";

/** The vector scaled to length 1; a zero vector stays zero and is similar to nothing. */
export function unit(vector: Float32Array): Float32Array {
  let square = 0;
  for (const x of vector) square += x * x;
  assert(
    Number.isFinite(square),
    () => "router: an embedding holds NaN or infinity; check the embedding model",
  );
  const scale = square > 0 ? 1 / Math.sqrt(square) : 0;
  return vector.map((x) => x * scale);
}

/** Cosine of two unit vectors. Throws when their lengths differ, which means two embedding models were mixed. */
export function cosine(a: Float32Array, b: Float32Array): number {
  assert(
    a.length === b.length,
    () =>
      `router: embeddings of ${a.length} and ${b.length} numbers cannot be compared; use one embedding model`,
  );
  let sum = 0;
  for (let i = 0; i < a.length; i += 1) sum += a[i]! * b[i]!;
  return sum;
}

/** Ranks vectors (by position) by their similarity to the question; positions without a vector are not ranked. */
export function denseRank(
  question: Float32Array,
  vectors: readonly (Float32Array | undefined)[],
): ReadonlyMap<number, Ranked> {
  return rankByScore(
    vectors.flatMap((vector, id) => (vector ? [{ id, score: cosine(question, vector) }] : [])),
  );
}
