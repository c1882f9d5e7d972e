/** @file The leaves of a memory's entries, as a check of its root reads them. */

import { routingFacts, type EntryMeta } from "../memory.ts";
import { fromVectors, leafOf } from "../proof.ts";
import type { KeptMemory } from "../vectors.ts";

export function leavesOf(memory: KeptMemory): Promise<Map<EntryMeta, string>> {
  const routed = routingFacts(memory.routing);
  return fromVectors(memory, (entry) => leafOf(entry, routed));
}
