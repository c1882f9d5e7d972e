/** @file A store of additions to a memory that is kept elsewhere. */

import { loadedBlocks, type KeptMemory } from "../records/vectors.ts";
import { withBatches } from "./batch.ts";
import type { Batch, Store } from "./port.ts";

/** A store of additions to `base`, which itself stays as it is and is not copied. Anything but an addition rejects. */
export function additionsTo(base: KeptMemory): Store {
  const batches: Batch[] = [];
  const refuse = (): Promise<never> => Promise.reject(new Error("store: this memory can only be added to"));
  return {
    name: "additions",
    async open() {
      const blocks = [...base.blocks, ...loadedBlocks(batches.flatMap(({ entries = [] }) => entries))];
      return { ...withBatches(base, batches), blocks };
    },
    revision: () => Promise.resolve(String(batches.length)),
    append: (batch) => Promise.resolve(void batches.push(batch)),
    flush: () => Promise.resolve(),
    ...{ load: refuse, pieces: refuse, save: refuse, take: refuse, remove: refuse },
  };
}
