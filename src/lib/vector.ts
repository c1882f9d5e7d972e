export function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

export function norm(vector: Float32Array): number {
  let square = 0;
  for (const x of vector) square += x * x;
  return Math.sqrt(square);
}

export function unit(vector: Float32Array): Float32Array {
  const length = norm(vector);
  return length > 0 ? vector.map((x) => x / length) : vector;
}

export const meanVector = (vectors: readonly Float32Array[]): Float32Array =>
  Float32Array.from(vectors[0]!, (_, i) => vectors.reduce((sum, v) => sum + v[i]!, 0) / vectors.length);

export const meanDirection = (v: Float32Array, a: number, w: Float32Array, b: number): Float32Array =>
  unit(v.map((x, i) => (a * x + b * w[i]!) / (a + b)));

/** Clamps a computed cosine to [-1, 1], which rounding may exceed. NaN gives -1. */
export const inCosineRange = (cosine: number): number =>
  Number.isNaN(cosine) ? -1 : Math.max(-1, Math.min(1, cosine));
