/** @file The observer of a memorise run: measures its stages, and adds share and time left to its progress. */

import type { Engine } from "../engine/engine.ts";
import { ratesOf, secondsOf, totalSeconds } from "../plan/estimate.ts";
import type { StageRates, StageWork } from "../records/cost.ts";
import type { MemorizeStage, Progress } from "../records/progress.ts";
import type { FlowContext, RunEvent } from "./context.ts";
import { recordedOf } from "./layerProbe.ts";
import { RunClock } from "./runClock.ts";

export interface RunMeasures {
  readonly milliseconds: Readonly<Partial<Record<MemorizeStage, number>>>;
  /** Seconds of the estimate before the run; null if there was none. */
  readonly expected: number | null;
  readonly rates: StageRates;
}

export function observeRun(context: FlowContext): {
  readonly observed: FlowContext;
  readonly measures: () => RunMeasures;
} {
  const { engine, now, onProgress, estimate } = context;
  const { rates, measuredHere } = ratesFor(engine, estimate?.rates ?? {});
  const clock = new RunClock(now, estimate?.seconds);
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
  return {
    observed: {
      ...context,
      ...{ onEvent, cache, onProgress: onProgress && estimate ? withShare : onProgress },
    },
    measures() {
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
