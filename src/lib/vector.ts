/** @file Norms of plain vectors. */

/** |v|, summed in double precision. */
export function norm(vector: Float32Array): number {
  let square = 0;
  for (const x of vector) square += x * x;
  return Math.sqrt(square);
}

/** v / |v|; the zero vector stays zero. */
export function unit(vector: Float32Array): Float32Array {
  const length = norm(vector);
  return length > 0 ? vector.map((x) => x / length) : vector;
}
