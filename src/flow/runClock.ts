/** @file How far a run is as a whole, and what is left of it: the forecast, held against the time that passes. */

import type { StageSeconds } from "../records/cost.ts";
import { MEMORIZE_STAGES, type MemorizeStage, type RunShare } from "../records/progress.ts";
import { workingTime } from "./timed.ts";

/** A stage's own pace counts beside the forecast from the start on, in seconds and as a share of the stage. */
const TRUSTED_SECONDS = 2;
const TRUSTED_SHARE = 0.1;
/** Without a forecast the pace of encoding says something from this share of it on. */
const LEAST_DONE = 0.1;

export class RunClock {
  readonly #worked: () => number;
  #expected: StageSeconds | null;
  #stage: MemorizeStage = "read";
  #stageBegan = 0;
  #share = 0;

  /** @param now milliseconds; @param expected seconds by stage, where something is known before the run */
  constructor(now: () => number, expected: StageSeconds | null = null) {
    this.#worked = workingTime(now);
    this.#expected = expected;
  }

  /** Better knowledge of the stages to come: the facts are there by now, and their layers. */
  expect(seconds: StageSeconds | undefined): void {
    if (seconds) this.#expected = { ...this.#expected, ...seconds };
  }

  /** `done`: the share of the stage's work that is done, 0 to 1. */
  at(stage: MemorizeStage, done: number): RunShare {
    const seconds = this.#worked() / 1000;
    if (stage !== this.#stage) [this.#stage, this.#stageBegan] = [stage, seconds];
    const passed = seconds - this.#stageBegan;
    const left = this.#left(stage, Math.min(1, Math.max(0, done)), passed);
    if (left === null) return { share: this.#share, secondsLeft: null };
    const total = seconds + left;
    // The bar never goes back; what is left may grow.
    this.#share = Math.max(this.#share, total > 0 ? 1 - left / total : 0);
    return { share: this.#share, secondsLeft: left };
  }

  #left(stage: MemorizeStage, done: number, passed: number): number | null {
    if (!this.#expected)
      return stage === "encode" && done >= LEAST_DONE ? (passed * (1 - done)) / done : null;
    const later = MEMORIZE_STAGES.slice(MEMORIZE_STAGES.indexOf(stage) + 1);
    const afterwards = later.reduce((sum, next) => sum + (this.#expected?.[next] ?? 0), 0);
    const expected = this.#expected[stage] ?? 0;
    if (expected === 0) return afterwards + (done > 0 ? (passed * (1 - done)) / done : 0);
    const trusted = TRUSTED_SECONDS + TRUSTED_SHARE * expected;
    const pace = (passed + trusted) / (expected * done + trusted);
    return afterwards + expected * (1 - done) * pace;
  }
}
