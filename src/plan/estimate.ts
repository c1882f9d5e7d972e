/** @file The estimate of a run: seconds by stage from its work and from the rates of earlier runs. */

import type { Rate, StageRates, StageSeconds, StageWork } from "../records/cost.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { ModelIdentity } from "../records/memory.ts";
import type { MemorizeStage } from "../records/progress.ts";

type ModelSize = Pick<ModelIdentity, "layers" | "dModel" | "dFf" | "vocabulary">;

/** Share of the model's parameters that a step at `layer` runs: the layers above it and the head, with attention as 4 d². */
export function reach({ layers, dModel, dFf, vocabulary }: ModelSize, layer: LayerIndex): number {
  const block = 4 * dModel * dModel + 3 * dModel * dFf;
  const head = dModel * vocabulary;
  return ((layers - 1 - layer) * block + head) / (layers * block + head);
}

/** Seconds by stage of `work`, of the stages whose rate is known. Probing layers is encoding until its own rate is known. */
export function secondsOf({ encode, layers = encode, ...rates }: StageRates, work: StageWork): StageSeconds {
  const known: StageRates = { ...rates, ...(encode && { encode }), ...(layers && { layers }) };
  return Object.fromEntries(
    stagesOf(work).flatMap(([stage, units]) => {
      const rate = known[stage];
      return rate ? [[stage, (units * rate.seconds) / rate.units]] : [];
    }),
  );
}

export const totalSeconds = (seconds: StageSeconds, work: StageWork): number | null =>
  work.encode && seconds.encode === undefined
    ? null
    : Object.values(seconds).reduce((sum, stage) => sum + stage, 0);

export const ratesOf = (work: StageWork, seconds: StageSeconds): StageRates =>
  Object.fromEntries(
    stagesOf(work).flatMap(([stage, units]) =>
      seconds[stage] ? [[stage, { seconds: seconds[stage], units }]] : [],
    ),
  );

const FADE = 0.5;

export function updated(known: StageRates, run: StageRates): StageRates {
  const both = stagesOf(run).map(([stage, now]): [MemorizeStage, Rate] => {
    const { seconds, units } = known[stage] ?? { seconds: 0, units: 0 };
    return [stage, { seconds: FADE * seconds + now.seconds, units: FADE * units + now.units }];
  });
  return { ...known, ...Object.fromEntries(both) };
}

const stagesOf = <T>(of: Readonly<Partial<Record<MemorizeStage, T>>>): [MemorizeStage, T][] =>
  (Object.entries(of) as [MemorizeStage, T | undefined][]).flatMap(([stage, value]) =>
    value ? [[stage, value]] : [],
  );
