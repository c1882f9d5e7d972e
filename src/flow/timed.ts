/** @file A stopwatch for the stages of a run. */

import type { MemorizeStage } from "../records/progress.ts";

/** Runs the work of a stage; its time is added to what the stage had. */
export type Timed = <T>(stage: MemorizeStage, work: () => T | Promise<T>) => Promise<T>;

/** `milliseconds` has the stages that were run through `timed`, at any time. */
export function stageClock(now: () => number): {
  readonly timed: Timed;
  readonly milliseconds: Readonly<Partial<Record<MemorizeStage, number>>>;
} {
  const milliseconds: Partial<Record<MemorizeStage, number>> = {};
  return {
    milliseconds,
    async timed(stage, work) {
      const started = now();
      const made = await work();
      milliseconds[stage] = (milliseconds[stage] ?? 0) + now() - started;
      return made;
    },
  };
}
