/** @file The plan step of memorising: anchors, facts, storage layers, the budget of Eq. 1 and the layers of Eq. 2. */

import { many } from "../lib/format.ts";
import { makeFacts } from "../extract/facts.ts";
import { assert } from "../lib/assert.ts";
import { mean, spread } from "../lib/stats.ts";
import type { Engine } from "../engine/engine.ts";
import { partsOf, type PartParams } from "../memory/parts.ts";
import { allocate, planBudget, type BudgetInputs } from "../plan/budget.ts";
import { assignLayers } from "../plan/layers.ts";
import { longestPart } from "../plan/parts.ts";
import type { Anchor, ExtractedFact, Fact } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import type { EntryMeta, Memory } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import type { MemoryPlan } from "../records/plan.ts";
import type { SaidFacts } from "./carry.ts";
import { inStage, type FlowContext } from "./context.ts";
import { countOn, evictedBy, placeAnchors, withoutEvicted } from "./extend.ts";
import { pendingFacts } from "./facts.ts";
import { checkedLayers, knownPartTokens, planLayers, withRecordedLayers } from "./layerProbe.ts";
import { countExtraction, type ReadText, allFitting, proposeAnchors } from "./readTexts.ts";

/** Plans the facts of `texts` or `said`, and those that an interrupted run left. @throws if no fact fits the window */
export async function planMemory(
  context: FlowContext,
  stored: Memory<EntryMeta> | null,
  texts: readonly ReadText[],
  said?: SaidFacts,
): Promise<Omit<MemoryPlan, "known">> {
  const candidates = texts.flatMap((text) => text.candidates);
  const proposed = (): Promise<Anchor[]> => proposeAnchors(context, candidates);
  const anchors = said?.anchors ?? (await inStage(context, "anchors", proposed));
  const storage = await inStage(context, "layers", () => storageLayers(context, stored));
  const params = { ...context.params, partTokens: storage.partTokens };
  const kept = await inStage(context, "budget", () =>
    withinBudget({ ...context, params }, stored, storage.layers.length, anchors),
  );
  const { budget, extracted, retained } = kept;
  const note = `facts are kept (B = ${budget.facts}, bound by ${budget.bound}), layers ${storage.layers.join(" ")}`;
  if (texts.length > 0)
    context.onProgress?.({ stage: "budget", done: retained.length, total: extracted, note });
  const resumed = stored ? pendingFacts(stored).filter(({ id }) => !kept.evicted.has(id)) : [];
  // In the order of the routing index, the only order that a resumed run knows.
  const facts = [...resumed, ...retained].toSorted(
    (a, b) => a.anchorOrder - b.anchorOrder || a.index - b.index,
  );
  return {
    sources: said?.sources ?? texts.map((text) => text.source),
    extraction: texts.map((text) => countExtraction(text, anchors)),
    ...storage,
    ...kept,
    resumed,
    planned: assignLayers(facts, storage.layers, params),
  };
}

/** Layers and part length: those of the memory, the given ones, or the best of the probe. */
async function storageLayers(given: FlowContext, stored: Memory<EntryMeta> | null) {
  const context = withRecordedLayers(given);
  const layers = stored ? stored.layers : context.layers && checkedLayers(context.engine, context.layers);
  const layerPlan = layers ? null : await planLayers(context);
  const found = layerPlan?.parts?.longest ?? (await knownPartTokens(context, stored));
  // Given layers are not probed, so the part length may be unknown.
  const partTokens = found === undefined ? longestPart(context.params) : found;
  return { layers: layers ?? layerPlan!.layers, layerPlan, partTokens };
}

/** Eq. 1 over the facts that can be stored: those that it keeps, numbered on from the stored ones, and those they replace. */
async function withinBudget(
  { engine, params, store, signal }: FlowContext,
  stored: Memory<EntryMeta> | null,
  layers: number,
  anchors: readonly Anchor[],
): Promise<Pick<MemoryPlan, "extracted" | "skipped" | "budget" | "retained" | "evicted">> {
  const routing = stored?.routing ?? [];
  if (anchors.length === 0) {
    const budget = planBudget(routing.length, budgetInputs(engine, params, layers, 0, []));
    return { extracted: 0, skipped: [], budget, retained: [], evicted: new Set() };
  }
  const placed = placeAnchors(routing, makeFacts(anchors, params), params);
  const { facts, skipped } = await allFitting(engine, placed, params, signal);
  const [first] = skipped;
  assert(
    facts.length > 0 || !first,
    () =>
      `flow: none of ${many(skipped.length, "fact")} can be stored: "${first!.value.slice(0, 60)}…": ${first!.why}; ` +
      "split the sentences, or use a model with a larger window",
  );
  const chosen = chooseFacts(engine, params, stored, layers, facts);
  if (stored && chosen.budget.facts === 0) assertRoom(engine, store.name, params, stored);
  return { extracted: facts.length, skipped, ...chosen };
}

/**
 * The facts that Eq. 1 keeps. If the retention depth holds over the whole memory, they replace older facts. So the freed vectors
 * start from their upper bound and decrease to the number that the chosen facts really free.
 */
function chooseFacts(
  engine: Engine,
  params: MethodParams,
  stored: Memory<EntryMeta> | null,
  layers: number,
  extracted: readonly ExtractedFact[],
): Pick<MemoryPlan, "budget" | "retained" | "evicted"> {
  const routing = stored?.routing ?? [];
  const before = stored ? vectorsIn(engine, params, stored) : 0;
  const inputs = budgetInputs(engine, params, layers, before, extracted);
  const replaces = params.depthOver === "memory";
  let freed = replaces ? before : 0;
  for (;;) {
    const { budget, facts } = allocate(extracted, freed > 0 ? { ...inputs, stored: before - freed } : inputs);
    const retained = countOn(routing, facts);
    const evicted = replaces ? evictedBy(routing, retained, params.depth) : new Set<FactId>();
    const left = stored ? vectorsIn(engine, params, withoutEvicted(stored, evicted)) : 0;
    if (before - left >= freed) return { budget, retained, evicted };
    freed = before - left;
  }
}

/** Checks for room before the text is read. @throws if the memory is full, unless new facts replace older ones */
export function checkRoom({ engine, params, store }: FlowContext, stored: Memory<EntryMeta>): void {
  if (params.depthOver !== "memory") assertRoom(engine, store.name, params, stored);
}

function assertRoom(engine: Engine, name: string, params: MethodParams, stored: Memory<EntryMeta>): void {
  const { capacity } = params;
  const [vectors, layers] = [vectorsIn(engine, params, stored), stored.layers.length];
  assert(
    vectors < layers * capacity,
    () =>
      `flow: ${name} is full: ${vectors} vectors, K C = ${layers} × ${capacity}; ` +
      "delete some facts, or set a larger capacity (C)",
  );
}

/** Vectors of a memory, including those that its pending facts will take. */
function vectorsIn(engine: Engine, params: MethodParams, memory: Memory<EntryMeta>): number {
  const pending = pendingFacts(memory);
  return memory.entries.length + Math.ceil(pending.length * vectorsPerFact(engine, pending, params));
}

/** Facts whose tokens are counted: a long text has tens of thousands. */
export const SAMPLED_FACTS = 256;

/** Mean number of vectors of a fact before any part is halved, from an even sample. */
function vectorsPerFact(engine: Engine, facts: readonly Fact[], params: PartParams): number {
  if (params.partTokens === null || facts.length === 0) return 1;
  return mean(spread(facts, SAMPLED_FACTS).map((fact) => partsOf(engine, fact, params).length));
}

/** Inputs of Eq. 1 over `layers` layers for `facts`, next to `stored` vectors. */
export function budgetInputs(
  engine: Engine,
  params: PartParams & Pick<MethodParams, "depth" | "capacity" | "spareRoom">,
  layers: number,
  stored: number,
  facts: readonly Fact[],
): BudgetInputs {
  const perFact = vectorsPerFact(engine, facts, params);
  return {
    ...{ depth: params.depth, layers, capacity: params.capacity },
    ...(stored > 0 ? { stored } : {}),
    ...(perFact > 1 ? { vectorsPerFact: perFact } : {}),
    ...(params.spareRoom ? { spareRoom: true } : {}),
  };
}
