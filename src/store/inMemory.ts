/** @file A store that lives as long as the process: for tests and for runs without --store. */

import type { Memory } from "../records/memory.ts";
import { checkBatch, copyBatch, copyMemory, withBatch } from "./batch.ts";
import type { Store } from "./port.ts";

/** Keeps copies, so that neither the caller's later changes nor a loaded memory reach into it. */
export function inMemoryStore(name = "memory"): Store {
  let stored: Memory | null = null;
  return {
    name,
    load: async () => stored && copyMemory(stored),
    save: async (memory) => {
      checkBatch(memory, memory.model);
      stored = copyMemory(memory);
    },
    append: async (batch) => {
      if (!stored) throw new Error(`store: ${name}: nothing is saved to append to; save a memory first`);
      checkBatch(batch, stored.model);
      stored = withBatch(stored, copyBatch(batch));
    },
    clear: async () => {
      stored = null;
    },
  };
}
