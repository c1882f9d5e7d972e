/** @file What samples took, by method and length of text: how long others of them will take. */

import type { SampleRecord } from "../records/evaluation.ts";
import { tokensOf } from "./benchmarks/lengths.ts";

/** What the shortest texts count as: a story without a background, and where a length is no number. */
const FEWEST_TOKENS = 300;

/** Tokens that a length stands for; a benchmark without lengths has texts that nobody has counted. */
export const sizeOf = (length: string): number =>
  /^\d+[kM]?$/.test(length) ? Math.max(FEWEST_TOKENS, tokensOf(length, 1000)) : FEWEST_TOKENS;

/** Measured milliseconds of samples. */
export class Pace {
  /** Method -> tokens of the text -> how many samples, and their milliseconds together. */
  readonly #took = new Map<
    string,
    Map<number, { readonly samples: number; readonly milliseconds: number }>
  >();

  add(method: string, length: string, milliseconds: number): void {
    const sizes = this.#took.get(method) ?? new Map<number, { samples: number; milliseconds: number }>();
    const tokens = sizeOf(length);
    const before = sizes.get(tokens) ?? { samples: 0, milliseconds: 0 };
    sizes.set(tokens, { samples: before.samples + 1, milliseconds: before.milliseconds + milliseconds });
    this.#took.set(method, sizes);
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
    const at = (size: number): number => sizes.get(size)!.milliseconds / sizes.get(size)!.samples;
    if (nearest === tokens) return at(tokens);
    if (next === undefined) return (at(nearest!) * tokens) / nearest!;
    const slope = (at(next) - at(nearest!)) / (next - nearest!);
    return Math.max(0, at(nearest!) + slope * (tokens - nearest!));
  }
}

/** How many samples are left to be made, by method and length. */
export class Left {
  readonly #counts = new Map<string, Map<string, number>>();

  add(method: string, length: string): void {
    this.#change(method, length, 1);
  }

  take(method: string, length: string): void {
    this.#change(method, length, -1);
  }

  /** Milliseconds for all of them; null while one of their methods was never measured. */
  time(pace: Pace): number | null {
    let sum = 0;
    for (const [method, lengths] of this.#counts)
      for (const [length, count] of lengths) {
        const one = count > 0 ? pace.expect(method, length) : 0;
        if (one === null) return null;
        sum += count * one;
      }
    return sum;
  }

  #change(method: string, length: string, by: number): void {
    const lengths = this.#counts.get(method) ?? new Map<string, number>();
    this.#counts.set(method, lengths.set(length, (lengths.get(length) ?? 0) + by));
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
