/** @file A store that lives as long as the process: for tests and for runs without --store. */

import { countFacts, type Memory } from "../records/memory.ts";
import {
  checkBatch,
  checkRemoval,
  copyBatch,
  copyMemory,
  nothingSaved,
  withBatches,
  withoutFacts,
} from "./batch.ts";
import { keptMemory } from "../records/vectors.ts";
import { piecesOf, wholeOf } from "./pieces.ts";
import type { MemoryBatch, Store } from "./port.ts";

/** Keeps copies, so that neither the caller's later changes nor a loaded memory reach into it. */
export function inMemoryStore(name = "memory"): Store {
  let stored: Memory | null = null;
  let changes = 0;
  /** Batches that are yet to join it: an append takes no longer the more there is. */
  let added: MemoryBatch[] = [];
  const whole = (): Memory | null => {
    if (stored && added.length > 0) stored = withBatches(stored, added);
    added = [];
    return stored;
  };
  return {
    name,
    load: async () => {
      const memory = whole();
      return memory && copyMemory(memory);
    },
    open: async () => {
      const memory = whole();
      return memory && keptMemory(copyMemory(memory));
    },
    pieces: async () => {
      const memory = whole();
      return memory && piecesOf(copyMemory(memory));
    },
    revision: async () => stored && String(changes),
    save: async (memory) => {
      checkBatch(memory, memory.model);
      changes++;
      [stored, added] = [copyMemory(memory), []];
    },
    take: async (pieces) => {
      const memory = await wholeOf(pieces);
      checkBatch(memory, memory.model);
      changes++;
      [stored, added] = [copyMemory(memory), []];
      return { facts: countFacts(memory.entries) };
    },
    append: async (batch) => {
      if (!stored) throw nothingSaved(name, "append to");
      checkBatch(batch, stored.model);
      changes++;
      added.push(copyBatch(batch));
    },
    tidy: async () => undefined,
    remove: async (removal) => {
      const memory = whole();
      if (!memory) throw nothingSaved(name, "delete from");
      checkRemoval(removal, memory.model);
      changes++;
      stored = copyMemory(withoutFacts(memory, removal));
    },
    clear: async () => {
      [stored, added] = [null, []];
    },
  };
}
