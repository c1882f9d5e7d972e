/** @file A key or a residual in numbers, as a histogram, and as files. */

import { figure, type Figure, type Source } from "../../../figures/figure.ts";
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

/** How many numbers of a vector lie in each of `bins` equal parts from its smallest to its largest. */
export function vectorHistogram(
  vector: Float32Array,
  name: "key" | "residual",
  key: string,
  source: Source,
  bins = 40,
): Figure<{ from: number; to: number; values: number }> {
  const { min, max, length } = vectorNumbers(vector);
  const width = (max - min) / bins || 1;
  const rows = Array.from({ length: length === 0 ? 0 : bins }, (_, i) => ({
    from: min + i * width,
    to: min + (i + 1) * width,
    values: 0,
  }));
  for (const value of vector) {
    const row = rows[Math.min(bins - 1, Math.floor((value - min) / width))];
    if (row) row.values++;
  }
  return figure({
    id: `${name}-histogram`,
    title: name === "key" ? `Key of ${key}` : `Residual δ of ${key}`,
    caption: `How the ${length} numbers of the ${name === "key" ? "unit vector k̂" : "vector δ"} are spread.`,
    columns: {
      from: ["from", "", "number"],
      to: ["to", "", "number"],
      values: ["numbers", "count", "number"],
    },
    rows,
    guides: [],
    source,
  });
}

/** Key and residual with what they belong to, for pasting. */
export const vectorsJson = ({ id, layer, tokens, key, residual, ...entry }: MemoryEntry): string =>
  JSON.stringify({ id, fact: keyText(entry), layer, tokens, key: [...key], residual: [...residual] });

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
