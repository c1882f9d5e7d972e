/** @file Time that records took, by method and length of text, and the estimate for those that are left. */

import type { SampleRecord } from "../../records/evaluation.ts";
import { tokensOf } from "../benchmarks/benchmark.ts";
import type { Clock } from "./runPlan.ts";

/** Tokens of the shortest texts: stories without a background, and benchmarks without lengths. */
const FEWEST_TOKENS = 300;

/** The tokens that the name of a length stands for. */
export const sizeOf = (length: string): number =>
  /^\d+[kM]?$/.test(length) ? Math.max(FEWEST_TOKENS, tokensOf(length, 1000)) : FEWEST_TOKENS;

export class Pace {
  /** Method -> tokens of the text -> number of records, and their milliseconds together. */
  readonly #took = new Map<string, Map<number, readonly [records: number, milliseconds: number]>>();

  add(method: string, length: string, milliseconds: number): void {
    const sizes = this.#took.get(method) ?? new Map<number, readonly [number, number]>();
    const [before, spent] = sizes.get(sizeOf(length)) ?? [0, 0];
    sizes.set(sizeOf(length), [before + 1, spent + milliseconds]);
    this.#took.set(method, sizes);
  }

  /** Expected milliseconds of a record, by its length or by the nearest measured ones; null if its method was never measured. */
  expect(method: string, length: string): number | null {
    const sizes = this.#took.get(method);
    if (!sizes) return null;
    const tokens = sizeOf(length);
    const [nearest, next] = [...sizes.keys()].sort((a, b) => Math.abs(a - tokens) - Math.abs(b - tokens));
    const at = (size: number): number => sizes.get(size)![1] / sizes.get(size)![0];
    if (nearest === tokens) return at(tokens);
    if (next === undefined) return (at(nearest!) * tokens) / nearest!;
    const slope = (at(next) - at(nearest!)) / (next - nearest!);
    return Math.max(0, at(nearest!) + slope * (tokens - nearest!));
  }
}

/** The time that earlier samples took. A memory that several methods of a case share is counted once. */
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

/** The clock of an evaluation, for samples that are missing: those of one method and length take about the same time. */
export function sampleClock(
  waiting: ReadonlyMap<string, Pick<SampleRecord, "method" | "length">>,
  now: () => number,
): Clock {
  const left = new Map(waiting);
  const pace = new Pace();
  let started = now();
  return {
    finished(id) {
      const { method, length } = left.get(id)!;
      left.delete(id);
      pace.add(method, length, now() - started);
      started = now();
    },
    left() {
      let sum = 0;
      for (const { method, length } of left.values()) {
        const one = pace.expect(method, length);
        if (one === null) return null;
        sum += one;
      }
      return sum;
    },
  };
}

/** The cost of a study's cases, in facts. */
export interface Cost {
  /** Cases of one group share their encoding, which comes before the first of them. */
  readonly group: (id: string) => string;
  readonly encodes: number;
  readonly recalls: number;
}

/** Cost of a recall in units of an encoding, roughly, on any machine. */
const RECALL = 0.3;
/** A unit counts at most so many times the mean so far: a pause is not part of the pace. */
const STRAY = 3;

/** The clock of a study: its unit of work is one encoded fact. `missing`: ids of its cases, in running order. */
export function caseClock(cost: Cost, missing: ReadonlySet<string>, now: () => number): Clock {
  const { group, encodes, recalls } = cost;
  const groups = new Set([...missing].map(group)).size;
  const total = groups * encodes + missing.size * recalls * RECALL;
  const finished = new Set<string>();
  let [at, done, spent] = [now(), 0, 0];
  const measure = (share: number): void => {
    const begun = new Set([...finished].map(group)).size;
    const encoding = Math.min(share, begun < groups ? 1 : 0) * encodes;
    const units = begun * encodes + encoding + finished.size * recalls * RECALL - done;
    if (units <= 0) return;
    const took = now() - at;
    spent += done === 0 ? took : Math.min(took, (STRAY * units * spent) / done);
    [at, done] = [now(), done + units];
  };
  return {
    encoded: measure,
    finished(id) {
      finished.add(id);
      // The group of this case is encoded, and the next one has not started.
      measure(0);
    },
    left: () => (done === 0 ? null : Math.max(0, ((total - done) * spent) / done)),
  };
}
