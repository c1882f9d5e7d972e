/** @file A store in the memory of the process, alone or with a home that keeps it longer (tools/node/memoryFile.ts). */

import { keptMemory } from "../records/vectors.ts";
import { countFacts, type Memory } from "../records/memory.ts";
import { createQueue } from "../lib/queue.ts";
import { checkBatch, checkRemoval, deepCopy, nothingSaved, withBatches, withoutFacts } from "./batch.ts";
import { piecesOf, wholeOf } from "./pieces.ts";
import type { Batch, Store } from "./port.ts";

export interface Home {
  revision(): Promise<string | null>;
  read(): Promise<Memory | null | undefined>;
  /** With `later` the write may wait for a later one or for `flush`. Rejects if another process has changed the memory. */
  write(memory: () => Memory, later: boolean): Promise<void>;
  flush(): Promise<void>;
}

interface Held {
  readonly memory: Memory;
  readonly batches: readonly Batch[];
}

const merged = ({ memory, batches }: Held): Memory =>
  batches.length > 0 ? withBatches(memory, batches) : memory;

/** Stores copies, so that later changes to the caller's objects or to a loaded memory do not reach the store. */
export function inMemoryStore(name = "memory", home?: Home): Store {
  let held: Held | null = null;
  let changes = 0;
  const queue = createQueue();
  const runExclusive = <T>(job: () => Promise<T>): Promise<T> => queue.run(name, job);
  const current = async (): Promise<Memory | null> => {
    const found = await home?.read();
    const memory = found === undefined ? held && merged(held) : found;
    held = memory && { memory, batches: [] };
    return memory;
  };
  const change = async (next: Held, later: boolean): Promise<void> => {
    await home?.write(() => merged(next), later);
    held = next;
    changes++;
  };
  const replace = (memory: Memory): Promise<void> => change({ memory, batches: [] }, false);
  const copy = (): Promise<Memory | null> =>
    runExclusive(async () => {
      const memory = await current();
      return memory && deepCopy(memory);
    });
  const save = async (memory: Memory): Promise<void> => {
    checkBatch(memory, memory.model);
    const copied = deepCopy(memory);
    await runExclusive(() => replace(copied));
  };
  return {
    name,
    load: copy,
    open: async () => {
      const memory = await copy();
      return memory && keptMemory(memory);
    },
    pieces: async () => {
      const memory = await copy();
      return memory && piecesOf(memory);
    },
    revision: () => runExclusive(async () => (home ? home.revision() : held && String(changes))),
    save,
    take: async (pieces) => {
      const memory = await wholeOf(pieces);
      await save(memory);
      return { facts: countFacts(memory.entries) };
    },
    append: (batch) => {
      const copied = deepCopy(batch);
      return runExclusive(async () => {
        if (!held) await current();
        if (!held) throw nothingSaved(name, "append to");
        checkBatch(copied, held.memory.model);
        await change({ ...held, batches: [...held.batches, copied] }, true);
      });
    },
    flush: () => runExclusive(async () => home?.flush()),
    remove: (removal) =>
      runExclusive(async () => {
        const memory = held ? merged(held) : await current();
        if (!memory) throw nothingSaved(name, "delete from");
        checkRemoval(removal, memory.model);
        await replace(deepCopy(withoutFacts(memory, removal)));
      }),
  };
}
