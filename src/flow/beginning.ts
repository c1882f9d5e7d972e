/** @file What a run stores before its first entry: the routing index and the sources, of a memory that exists no more than is new. */

import { precisionOf, type Memory } from "../records/memory.ts";
import { changedSince } from "../records/params.ts";
import type { MemoryBatch, Store } from "../store/port.ts";

/** Stores `indexed`, which a plan made of what is `stored`: whole only where anything else than a batch can say changed. */
export async function storeIndexed(store: Store, stored: Memory | null, indexed: Memory): Promise<void> {
  const added = stored && addedTo(stored, indexed);
  await (added ? store.append(added) : store.save(indexed));
}

/** What appended to `stored` makes it `indexed`; null where no batch does. */
export function addedTo(stored: Memory, indexed: Memory): MemoryBatch | null {
  const batches =
    headOf(stored) === headOf(indexed) &&
    begins(stored.entries, indexed.entries) &&
    stored.entries.length === indexed.entries.length &&
    begins(stored.sources, indexed.sources) &&
    begins(anchorsOf(stored), anchorsOf(indexed));
  if (!batches) return null;
  const { sources, centres } = indexed;
  const known = new Set(stored.routing);
  return {
    sources: sources.slice(stored.sources.length),
    routing: indexed.routing.filter((document) => !known.has(document)),
    ...(centres && { centres }),
  };
}

/** All that a batch cannot change. Parameters in the order of their table, whoever made them. */
const headOf = ({ model, params, earlier, embedder, salt, layers, keyToken }: Memory): string =>
  JSON.stringify([
    ...[model.name, model.sha256, precisionOf(model), embedder, salt, layers, keyToken],
    ...[params, ...(earlier ?? [])].map(changedSince),
  ]);

const anchorsOf = ({ routing }: Memory): readonly string[] => routing.map(({ anchor }) => anchor);

/** Whether `whole` begins with the very items of `first`. */
const begins = (first: readonly unknown[], whole: readonly unknown[]): boolean =>
  first.every((item, i) => item === whole[i]);
