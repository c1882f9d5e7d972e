/** @file The forecast of a run over texts, before it: what it will do, and what that takes by known runs and a trial. */

import { oneLine } from "../extract/anchorKey.ts";
import { fitted, inexactParts, secondsOf } from "../plan/cost.ts";
import type { CostModel, StageSeconds } from "../records/cost.ts";
import type { MemoryHead } from "../records/memory.ts";
import type { LayerProbe } from "../records/plan.ts";
import type { Candidate } from "../records/source.ts";
import { encodedTrace } from "./cachedFacts.ts";
import type { FlowContext } from "./context.ts";
import { forecast, type Forecast, type RuleFacts } from "./forecast.ts";
import { knownProbes } from "./probe.ts";
import { tryOut } from "./trial.ts";
import { factWork } from "./workload.ts";

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
  const { engine, params, layers } = context;
  const before = await knownProbes(context);
  const input = { engine, params, stored, layers };
  const open = await ahead(context, forecast(found, { ...input, probed: before }), found.candidates);
  // What is tried is timed: it must not come from the cache.
  const { cache, ...trying } = context;
  const trial = await tryOut(trying, open, open.candidates, known);
  // The layers that were probed on the way need not be probed by the run.
  const probed = [...before, ...trial.probed];
  const expected = forecast(found, { ...input, probed });
  const read = { total: found.seconds, units: Math.max(1, found.characters) };
  const cost = fitted(known, { ...trial.cost, rates: { ...trial.cost.rates, read } });
  const { work } = cache ? await ahead(context, expected, found.candidates) : expected;
  return {
    ...expected,
    cost,
    seconds: secondsOf(cost, work, engine.model) ?? {},
    inexact: Math.round(inexactParts(cost, expected.work.parts)),
    probed,
  };
}

/** What of a forecast is to be made: without the sentences that the cache knows. */
async function ahead(
  { engine, params, cache }: Omit<FlowContext, "onProgress">,
  { planned, work }: Pick<Forecast, "planned" | "work">,
  candidates: readonly Candidate[],
): Promise<Pick<Forecast, "planned" | "work"> & { readonly candidates: readonly Candidate[] }> {
  if (!cache) return { planned, work, candidates };
  const facts = await cache.known(planned.map(({ fact }) => encodedTrace(engine, params, fact.value)));
  const asked = await cache.known(candidates.map(({ sentence }) => oneLine(sentence.text)));
  const left = planned.filter((_, i) => !facts[i]);
  const unasked = candidates.filter((_, i) => !asked[i]);
  const proposals = Math.min(work.proposals, unasked.length);
  return {
    planned: left,
    work: { ...work, ...factWork(engine, left, params), proposals },
    candidates: unasked,
  };
}
