/** @file A store that lives as long as the process: for tests and for runs without --store. */

import type { Memory } from "../records/memory.ts";
import {
  checkBatch,
  checkRemoval,
  copyBatch,
  copyMemory,
  nothingSaved,
  withBatch,
  withoutFacts,
} from "./batch.ts";
import type { Store } from "./port.ts";

/** Keeps copies, so that neither the caller's later changes nor a loaded memory reach into it. */
export function inMemoryStore(name = "memory"): Store {
  let stored: Memory | null = null;
  let changes = 0;
  return {
    name,
    load: async () => stored && copyMemory(stored),
    revision: async () => stored && String(changes),
    save: async (memory) => {
      checkBatch(memory, memory.model);
      changes++;
      stored = copyMemory(memory);
    },
    append: async (batch) => {
      if (!stored) throw nothingSaved(name, "append to");
      checkBatch(batch, stored.model);
      changes++;
      stored = withBatch(stored, copyBatch(batch));
    },
    remove: async (removal) => {
      if (!stored) throw nothingSaved(name, "delete from");
      checkRemoval(removal, stored.model);
      changes++;
      stored = copyMemory(withoutFacts(stored, removal));
    },
    clear: async () => {
      stored = null;
    },
  };
}
