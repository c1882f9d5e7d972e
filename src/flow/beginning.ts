/** @file What a run stores before its first entry: the routing index and the sources, of a memory that exists no more than is new. */

import { precisionOf, type MemoryOutline } from "../records/memory.ts";
import { ordered } from "../records/params.ts";
import type { MemoryBatch, Store } from "../store/port.ts";
import { storeAnew } from "./storeAnew.ts";

/** Stores `indexed`, which a plan made of what is `stored`: whole only where anything else than a batch can say changed. */
export async function storeIndexed(
  store: Store,
  stored: MemoryOutline | null,
  indexed: MemoryOutline,
): Promise<void> {
  if (!stored) return store.save({ ...indexed, entries: [] });
  const added = addedTo(stored, indexed);
  await (added ? store.append(added) : storeAnew(store, indexed));
}

/** What appended to `stored` makes it `indexed`; null where no batch does. */
export function addedTo(stored: MemoryOutline, indexed: MemoryOutline): MemoryBatch | null {
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

/** All fields that a batch cannot change, as text. */
const headOf = ({ model, params, earlier, embedder, salt, layers, keyToken }: MemoryOutline): string =>
  JSON.stringify([
    ...[model.name, model.sha256, precisionOf(model), embedder, salt, layers, keyToken],
    ...[params, ...(earlier ?? [])].map(ordered),
  ]);

const anchorsOf = ({ routing }: MemoryOutline): readonly string[] => routing.map(({ anchor }) => anchor);

/** Whether `whole` begins with the very items of `first`. */
const begins = (first: readonly unknown[], whole: readonly unknown[]): boolean =>
  first.every((item, i) => item === whole[i]);
