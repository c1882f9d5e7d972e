/** @file c(ℓ), the centre of a layer's keys: the mean of their activations when the layer gets its first ones. */

import type { Engine } from "../engine/engine.ts";
import { groupBy } from "../lib/group.ts";
import { spread } from "../lib/stats.ts";
import { meanVector } from "../lib/vector.ts";
import { recallPrompt } from "../memory/parts.ts";
import type { Fact, PlannedFact } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { EntryMeta, KeyCentre, Memory } from "../records/memory.ts";
import type { FlowContext } from "./context.ts";
import { probeFacts } from "./layerProbe.ts";

const MOST_KEYS = 256;
/** With fewer keys, held-out probe keys are added: a single fact would be its own centre. */
const LEAST_KEYS = 16;

/**
 * `memory` with a centre for each layer that gets its first keys by `planned`, if `keyCentre` asks for centres. Of 64 template
 * facts at layers 0 to 3 the soft read recalled: none without a centre; 63, 54, 39, 39 with the mean of eight held-out keys;
 * 64, 64, 57, 51 with the mean of the stored keys (paper's preset, first edition of the bundled model).
 */
export async function withKeyCentres<
  M extends {
    readonly entries: readonly Pick<EntryMeta, "layer">[];
    readonly centres?: Memory["centres"] | undefined;
  },
>(
  { engine, params, signal }: Pick<FlowContext, "engine" | "params" | "signal">,
  memory: M,
  planned: readonly PlannedFact[],
): Promise<M> {
  if (params.keyCentre === "none") return memory;
  const { entries, centres = [] } = memory;
  const settled = new Set([...entries, ...centres].map(({ layer }) => layer));
  const fresh = planned.filter(({ layer }) => !settled.has(layer));
  const added: KeyCentre[] = [];
  for (const [layer, own] of groupBy(fresh, (one) => one.layer)) {
    const facts = spread(own, MOST_KEYS).map(({ fact }) => fact);
    const enough = facts.length < LEAST_KEYS ? [...facts, ...probeFacts()] : facts;
    added.push({ layer, vector: await meanKey(engine, enough, layer, signal) });
  }
  return added.length === 0 ? memory : { ...memory, centres: [...centres, ...added] };
}

async function meanKey(
  engine: Engine,
  facts: readonly Fact[],
  layer: LayerIndex,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  const prompts = facts.map((fact) => recallPrompt(engine, fact));
  const readings = await engine.readKeys(prompts, [layer], signal);
  return meanVector(readings.map(([reading]) => reading!.activation));
}
