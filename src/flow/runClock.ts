/** @file How far a run is as a whole, and what is left of it: the forecast, held against the time that passes. */

import type { StageSeconds } from "../records/cost.ts";
import { MEMORIZE_STAGES, type MemorizeStage, type RunShare } from "../records/progress.ts";

/** A forecast weighs as much as so many seconds, and this share, of what it is for. */
const TRUSTED_SECONDS = 2;
const TRUSTED_SHARE = 0.1;
/**
 * Within a stage half of it is forgotten after this part of those seconds: when other work comes or goes on the machine,
 * what went before says nothing of what is left.
 */
const HALF_LIFE = 0.5;
/**
 * A forecast by what another machine took says how long the stages are beside each other: it weighs this share of one by
 * this machine's runs, and how long they are is left to the pace alone, once so many of its seconds are done.
 */
const TRUSTED_ELSEWHERE = 0.1;
const LEAST_ELSEWHERE = 0.5;
/** Without a forecast the pace of encoding says something from this share of it on. */
const LEAST_DONE = 0.1;

/** What was done: the seconds that it took, and those that it should have taken. */
interface Pace {
  readonly took: number;
  readonly expected: number;
}
const NOTHING: Pace = { took: 0, expected: 0 };

export class RunClock {
  readonly #worked: () => number;
  #expected: StageSeconds | null;
  #elsewhere = false;
  #stage: MemorizeStage = "read";
  #stageBegan = 0;
  /** When the last report came, and how much of its stage was done. */
  #last = { seconds: 0, done: 0 };
  /** Of this stage of late, and of the whole run, as far as it was foreseen. */
  #lately = NOTHING;
  #run = NOTHING;
  #share = 0;

  /** @param now milliseconds; @param expected seconds by stage, where something is known before the run */
  constructor(now: () => number, expected: StageSeconds | null = null) {
    this.#worked = workingTime(now);
    this.#expected = expected;
    this.#begin("read", 0);
  }

  /**
   * Better knowledge of the stages to come, e.g. once the facts are there, and their layers; `elsewhere`: by what another
   * machine took, so that nothing is said before some of it is done.
   */
  expect(seconds: StageSeconds | undefined, elsewhere = false): void {
    // What somebody kept of other runs may be no number: as good as nothing known.
    if (!seconds || !Object.values(seconds).every((stage) => stage >= 0 && stage < Infinity)) return;
    this.#expected = { ...this.#expected, ...seconds };
    this.#elsewhere = elsewhere;
  }

  /** `done`: the share of the stage's work that is done, 0 to 1. */
  at(stage: MemorizeStage, done: number): RunShare {
    const seconds = this.#worked() / 1000;
    if (stage !== this.#stage) this.#begin(stage, seconds);
    const share = Math.min(1, Math.max(this.#last.done, done));
    this.#measure(seconds, share);
    const left = this.#left(share, seconds - this.#stageBegan);
    if (left === null) return { share: this.#share, secondsLeft: null };
    const total = seconds + left;
    // The bar never goes back; what is left may grow.
    this.#share = Math.max(this.#share, total > 0 ? 1 - left / total : 0);
    const paced = !this.#elsewhere || this.#run.expected >= LEAST_ELSEWHERE;
    return { share: this.#share, secondsLeft: paced ? left : null };
  }

  #begin(stage: MemorizeStage, seconds: number): void {
    [this.#stage, this.#stageBegan] = [stage, seconds];
    this.#last = { seconds, done: 0 };
    const before = this.#elsewhere && this.#run.expected < LEAST_ELSEWHERE ? TRUSTED_ELSEWHERE : 1;
    const trusted = before * trustedOf(this.#expectedOf(stage));
    this.#lately = { took: this.#slower(trusted) * trusted, expected: trusted };
  }

  #measure(seconds: number, done: number): void {
    const expected = this.#expectedOf(this.#stage);
    if (expected === 0) return;
    const took = seconds - this.#last.seconds;
    const now = { took, expected: expected * (done - this.#last.done) };
    this.#last = { seconds, done };
    // By work, not by time: what stands still is not taken to stand still for ever.
    this.#lately = sum(this.#lately, now, 2 ** (-now.expected / (HALF_LIFE * trustedOf(expected))));
    this.#run = sum(this.#run, now);
  }

  #left(done: number, passed: number): number | null {
    const stage = this.#stage;
    if (!this.#expected)
      return stage === "encode" && done >= LEAST_DONE ? (passed * (1 - done)) / done : null;
    const later = MEMORIZE_STAGES.slice(MEMORIZE_STAGES.indexOf(stage) + 1);
    const foreseen = later.reduce((all, next) => all + this.#expectedOf(next), 0);
    const afterwards = this.#slower(trustedOf(foreseen)) * foreseen;
    const expected = this.#expectedOf(stage);
    if (expected === 0) return afterwards + (done > 0 ? (passed * (1 - done)) / done : 0);
    return afterwards + (expected * (1 - done) * this.#lately.took) / this.#lately.expected;
  }

  #expectedOf = (stage: MemorizeStage): number => this.#expected?.[stage] ?? 0;

  /**
   * How many times longer than foreseen other stages are taken to last, by what the run took so far beside `trusted`
   * seconds: half of it is the machine, which is the same for all, and half what was wrong of the stages that are over.
   * All of it is the machine where that is another one.
   */
  #slower(trusted: number): number {
    const weight = this.#elsewhere ? TRUSTED_ELSEWHERE * trusted : trusted;
    return ((this.#run.took + weight) / (this.#run.expected + weight)) ** (this.#elsewhere ? 1 : 0.5);
  }
}

const trustedOf = (expected: number): number => TRUSTED_SECONDS + TRUSTED_SHARE * expected;

const sum = (before: Pace, now: Pace, fades = 1): Pace => ({
  took: fades * before.took + now.took,
  expected: fades * before.expected + now.expected,
});

/**
 * A gap that is so much longer than those before, in times and in milliseconds, is a sleep of the machine. On a busy one
 * a single batch can take many seconds behind steps of a few milliseconds.
 */
const SLEEP_TIMES = 20;
const SLEEP_MS = 120_000;
/** Gaps by which a sleep can be told. */
const SEEN = 10;

/** Milliseconds since it was made, without the time that the machine slept; asked for often. */
function workingTime(now: () => number): () => number {
  let [at, worked, gaps] = [now(), 0, 0];
  return () => {
    const gap = now() - at;
    at += gap;
    if (gap > SLEEP_MS && gaps >= SEEN && gap > SLEEP_TIMES * (worked / gaps)) return worked;
    gaps++;
    return (worked += gap);
  };
}
