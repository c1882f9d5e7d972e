/** @file c(ℓ), the centre of a layer's keys: the mean of their activations when the layer gets its first ones. */

import type { Engine } from "../engine/engine.ts";
import { groupBy } from "../lib/group.ts";
import { spread } from "../lib/stats.ts";
import type { Fact, PlannedFact } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { KeyCentre } from "../records/memory.ts";
import { probeFacts } from "./probe.ts";
import { recallPrompt } from "./prompt.ts";

/** Keys of a layer that its centre is the mean of, at most. */
const MOST_KEYS = 256;
/** With fewer, held-out probe keys join them: a fact alone would lie at its own centre and have no key left. */
const LEAST_KEYS = 16;

/**
 * The centre of every layer that `planned` uses. 64 template facts under the paper's preset, exact by the soft read, at
 * layers 0 to 3 of the bundled model: none without a centre; 63, 54, 39, 39 behind the mean of eight held-out keys
 * (more of them gave no more); 64, 64, 57, 51 behind the mean of the store's own.
 */
export async function keyCentres(
  engine: Engine,
  planned: readonly PlannedFact[],
  signal?: AbortSignal,
): Promise<KeyCentre[]> {
  const centres: KeyCentre[] = [];
  for (const [layer, own] of groupBy(planned, (one) => one.layer)) {
    const facts = spread(own, MOST_KEYS).map(({ fact }) => fact);
    centres.push({ layer, vector: await meanKey(engine, withProbes(facts), layer, signal) });
  }
  return centres;
}

const withProbes = (facts: readonly Fact[]): readonly Fact[] =>
  facts.length < LEAST_KEYS ? [...facts, ...probeFacts()] : facts;

/** The mean of a(ℓ) at the key tokens of `facts`, [dFf]. */
async function meanKey(
  engine: Engine,
  facts: readonly Fact[],
  layer: LayerIndex,
  signal: AbortSignal | undefined,
): Promise<Float32Array> {
  const prompts = facts.map((fact) => recallPrompt(engine, fact));
  const readings = await engine.readKeys(prompts, [layer], signal);
  const sum = new Float64Array(engine.model.dFf);
  for (const [reading] of readings) for (const [i, x] of reading!.activation.entries()) sum[i]! += x;
  return Float32Array.from(sum, (x) => x / facts.length);
}
