/** @file The leaves of a memory's entries, as a check of its root reads them. */

import { routingFacts, type EntryMeta } from "../memory.ts";
import { leafOf } from "../proof.ts";
import { mapVectors, type KeptMemory } from "../vectors.ts";

export async function leavesOf(memory: KeptMemory): Promise<Map<EntryMeta, string>> {
  const routed = routingFacts(memory.routing);
  const leaves = await mapVectors(memory, memory.entries, (entry) => leafOf(entry, routed));
  return new Map(memory.entries.map((entry, i) => [entry, leaves[i]!]));
}
