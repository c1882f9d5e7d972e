/** @file A stored memory in the place of what it was, where more of it changed than a batch can say. */

import { present } from "../lib/assert.ts";
import type { MemoryOutline } from "../records/memory.ts";
import { retold } from "../records/retold.ts";
import type { Store } from "../store/port.ts";

/**
 * Stores the memory as `outline` says it now, in one step: entries that are not in it any more go, and those that are keep
 * their vectors and losses, which are read and written a block at a time.
 */
export async function storeAnew(store: Store, { entries, ...rest }: MemoryOutline): Promise<void> {
  const stored = present(
    await store.pieces(),
    () => "flow: nothing is stored in this memory any more; reload the list",
  );
  await store.take({ ...rest, batches: () => retold(stored.batches(), entries) });
}
