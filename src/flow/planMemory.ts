/** @file ReadText[] -> MemoryPlan: anchors, facts, storage layers, the budget of Eq. 1 and the layers of Eq. 2. */

import { many } from "../lib/format.ts";
import { makeFacts } from "../extract/facts.ts";
import { assert } from "../lib/assert.ts";
import type { Engine } from "../engine/engine.ts";
import { allocate, planBudget } from "../plan/budget.ts";
import { assignLayers } from "../plan/layers.ts";
import type { Anchor, Fact } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import type { Memory } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import type { MemoryPlan } from "../records/plan.ts";
import type { FlowContext } from "./context.ts";
import { countOn, evictedBy, placeAnchors } from "./extend.ts";
import { countExtraction } from "./extractionCounts.ts";
import { pendingFacts } from "./facts.ts";
import { checkedLayers, planLayers } from "./probe.ts";
import type { ReadText } from "./readTexts.ts";
import { fitting, proposeAnchors } from "./stages.ts";
import type { Timed } from "./timed.ts";
import { budgetInputs, vectorsPerFact } from "./workload.ts";

/**
 * Plans what `texts` add to `stored`; with no text, what is left of an interrupted run.
 * @throws when none of the facts fits the model's window
 */
export async function planMemory(
  context: FlowContext,
  stored: Memory | null,
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
  const kept = await timed("budget", () => withinBudget(context, stored, storage.layers, anchors));
  if (texts.length > 0) reportPlan(context, kept, storage.layers);
  const resumed = stored ? pendingFacts(stored).filter(({ id }) => !kept.evicted.has(id)) : [];
  return {
    sources: texts.map((text) => text.source),
    extraction: texts.map((text) => countExtraction(text.document, text.sentences, text.candidates, anchors)),
    ...storage,
    ...kept,
    resumed,
    planned: assignLayers(anchorByAnchor([...resumed, ...kept.retained]), storage.layers),
  };
}

type Storage = Pick<MemoryPlan, "layers" | "layerPlan">;

/** Those of the memory, or those that were given, or the best of the probe. */
async function storageLayers(context: FlowContext, stored: Memory | null): Promise<Storage> {
  if (stored) return { layers: stored.layers, layerPlan: null };
  if (context.layers) return { layers: checkedLayers(context.engine, context.layers), layerPlan: null };
  const layerPlan = await planLayers(context);
  return { layers: layerPlan.layers, layerPlan };
}

type Kept = Pick<MemoryPlan, "extracted" | "skipped" | "budget" | "retained" | "evicted">;

/** Eq. 1 over the facts that can be stored, counted on from what is stored. */
function withinBudget(
  { engine, params }: FlowContext,
  stored: Memory | null,
  layers: MemoryPlan["layers"],
  anchors: readonly Anchor[],
): Kept {
  const { depth, depthOver } = params;
  const routing = stored?.routing ?? [];
  const before = stored ? vectorsIn(engine, params, stored) : 0;
  if (anchors.length === 0)
    return {
      extracted: 0,
      skipped: [],
      budget: planBudget(routing.length, budgetInputs(engine, params, layers.length, 0, [])),
      retained: [],
      evicted: new Set(),
    };
  const { facts: extracted, skipped } = fitting(
    engine,
    placeAnchors(routing, makeFacts(anchors, params), params),
  );
  assertSome(extracted, skipped);
  const { budget, facts } = allocate(
    extracted,
    budgetInputs(engine, params, layers.length, before, extracted),
  );
  const retained = countOn(routing, facts);
  const evicted = depthOver === "memory" ? evictedBy(routing, retained, depth) : new Set<FactId>();
  return { extracted: extracted.length, skipped, budget, retained, evicted };
}

function assertSome(facts: readonly Fact[], skipped: MemoryPlan["skipped"]): void {
  const first = skipped[0];
  assert(
    facts.length > 0 || !first,
    () =>
      `flow: of ${many(skipped.length, "fact")} none fits the model's window: "${first!.value.slice(0, 60)}…" has ` +
      `${first!.why}; break up the sentences, or use a model with a larger window`,
  );
}

/** Vectors of a memory, with those that facts which an interrupted run left will take. */
function vectorsIn(engine: Engine, params: MethodParams, memory: Memory): number {
  const pending = pendingFacts(memory);
  return memory.entries.length + Math.ceil(pending.length * vectorsPerFact(engine, pending, params));
}

/** Throws where Eq. 1 leaves no room for another fact: better before the text is read than after. */
export function checkRoom({ engine, params, store }: FlowContext, stored: Memory): void {
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
