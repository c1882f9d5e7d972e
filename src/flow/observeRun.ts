/** @file The observer of a memorise run: measures its stages, and adds share and time left to its progress. */

import type { Engine } from "../engine/engine.ts";
import { ratesOf, secondsOf, totalSeconds } from "../plan/estimate.ts";
import type { StageRates, StageWork, StageSeconds } from "../records/cost.ts";
import { MEMORIZE_STAGES, type MemorizeStage, type Progress, type RunShare } from "../records/progress.ts";
import type { FlowContext, RunEvent } from "./context.ts";
import { recordedOf } from "./layerProbe.ts";

export interface RunMeasures {
  readonly milliseconds: Readonly<Partial<Record<MemorizeStage, number>>>;
  /** Seconds of the estimate before the run; null if there was none. */
  readonly expected: number | null;
  readonly rates: StageRates;
}

export function observeRun(context: FlowContext) {
  const { engine, now, onProgress, estimate } = context;
  const { rates, measuredHere } = ratesFor(engine, estimate?.rates ?? {});
  const clock = new RunClock(now, estimate?.seconds, !measuredHere);
  let hits = 0;
  const cache = context.cache && {
    ...context.cache,
    async get(contents: readonly string[]) {
      const found = await context.cache!.get(contents);
      hits += found.length;
      return found;
    },
  };
  const milliseconds: Partial<Record<MemorizeStage, number>> = {};
  let began = now();
  let work: StageWork = {};
  function onEvent(event: RunEvent): void {
    if ("work" in event) {
      work = { ...work, ...event.work };
      const seconds = secondsOf(rates, work);
      if (totalSeconds(seconds, work) !== null) clock.expect(seconds, !measuredHere);
    } else if (event.state === "began") began = now();
    else milliseconds[event.stage] = (milliseconds[event.stage] ?? 0) + now() - began;
  }
  const withShare = (line: Progress): void => {
    onProgress?.({ ...line, run: clock.at(line.stage, doneOf(line)) });
  };
  const told = onProgress && estimate ? withShare : onProgress;
  const observed: FlowContext = { ...context, onEvent, cache, onProgress: told };
  return {
    observed,
    measures(): RunMeasures {
      const seconds = Object.entries(milliseconds).map(([stage, time]) => [stage, time / 1000]);
      const measured = ratesOf(work, Object.fromEntries(seconds));
      // Stages that took results from the cache say nothing about the time to make them.
      const { encode } = measured;
      return {
        milliseconds,
        expected: estimate?.seconds ? totalSeconds(estimate.seconds, {}) : null,
        rates: hits === 0 ? measured : encode ? { encode } : {},
      };
    },
  };
}

/** The `known` rates of this device; stages without one get the rate that was recorded with the model. */
export function ratesFor(engine: Pick<Engine, "model" | "recorded">, known: StageRates) {
  const recorded = recordedOf(engine);
  const rates: StageRates = { ...recorded?.cost, ...known };
  return { rates, measuredHere: known.encode !== undefined || !recorded };
}

/** The done share of a stage, 0 to 1. The estimated work to encode excludes facts from the cache. */
function doneOf({ stage, done, total, encode }: Progress): number {
  if (encode) return encode.share;
  if (stage === "encode") return done === total ? 1 : 0;
  return total ? done / total : 0;
}

/** Weight of the estimate, as seconds of measured pace: a constant, and a share of the estimated time. */
const TRUSTED_SECONDS = 2;
const TRUSTED_SHARE = 0.1;
/** Half-life of the measured pace within a stage, in units of that weight: the load of the machine may change. */
const HALF_LIFE = 0.5;
/** Rates of another machine get this share of the weight; the time left is shown once so many of their seconds are done. */
const TRUSTED_ELSEWHERE = 0.1;
const LEAST_ELSEWHERE = 0.5;
/** Share of encoding from which its pace gives the time left, if there is no estimate. */
const LEAST_DONE = 0.1;

/** At first the time left is estimated within a factor of two; after this share of the run it is a single number. */
const CERTAIN_SHARE = 0.4;
/** Factor from which a range is shown. */
const NARROW = 1.25;
const LARGEST_GROWTH = 0.5;
/** Seconds for which a reason is given, and under which the page shows no time. */
const REASON_SECONDS = 10;
const LEAST_SHOWN = 5;

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
  /** Time and done share of the stage at the last report. */
  #last = { seconds: 0, done: 0 };
  /** Recent pace of this stage, and pace of the whole run. */
  #lately = NOTHING;
  #run = NOTHING;
  #share = 0;
  /** The least time left that was shown since the last reason, at the upper end of its range. */
  #least = Infinity;
  /** Share of the run from which its own pace is known. */
  #first: number | null = null;
  #moreWork = false;
  #reason = { text: "", until: 0 };

  /**
   * @param now milliseconds
   * @param expected seconds by stage, if they are estimated before the run
   * @param elsewhere whether they come from rates of another machine
   */
  constructor(now: () => number, expected: StageSeconds | null = null, elsewhere = false) {
    this.#worked = workingTime(now);
    this.#expected = expected;
    this.#elsewhere = elsewhere;
    this.#begin("read", 0);
  }

  /** A better estimate of the stages to come, e.g. once the facts are known. `elsewhere`: it uses rates of another machine. */
  expect(seconds: StageSeconds | undefined, elsewhere = false): void {
    // Stored rates may be damaged.
    if (!seconds || !Object.values(seconds).every((stage) => stage >= 0 && stage < Infinity)) return;
    const before = totalOf(this.#expected);
    this.#expected = { ...this.#expected, ...seconds };
    this.#moreWork = totalOf(this.#expected) > before;
    this.#elsewhere = elsewhere;
  }

  /** @param done share of the stage's work that is done, 0 to 1 */
  at(stage: MemorizeStage, done: number): RunShare {
    const seconds = this.#worked() / 1000;
    if (stage !== this.#stage) this.#begin(stage, seconds);
    const share = Math.min(1, Math.max(this.#last.done, done));
    this.#measure(seconds, share);
    const left = this.#left(share, seconds - this.#stageBegan);
    if (left === null) return { share: this.#share, secondsLeft: null };
    const total = seconds + left;
    // The share never decreases; the time left may grow.
    this.#share = Math.max(this.#share, total > 0 ? 1 - left / total : 0);
    const paced = !this.#elsewhere || this.#run.expected >= LEAST_ELSEWHERE;
    return { share: this.#share, ...(paced ? this.#shown(left, seconds) : { secondsLeft: null }) };
  }

  /** The time left, as a range while the run is young, with a reason after it grew by more than half. */
  #shown(left: number, seconds: number): Omit<RunShare, "share"> {
    this.#first ??= this.#elsewhere ? this.#share : 0;
    const factor = 2 - Math.min(1, (this.#share - this.#first) / CERTAIN_SHARE);
    const between = factor > NARROW && ([left / factor, left * factor] as const);
    const most = Math.max(LEAST_SHOWN, between ? between[1] : left);
    if (most > (1 + LARGEST_GROWTH) * this.#least) {
      const text = this.#moreWork ? "more facts than estimated" : "slower than estimated";
      this.#reason = { text, until: seconds + REASON_SECONDS };
      this.#least = most;
    }
    this.#moreWork = false;
    this.#least = Math.min(this.#least, most);
    const { text, until } = this.#reason;
    return { secondsLeft: left, ...(between && { between }), ...(seconds < until && { reason: text }) };
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
    // By work, not by time: otherwise a stage that pauses would seem to pause forever.
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

  /** Factor by which other stages will exceed their estimate: the square root of the error, or all of it with foreign rates. */
  #slower(trusted: number): number {
    const weight = this.#elsewhere ? TRUSTED_ELSEWHERE * trusted : trusted;
    return ((this.#run.took + weight) / (this.#run.expected + weight)) ** (this.#elsewhere ? 1 : 0.5);
  }
}

const totalOf = (seconds: StageSeconds | null): number =>
  seconds === null ? Infinity : Object.values(seconds).reduce((all, stage) => all + stage, 0);

const trustedOf = (expected: number): number => TRUSTED_SECONDS + TRUSTED_SHARE * expected;

const sum = (before: Pace, now: Pace, fades = 1): Pace => ({
  took: fades * before.took + now.took,
  expected: fades * before.expected + now.expected,
});

/** A gap this many times longer than the mean, and longer than so many milliseconds, is a sleep of the machine. */
const SLEEP_TIMES = 20;
const SLEEP_MS = 120_000;
/** Gaps before a sleep can be detected. */
const SEEN = 10;

/** A clock of milliseconds that leaves out the time that the machine slept. It must be read often. */
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
