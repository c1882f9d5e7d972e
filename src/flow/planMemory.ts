/** @file ReadText[] -> MemoryPlan: anchors, facts, storage layers, the budget of Eq. 1 and the layers of Eq. 2. */

import { many } from "../lib/format.ts";
import { makeFacts } from "../extract/facts.ts";
import { assert } from "../lib/assert.ts";
import type { Engine } from "../engine/engine.ts";
import { allocate, planBudget } from "../plan/budget.ts";
import { assignLayers } from "../plan/layers.ts";
import { longestPart } from "../plan/parts.ts";
import type { Anchor, ExtractedFact, Fact } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import type { MemoryOutline } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import type { MemoryPlan } from "../records/plan.ts";
import type { FlowContext } from "./context.ts";
import { countOn, evictedBy, placeAnchors, withoutEvicted } from "./extend.ts";
import { countExtraction } from "./extractionCounts.ts";
import { pendingFacts } from "./facts.ts";
import { checkedLayers, knowing, knownPartTokens, planLayers } from "./probe.ts";
import type { ReadText } from "./readTexts.ts";
import { allFitting, proposeAnchors } from "./stages.ts";
import type { Timed } from "./timed.ts";
import { budgetInputs, vectorsPerFact } from "./workload.ts";

/**
 * Plans what `texts` add to `stored`; with no text, what is left of an interrupted run.
 * @throws when none of the facts fits the model's window
 */
export async function planMemory(
  context: FlowContext,
  stored: MemoryOutline | null,
  texts: readonly ReadText[],
  timed: Timed,
): Promise<Omit<MemoryPlan, "known">> {
  const anchors = await timed("anchors", () =>
    proposeAnchors(
      context,
      texts.flatMap((text) => text.candidates),
    ),
  );
  const storage = await timed("layers", () => storageLayers(context, stored));
  const sized = withParts(context, storage);
  const kept = await timed("budget", () => withinBudget(sized, stored, storage.layers, anchors));
  if (texts.length > 0) reportPlan(context, kept, storage.layers);
  const resumed = stored ? pendingFacts(stored).filter(({ id }) => !kept.evicted.has(id)) : [];
  return {
    sources: texts.map((text) => text.source),
    extraction: texts.map((text) => countExtraction(text.document, text.sentences, text.candidates, anchors)),
    ...storage,
    ...kept,
    resumed,
    planned: assignLayers(anchorByAnchor([...resumed, ...kept.retained]), storage.layers, context.params),
  };
}

/** `context` with the longest part that a plan found. */
export const withParts = <C extends Pick<FlowContext, "params">>(
  context: C,
  { partTokens }: Pick<MemoryPlan, "partTokens">,
): C => ({ ...context, params: { ...context.params, partTokens } });

type Storage = Pick<MemoryPlan, "layers" | "layerPlan" | "partTokens">;

/** Layers and part length: those of the memory, or those that were given, or the best of the probe. */
async function storageLayers(given: FlowContext, stored: MemoryOutline | null): Promise<Storage> {
  const context = knowing(given);
  const layers = stored ? stored.layers : context.layers && checkedLayers(context.engine, context.layers);
  const layerPlan = layers ? null : await planLayers(context);
  const found = layerPlan?.parts?.longest ?? (await knownPartTokens(context, stored));
  // With layers that are given nothing is probed.
  const partTokens = found === undefined ? longestPart(context.params) : found;
  return { layers: layers ?? layerPlan!.layers, layerPlan, partTokens };
}

type Kept = Pick<MemoryPlan, "extracted" | "skipped" | "budget" | "retained" | "evicted">;

/** Eq. 1 over the facts that can be stored, counted on from what is stored. */
async function withinBudget(
  context: FlowContext,
  stored: MemoryOutline | null,
  layers: MemoryPlan["layers"],
  anchors: readonly Anchor[],
): Promise<Kept> {
  const { engine, params, signal } = context;
  const routing = stored?.routing ?? [];
  if (anchors.length === 0)
    return {
      extracted: 0,
      skipped: [],
      budget: planBudget(routing.length, budgetInputs(engine, params, layers.length, 0, [])),
      retained: [],
      evicted: new Set(),
    };
  const placed = placeAnchors(routing, makeFacts(anchors, params), params);
  const { facts: extracted, skipped } = await allFitting(engine, placed, params, signal);
  assertSome(extracted, skipped);
  const chosen = chosenFacts(context, stored, layers, extracted);
  if (stored && chosen.budget.facts === 0) assertRoom(context, stored);
  return { extracted: extracted.length, skipped, ...chosen };
}

/**
 * The facts that Eq. 1 keeps, and those that they push out where m̂ holds over the memory. What these leave is room in
 * K C for the very facts that push them out: the most is assumed first, then what the facts chosen so really leave, until
 * it is enough. No more is assumed from one time to the next, and nothing at last, which is room that is there.
 */
function chosenFacts(
  { engine, params }: FlowContext,
  stored: MemoryOutline | null,
  layers: MemoryPlan["layers"],
  extracted: readonly ExtractedFact[],
): Pick<Kept, "budget" | "retained" | "evicted"> {
  const { depth, depthOver } = params;
  const routing = stored?.routing ?? [];
  const before = stored ? vectorsIn(engine, params, stored) : 0;
  const inputs = budgetInputs(engine, params, layers.length, before, extracted);
  for (let freed = depthOver === "memory" ? before : 0; ;) {
    const { budget, facts } = allocate(extracted, freed > 0 ? { ...inputs, stored: before - freed } : inputs);
    const retained = countOn(routing, facts);
    const evicted = depthOver === "memory" ? evictedBy(routing, retained, depth) : new Set<FactId>();
    const left = stored ? vectorsIn(engine, params, withoutEvicted(stored, evicted)) : 0;
    if (before - left >= freed) return { budget, retained, evicted };
    freed = before - left;
  }
}

function assertSome(facts: readonly Fact[], skipped: MemoryPlan["skipped"]): void {
  const first = skipped[0];
  assert(
    facts.length > 0 || !first,
    () =>
      `flow: of ${many(skipped.length, "fact")} none can be stored: "${first!.value.slice(0, 60)}…": ${first!.why}; ` +
      "break up the sentences, or use a model with a larger window",
  );
}

/** Vectors of a memory, with those that facts which an interrupted run left will take. */
function vectorsIn(engine: Engine, params: MethodParams, memory: MemoryOutline): number {
  const pending = pendingFacts(memory);
  return memory.entries.length + Math.ceil(pending.length * vectorsPerFact(engine, pending, params));
}

/**
 * Throws where Eq. 1 leaves no room for another fact: better before the text is read than after. Where facts make room
 * for others of their anchors, only the text tells.
 */
export function checkRoom(context: FlowContext, stored: MemoryOutline): void {
  if (context.params.depthOver !== "memory") assertRoom(context, stored);
}

function assertRoom({ engine, params, store }: FlowContext, stored: MemoryOutline): void {
  const { capacity } = params;
  const [vectors, layers] = [vectorsIn(engine, params, stored), stored.layers.length];
  assert(
    vectors < layers * capacity,
    () =>
      `flow: ${store.name} is full: ${vectors} vectors, K C = ${layers} × ${capacity}; ` +
      "forget some facts, or set a larger capacity (C)",
  );
}

/** In the order of the routing index, which is all that a run that takes over has. */
const anchorByAnchor = (facts: readonly Fact[]): Fact[] =>
  facts.toSorted((a, b) => a.anchorOrder - b.anchorOrder || a.index - b.index);

/** Says what is about to happen. */
function reportPlan(
  { onProgress }: FlowContext,
  { extracted, budget, retained }: Kept,
  layers: MemoryPlan["layers"],
): void {
  const note = `facts are kept (B = ${budget.facts}, bound by ${budget.bound}), layers ${layers.join(" ")}`;
  onProgress?.({ stage: "budget", done: retained.length, total: extracted, note });
}
