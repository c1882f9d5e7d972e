/** @file The forecast of a run over texts, before it: what it will do, and what that takes by known runs and a trial. */

import { oneLine } from "../extract/anchorKey.ts";
import { makeFacts } from "../extract/facts.ts";
import { fitted, inexactParts, secondsOf } from "../plan/cost.ts";
import type { CostModel, StageSeconds } from "../records/cost.ts";
import type { MemoryHead } from "../records/memory.ts";
import type { LayerProbe } from "../records/plan.ts";
import type { Candidate } from "../records/source.ts";
import { heldFacts } from "./cachedFacts.ts";
import type { FlowContext } from "./context.ts";
import { forecast, type Forecast, type RuleFacts } from "./forecast.ts";
import { withParts } from "./planMemory.ts";
import { knowing, knownPartTokens, knownProbes } from "./probe.ts";
import { knownAnchors } from "./stages.ts";
import { tryOut } from "./trial.ts";
import { factWork, vectorsPerFact } from "./workload.ts";

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
  given: ForeseeContext,
  found: RuleFacts,
  stored: MemoryHead | null,
  costs: CostModel,
): Promise<Foreseen> {
  const { context, forecasting, known, probed: before } = await beforehand(given, found, stored);
  const open = await ahead(context, forecasting(before), known);
  // What is tried is timed: it must not come from the cache.
  const { cache, ...trying } = context;
  const trial = await tryOut(trying, open, known.unasked, costs);
  // The layers that were probed on the way need not be probed by the run.
  const probed = [...before, ...trial.probed];
  const expected = forecasting(probed);
  const read = { total: found.seconds, units: Math.max(1, found.characters) };
  const cost = fitted(costs, { ...trial.cost, rates: { ...trial.cost.rates, read } });
  const { work } = cache ? await ahead(context, expected, known) : expected;
  const { engine } = context;
  return {
    ...expected,
    cost,
    seconds: secondsOf(cost, work, engine.model) ?? {},
    inexact: Math.round(inexactParts(cost, expected.work.parts)),
    probed,
  };
}

/** What memorising `found` takes by what is known, `costs`; nothing is tried. Undefined where they say nothing of a stage. */
export async function foreseeUntried(
  given: ForeseeContext,
  found: RuleFacts,
  stored: MemoryHead | null,
  costs: CostModel,
): Promise<StageSeconds | undefined> {
  const { context, forecasting, known, probed } = await beforehand(given, found, stored);
  const { work } = await ahead(context, forecasting(probed), known);
  return secondsOf(costs, work, context.engine.model);
}

type ForeseeContext = Omit<FlowContext, "onProgress">;

/** What can be said of a run before anything is tried for it. */
async function beforehand(given: ForeseeContext, found: RuleFacts, stored: MemoryHead | null) {
  const asked = knowing(given);
  const partTokens = await knownPartTokens(asked, stored);
  const context = partTokens === undefined ? asked : withParts(asked, { partTokens });
  const { engine, params, layers } = context;
  const { exact, ...known } = await placed(context, found);
  return {
    context,
    forecasting: (probed: readonly LayerProbe[]) =>
      forecast(exact, { engine, params, stored, layers, probed }),
    known: { ...known, stored },
    probed: await knownProbes(asked),
  };
}

/** What the cache says of candidates. */
interface Known {
  /** Those that the model has yet to be asked for. */
  readonly unasked: readonly Candidate[];
  /** Sentences that something is kept of: no other can be known. */
  readonly seen: ReadonlySet<string>;
}

/** What was found, with the anchors that the model gave before where the cache has its replies. */
async function placed(
  context: ForeseeContext,
  found: RuleFacts,
): Promise<Known & { readonly exact: RuleFacts }> {
  const { cache, params } = context;
  const { candidates } = found;
  const lines = candidates.map(({ sentence }) => oneLine(sentence.text));
  // A cache that cannot be read is as good as an empty one.
  const held = (await cache?.known(lines).catch(() => [])) ?? [];
  const seen = new Set(lines.filter((_, i) => held[i]));
  if (seen.size === 0 || params.anchors === "rules") return { exact: found, unasked: candidates, seen };
  const { anchors, unasked } = await knownAnchors(context, candidates);
  return { exact: { ...found, facts: makeFacts(anchors, params) }, unasked, seen };
}

/**
 * What of a forecast is to be made: without the facts that the cache has. In a memory that holds facts those of a known
 * anchor are counted on, under prompts that nobody knows yet: there none is taken for known.
 */
async function ahead(
  context: ForeseeContext,
  { planned, layers, work }: Forecast,
  { unasked, seen, stored }: Known & { readonly stored: MemoryHead | null },
): Promise<Pick<Forecast, "planned" | "work">> {
  const { engine, params } = context;
  const countedOn = stored !== null && stored.facts > 0;
  const likely = countedOn ? [] : planned.filter(({ fact }) => seen.has(oneLine(fact.value)));
  const held = await heldFacts(context, { layers }, likely);
  const known = new Set(held.map(({ planned: { fact } }) => fact.id));
  const left = planned.filter(({ fact }) => !known.has(fact.id));
  const proposals = Math.min(work.proposals, unasked.length);
  const facts = held.map(({ planned: { fact } }) => fact);
  const written = (stored?.vectors ?? 0) + facts.length * vectorsPerFact(engine, facts, params);
  return { planned: left, work: { ...work, ...factWork(engine, left, params, written), proposals } };
}
