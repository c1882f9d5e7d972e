/** @file Test support: a store that cannot be loaded, and of how many entries each block was that was read of it. */

import type { KeptMemory, VectorBlock } from "../../records/vectors.ts";
import type { Store } from "../port.ts";

export interface Watched {
  readonly store: Store;
  /** Entries of every block whose vectors were asked for, in order. */
  readonly read: number[];
  /** Sizes of all batches that were read, in order. */
  readonly passed: number[];
}

/** A view of `store`; `onBatch` is called for every batch that is read. */
export function watched(store: Store, onBatch: () => Promise<void> | void = () => undefined): Watched {
  const [read, passed]: [number[], number[]] = [[], []];
  const counted = (block: VectorBlock): VectorBlock => ({
    ...block,
    read: () => (read.push(block.entries.length), block.read()),
  });
  const view: Store = {
    name: store.name,
    load: () => Promise.reject(new Error("test: all vectors of the memory were asked for at once")),
    open: async () => {
      const kept = await store.open();
      return kept && ({ ...kept, blocks: kept.blocks.map(counted) } satisfies KeptMemory);
    },
    pieces: async () => {
      const pieces = await store.pieces();
      return (
        pieces && {
          ...pieces,
          async *batches() {
            for await (const batch of pieces.batches()) {
              passed.push(batch.length);
              await onBatch();
              yield batch;
            }
          },
        }
      );
    },
    revision: () => store.revision(),
    save: (memory) => store.save(memory),
    take: (pieces) => store.take(pieces),
    append: (batch) => store.append(batch),
    flush: () => store.flush(),
    remove: (removal) => store.remove(removal),
  };
  return { store: view, read, passed };
}
