/** @file Test support: bAbI-like sentences, which the bundled model can be steered to say, as planned facts. */

import type { Engine } from "../../engine/engine.ts";
import type { PlannedFact } from "../../records/fact.ts";
import { charOffset, documentId, factId, layerIndex } from "../../records/ids.ts";
import type { MemoryEntry } from "../../records/memory.ts";
import type { MethodParams } from "../../records/params.ts";
import { encodeFacts } from "../encode.ts";

const VERBS = ["moved to", "went to", "journeyed to", "travelled to", "went back to"];
const PLACES = ["garden", "kitchen", "office", "hallway", "bathroom", "bedroom"];
const DOCUMENT = documentId("0123456789abcdef");

/** Fact `n` (from 0) of a person, e.g. "Mary moved to the garden."; sentences of one person differ for n < 30. */
export function fact(anchor: string, n: number, layer: number, anchorOrder = 0): PlannedFact {
  const offset = charOffset(anchorOrder * 10_000 + n * 100);
  const value = `${anchor} ${VERBS[(n + anchorOrder) % VERBS.length]!} the ${PLACES[(n + 2 * anchorOrder) % PLACES.length]!}.`;
  return {
    fact: {
      id: factId(DOCUMENT, offset),
      documentId: DOCUMENT,
      anchor,
      anchorOrder,
      index: n + 1,
      value,
      offset,
    },
    layer: layerIndex(layer),
  };
}

/** `perLayer` facts at each of `layers`, of four persons. */
export function facts(layers: readonly number[], perLayer: number): PlannedFact[] {
  const persons = ["Mary", "John", "Sandra", "Daniel"];
  return Array.from({ length: layers.length * perLayer }, (_, i) => {
    const person = i % persons.length;
    const layer = layers[Math.floor(i / persons.length) % layers.length]!;
    return fact(persons[person]!, Math.floor(i / persons.length), layer, person);
  });
}

/** All entries of a run, in the order of `planned`. */
export async function encodeAll(
  engine: Engine,
  planned: readonly PlannedFact[],
  params: MethodParams,
): Promise<MemoryEntry[]> {
  const found = new Map<string, MemoryEntry>();
  for await (const entries of encodeFacts(engine, planned, params))
    for (const entry of entries) found.set(entry.id, entry);
  return planned.map((p) => found.get(p.fact.id)!);
}
