/** @file The forecast of a run over texts, before it: what it will do, and what that takes by known runs and a trial. */

import { fitted, inexactParts, secondsOf } from "../plan/cost.ts";
import type { CostModel, StageSeconds } from "../records/cost.ts";
import type { MemoryHead } from "../records/memory.ts";
import type { LayerProbe } from "../records/plan.ts";
import type { FlowContext } from "./context.ts";
import { forecast, type Forecast, type RuleFacts } from "./forecast.ts";
import { tryOut } from "./trial.ts";

export interface Foreseen extends Forecast {
  readonly cost: CostModel;
  readonly seconds: StageSeconds;
  /** Facts that are not expected to come back whole. */
  readonly inexact: number;
  /** What is known of the layers now: the run need not probe those again. */
  readonly probed: readonly LayerProbe[];
}

/** Foresees what memorising `found` in a memory with the head `stored` takes. Nothing is stored. */
export async function foresee(
  context: Omit<FlowContext, "onProgress">,
  found: RuleFacts,
  stored: MemoryHead | null,
  known: CostModel,
): Promise<Foreseen> {
  const { engine, params, layers, probed: before = [] } = context;
  const input = { engine, params, stored, layers };
  const trial = await tryOut(context, forecast(found, { ...input, probed: before }), found.candidates, known);
  // The layers that were probed on the way need not be probed by the run.
  const probed = [...before, ...trial.probed];
  const expected = forecast(found, { ...input, probed });
  const read = { total: found.seconds, units: Math.max(1, found.characters) };
  const cost = fitted(known, { ...trial.cost, rates: { ...trial.cost.rates, read } });
  return {
    ...expected,
    cost,
    seconds: secondsOf(cost, expected.work, engine.model) ?? {},
    inexact: Math.round(inexactParts(cost, expected.work.parts)),
    probed,
  };
}
