/** @file Rotary position tables, computed on the host: the graph only multiplies. */

import type { DecoderConfig, Rope } from "./config.ts";

/**
 * cos and sin [batch, 1, time, headDim] for `positions` [batch][time]: for x = (x1, x2), rotate(x) = x * cos + (x2, x1) * sin with cos = (c, c) and sin =
 * (-s, s); 1 and 0 if nothing is rotated. @param lengths tokens of each row's whole sequence
 */
export function ropeTables(
  config: DecoderConfig,
  positions: readonly (readonly number[])[],
  lengths: readonly number[],
) {
  const { headDim, rotaryDim, rope } = config;
  const scale = "attentionFactor" in rope ? rope.attentionFactor : 1;
  const half = rotaryDim / 2;
  const time = positions[0]?.length ?? 0;
  const cos = new Float32Array(positions.length * time * headDim).fill(1);
  const sin = new Float32Array(cos.length);
  let at = 0;
  for (const [index, row] of positions.entries()) {
    const frequencies = inverseFrequencies(rope, rotaryDim, lengths[index]!);
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

/** theta^(-2i/d) for i < d/2, rescaled by the family's rule; d dimensions are rotated. */
export function inverseFrequencies(rope: Rope, d: number, length: number): readonly number[] {
  const powers = (theta: number) => Array.from({ length: d / 2 }, (_, i) => theta ** ((-2 * i) / d));
  const plain = powers(rope.theta);
  if (rope.kind === "linear") return plain.map((f) => f / rope.factor);
  if (rope.kind === "dynamic") {
    const stretch = (rope.factor * length) / rope.originalWindow - (rope.factor - 1);
    return length > rope.originalWindow ? powers(rope.theta * stretch ** (d / (d - 2))) : plain;
  }
  if (rope.kind === "yarn") return yarn(rope, plain, d);
  if (rope.kind === "llama3") return plain.map((f) => llama3(rope, f));
  if (rope.kind === "longrope") {
    const factors = length > rope.originalWindow ? rope.longFactor : rope.shortFactor;
    if (factors.length !== d / 2)
      throw new Error(
        `config.json: longrope has ${factors.length} factors, expected ${d / 2} (half of the rotated dimensions)`,
      );
    return plain.map((f, i) => f / factors[i]!);
  }
  return plain;
}

/** YaRN: frequencies of many turns are kept, those of few divided by the factor, with a ramp over the dimensions between. */
function yarn(rope: Extract<Rope, { kind: "yarn" }>, plain: readonly number[], d: number): number[] {
  const dimensionOf = (turns: number): number =>
    (d * Math.log(rope.originalWindow / (turns * 2 * Math.PI))) / (2 * Math.log(rope.theta));
  const low = Math.max(Math.floor(dimensionOf(rope.fast)), 0);
  const high = Math.min(Math.ceil(dimensionOf(rope.slow)), d - 1);
  return plain.map((f, i) => {
    const ramp = Math.min(1, Math.max(0, (i - low) / Math.max(high - low, 0.001)));
    return (f / rope.factor) * ramp + f * (1 - ramp);
  });
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
