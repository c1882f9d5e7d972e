/** @file A key or a residual in numbers, and as files. */

import { encodeHeader } from "../../../lib/safetensors.ts";
import { norm } from "../../../lib/vector.ts";
import type { MemoryEntry } from "../../../records/memory.ts";
import { keyText } from "../../../records/fact.ts";

export interface VectorNumbers {
  readonly length: number;
  /** Euclidean. */
  readonly norm: number;
  readonly min: number;
  readonly max: number;
  readonly mean: number;
  readonly deviation: number;
}

/** An empty vector has zeros. */
export function vectorNumbers(vector: Float32Array): VectorNumbers {
  const { length } = vector;
  let [min, max, sum] = [Infinity, -Infinity, 0];
  for (const value of vector) {
    min = Math.min(min, value);
    max = Math.max(max, value);
    sum += value;
  }
  if (length === 0) return { length, norm: 0, min: 0, max: 0, mean: 0, deviation: 0 };
  const mean = sum / length;
  const variance = vector.reduce((total, value) => total + (value - mean) ** 2, 0) / length;
  return { length, norm: norm(vector), min, max, mean, deviation: Math.sqrt(variance) };
}

/** Key and residual with what they belong to, for pasting. */
export function vectorsJson(entry: MemoryEntry): string {
  const { id, layer, tokens, key, residual } = entry;
  return JSON.stringify({ id, fact: keyText(entry), layer, tokens, key: [...key], residual: [...residual] });
}

/** Tensors "key" and "residual" of one entry as a safetensors file. */
export function entrySafetensors(entry: MemoryEntry, model: string): Uint8Array<ArrayBuffer> {
  const tensors = [
    { name: "key", data: entry.key },
    { name: "residual", data: entry.residual },
  ];
  const header = encodeHeader(
    tensors.map(({ name, data }) => ({ name, dtype: "F32" as const, shape: [data.length] })),
    { model, fact: keyText(entry), id: entry.id, layer: String(entry.layer), tokens: String(entry.tokens) },
  );
  const bytes = new Uint8Array(header.length + entry.key.byteLength + entry.residual.byteLength);
  bytes.set(header);
  let at = header.length;
  for (const { data } of tensors) {
    bytes.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
    at += data.byteLength;
  }
  return bytes;
}
