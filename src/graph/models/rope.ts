/** @file Rotary position tables, computed on the host: the graph only multiplies. */

import { assert } from "../../lib/assert.ts";
import type { DecoderConfig, Rope } from "./config.ts";

/** cos and sin for one run, both [batch, 1, time, headDim]; the sign of the rotation is folded into sin. */
export interface RopeTables {
  readonly cos: Float32Array;
  readonly sin: Float32Array;
}

/**
 * Tables for `positions` [batch][time], half-split form: for x = (x1, x2),
 * rotate(x) = x * cos + (x2, x1) * sin with cos = (c, c) and sin = (-s, s).
 * `lengths`: tokens of each row's whole sequence, at least the largest position: longrope picks its factors by it.
 */
export function ropeTables(
  config: DecoderConfig,
  positions: readonly (readonly number[])[],
  lengths: readonly number[],
): RopeTables {
  const { headDim, rope } = config;
  const scale = rope.kind === "longrope" ? rope.attentionFactor : 1;
  const half = headDim / 2;
  const time = positions[0]?.length ?? 0;
  const cos = new Float32Array(positions.length * time * headDim);
  const sin = new Float32Array(cos.length);
  let at = 0;
  for (const [index, row] of positions.entries()) {
    const frequencies = inverseFrequencies(rope, headDim, lengths[index]!);
    for (const position of row) {
      for (let i = 0; i < half; i++) {
        const angle = position * frequencies[i]!;
        cos[at + i] = cos[at + half + i] = Math.cos(angle) * scale;
        sin[at + half + i] = Math.sin(angle) * scale;
        sin[at + i] = -sin[at + half + i]!;
      }
      at += headDim;
    }
  }
  return { cos, sin };
}

/** theta^(-2i/hd) for i < hd/2, rescaled by the family's rule. */
export function inverseFrequencies(rope: Rope, headDim: number, length: number): readonly number[] {
  const plain = Array.from({ length: headDim / 2 }, (_, i) => rope.theta ** ((-2 * i) / headDim));
  if (rope.kind === "llama3") return plain.map((f) => llama3(rope, f));
  if (rope.kind === "longrope") {
    const factors = length > rope.originalWindow ? rope.longFactor : rope.shortFactor;
    assert(
      factors.length === headDim / 2,
      () => `config.json: longrope has ${factors.length} factors, expected ${headDim / 2} (half of head_dim)`,
    );
    return plain.map((f, i) => f / factors[i]!);
  }
  return plain;
}

/** Llama 3: long wavelengths are stretched by `factor`, short ones kept, those between are blended. */
function llama3(rope: Extract<Rope, { kind: "llama3" }>, frequency: number): number {
  const wavelength = (2 * Math.PI) / frequency;
  const [longest, shortest] = [
    rope.originalWindow / rope.lowFrequencyFactor,
    rope.originalWindow / rope.highFrequencyFactor,
  ];
  if (wavelength < shortest) return frequency;
  if (wavelength > longest) return frequency / rope.factor;
  const blend =
    (rope.originalWindow / wavelength - rope.lowFrequencyFactor) /
    (rope.highFrequencyFactor - rope.lowFrequencyFactor);
  return ((1 - blend) * frequency) / rope.factor + blend * frequency;
}
