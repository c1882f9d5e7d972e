/** @file Stored forms of vectors, which keep rounded vectors bit for bit: float16, or 8-bit levels with a scale per row. */

import { float16ToFloat32, float32ToFloat16 } from "./float16.ts";
import { norm } from "./vector.ts";

/** Rows of equal length: float32, the bits of float16, or levels times the scale of their row. */
export type Rows =
  | Float32Array // [rows, columns]
  | { readonly bits: Uint16Array } // [rows, columns]
  | { readonly levels: Int8Array; readonly scales: Float32Array }; // [rows, columns], [rows]

export type Form = "levels" | "float16" | "float32";

/** Bytes per number; levels take 4 more bytes per row for the scale. */
export const FORM_BYTES: Readonly<Record<Form, number>> = { levels: 1, float16: 2, float32: 4 };

/** Levels reach from -127 to 127; the largest of a row is always at the end. */
const LARGEST_LEVEL = 127;
const LARGEST_FLOAT16 = 65504;

/** The nearest float16 numbers; larger ones become its largest. */
export function toFloat16(vector: Float32Array): Float32Array {
  const within = vector.map((x) => Math.max(-LARGEST_FLOAT16, Math.min(LARGEST_FLOAT16, x)));
  return float16ToFloat32(float32ToFloat16(within));
}

/** The nearest direction whose numbers are levels, as a unit vector; the zero vector stays zero. */
export function toLevels(vector: Float32Array): Float32Array {
  const largest = largestOf(vector);
  if (!(largest > 0)) return vector;
  // Adding 0 makes the -0 of a small negative number 0, which levels can hold.
  const levels = vector.map((x) => Math.round((x / largest) * LARGEST_LEVEL) + 0);
  const scale = Math.fround(1 / norm(levels));
  return levels.map((level) => level * scale);
}

export const formOf = (vector: Float32Array): Form =>
  scaleOf(vector) !== null ? "levels" : isFloat16(vector) ? "float16" : "float32";

export function commonForm(vectors: readonly Float32Array[]): Form {
  const first = vectors[0] ? formOf(vectors[0]) : "float32";
  return vectors.every((vector) => formOf(vector) === first) ? first : "float32";
}

export function packRows(rows: readonly Float32Array[], form: Form): Rows {
  const all = joined(rows);
  if (form === "float32") return all;
  if (form === "float16") return { bits: float32ToFloat16(all) };
  const scales = Float32Array.from(rows, (row) => scaleOf(row) ?? NaN);
  const levels = new Int8Array(all.length);
  let at = 0;
  for (const scale of scales)
    for (const end = at + all.length / rows.length; at < end; at++) levels[at] = Math.round(all[at]! / scale);
  return { levels, scales };
}

export const countOf = (rows: Rows): number => numbersOf(rows).length;

export const formOfRows = (rows: Rows): Form =>
  rows instanceof Float32Array ? "float32" : "bits" in rows ? "float16" : "levels";

export const unpackRow = (rows: Rows, columns: number, index: number): Float32Array =>
  unpacked(rows, columns, index, index + 1);

/** @param into is filled and returned: new memory for every block of a large layer takes longer than unpacking it */
export const unpackRows = (rows: Rows, columns: number, into?: Float32Array): Float32Array =>
  unpacked(rows, columns, 0, countOf(rows) / columns, into);

const ARRAYS = { levels: Int8Array, float16: Uint16Array, float32: Float32Array } as const;

/** A copy of rows of one form, which may come from several arrays. */
export function rowsAt(places: readonly (readonly [Rows, row: number])[], columns: number): Rows {
  const numbers = new ARRAYS[formOfRows(places[0]![0])](places.length * columns);
  const scales = new Float32Array(places.length);
  for (const [to, [rows, at]] of places.entries()) {
    numbers.set(numbersOf(rows).subarray(at * columns, (at + 1) * columns), to * columns);
    if ("scales" in rows) scales[to] = rows.scales[at]!;
  }
  if (numbers instanceof Float32Array) return numbers;
  return numbers instanceof Uint16Array ? { bits: numbers } : { levels: numbers, scales };
}

export const numbersOf = (rows: Rows): Float32Array | Uint16Array | Int8Array =>
  rows instanceof Float32Array ? rows : "bits" in rows ? rows.bits : rows.levels;

function unpacked(
  rows: Rows,
  columns: number,
  first: number,
  end: number,
  all: Float32Array = new Float32Array((end - first) * columns),
): Float32Array {
  const [from, to] = [first * columns, end * columns];
  if (rows instanceof Float32Array) all.set(rows.subarray(from, to));
  else if ("bits" in rows) float16ToFloat32(rows.bits.subarray(from, to), all);
  else {
    const { levels, scales } = rows;
    // A loop, because a layer of real size has hundreds of millions of levels.
    for (let row = first, at = 0; row < end; row++) {
      const scale = scales[row]!;
      for (let i = row * columns; i < (row + 1) * columns; i++) all[at++] = levels[i]! * scale;
    }
  }
  return all;
}

function isFloat16(vector: Float32Array): boolean {
  const back = float16ToFloat32(float32ToFloat16(vector));
  return vector.every((x, i) => Object.is(x, back[i]));
}

const NEIGHBOURS = [0, 1, -1, 2, -2] as const;

function scaleOf(vector: Float32Array): number | null {
  const largest = largestOf(vector);
  if (!(largest > 0 && largest < Infinity)) return null;
  const near = new Float32Array([largest / LARGEST_LEVEL]);
  const bits = new Uint32Array(near.buffer);
  const nearest = bits[0]!;
  for (const step of NEIGHBOURS) {
    bits[0] = nearest + step;
    const scale = near[0]!;
    if (scale > 0 && scale < Infinity && areLevels(vector, scale)) return scale;
  }
  return null;
}

/** A loop: every vector is asked for its form whenever a memory is written. A level is never -0. */
function areLevels(vector: Float32Array, scale: number): boolean {
  for (let i = 0; i < vector.length; i++) {
    const x = vector[i]!;
    if (Math.fround(Math.round(x / scale) * scale) !== x || (x === 0 && 1 / x < 0)) return false;
  }
  return true;
}

function largestOf(vector: Float32Array): number {
  let largest = 0;
  for (let i = 0; i < vector.length; i++) largest = Math.max(largest, Math.abs(vector[i]!));
  return largest;
}

export function joined(vectors: readonly Float32Array[]): Float32Array {
  const all = new Float32Array(vectors.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const vector of vectors) {
    all.set(vector, at);
    at += vector.length;
  }
  return all;
}
