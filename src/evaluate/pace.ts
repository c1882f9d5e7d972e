/** @file What samples took, by method and length of text: how long others of them will take. */

import type { SampleRecord } from "../records/evaluation.ts";
import { mean } from "../lib/stats.ts";
import { tokensOf } from "./benchmarks/lengths.ts";

/** What the shortest texts count as: a story without a background, and where a length is no number. */
const FEWEST_TOKENS = 300;

/** Tokens that a length stands for; a benchmark without lengths has texts that nobody has counted. */
export const sizeOf = (length: string): number =>
  /^\d+[kM]?$/.test(length) ? Math.max(FEWEST_TOKENS, tokensOf(length, 1000)) : FEWEST_TOKENS;

/** Measured milliseconds of samples. */
export class Pace {
  /** Method -> tokens of the text -> milliseconds of each sample. */
  readonly #took = new Map<string, Map<number, number[]>>();

  add(method: string, length: string, milliseconds: number): void {
    const sizes = this.#took.get(method) ?? new Map<number, number[]>();
    this.#took.set(method, sizes);
    const tokens = sizeOf(length);
    sizes.set(tokens, [...(sizes.get(tokens) ?? []), milliseconds]);
  }

  /**
   * Milliseconds that a sample will take: the mean of those of its length; between two lengths on the line through the
   * nearest two; of one other length in proportion to the tokens. Null where the method was never measured.
   */
  expect(method: string, length: string): number | null {
    const sizes = this.#took.get(method);
    if (!sizes) return null;
    const tokens = sizeOf(length);
    const [nearest, next] = [...sizes.keys()].sort((a, b) => Math.abs(a - tokens) - Math.abs(b - tokens));
    const at = (size: number): number => mean(sizes.get(size)!);
    if (nearest === tokens) return at(tokens);
    if (next === undefined) return (at(nearest!) * tokens) / nearest!;
    const slope = (at(next) - at(nearest!)) / (next - nearest!);
    return Math.max(0, at(nearest!) + slope * (tokens - nearest!));
  }
}

/** What earlier samples took. What several methods of a case share, one memory, is counted once. */
export function paceOf(samples: readonly SampleRecord[]): Pace {
  const pace = new Pace();
  const shared = new Set<string>();
  for (const { id, textHash, method, length, milliseconds, error } of samples) {
    if (error !== null || textHash === "") continue;
    const made = JSON.stringify([textHash, milliseconds.prepare]);
    const prepare = shared.has(made) ? 0 : milliseconds.prepare;
    shared.add(milliseconds.prepare === 0 ? id : made);
    pace.add(method, length, prepare + milliseconds.answer);
  }
  return pace;
}
