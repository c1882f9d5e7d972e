/** @file Stopwatches: for the stages of a run, and for the time that is really worked. */

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

/**
 * A gap that is so much longer than those before, in times and in milliseconds, is a sleep of the machine. On a busy one
 * a single batch can take many seconds behind steps of a few milliseconds.
 */
const SLEEP_TIMES = 20;
const SLEEP_MS = 120_000;
/** Gaps by which a sleep can be told. */
const SEEN = 10;

/** Milliseconds since it was made, without the time that the machine slept; asked for often. */
export function workingTime(now: () => number): () => number {
  let [at, worked, gaps] = [now(), 0, 0];
  return () => {
    const gap = now() - at;
    at += gap;
    if (gap > SLEEP_MS && gaps >= SEEN && gap > SLEEP_TIMES * (worked / gaps)) return worked;
    gaps++;
    return (worked += gap);
  };
}
