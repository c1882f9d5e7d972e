/** @file A store in the memory of the process, alone or with a home that keeps it longer (tools/node/memoryFile.ts). */

import { chunks } from "../lib/group.ts";
import { createQueue } from "../lib/queue.ts";
import { unpackRow } from "../lib/vectorForms.ts";
import { renamedEntry, type Memory, type MemoryEntry } from "../records/memory.ts";
import { packed, packedAgain, type PackedBlock, type PackedEntry } from "../records/vectors.ts";
import { checkBatch, checkRemoval, nothingSaved, inTextOrder, restWithout, withBatches } from "./batch.ts";
import { PartsSeen, wholeOf, type Pieces } from "./pieces.ts";
import type { Batch, Removal, Store } from "./port.ts";
import { inOrder, MAX_BLOCK_ENTRIES, type Placed } from "./rows.ts";

export interface Home {
  revision(): Promise<string | null>;
  read(): Promise<Pieces | null | undefined>;
  /** With `later` the write may wait for a later one or for `flush`. Rejects if another process has changed the memory. */
  write(memory: () => Pieces, later: boolean): Promise<void>;
  flush(): Promise<void>;
}

/** The memory of the last save, and what was appended since: merging takes as long as the memory is large. */
interface Held {
  memory: Memory<PackedEntry>;
  /** Of the memory and the batches. */
  blocks: readonly PackedBlock[];
  batches: readonly Batch<PackedEntry>[];
}

/** Merges the batches in place: the `held` of a write that waits would keep the same vectors again. */
function merged(held: Held): Held {
  if (held.batches.length === 0) return held;
  const memory = withBatches(held.memory, held.batches);
  const blocks = packedAgain(memory.entries, held.blocks, memory.model);
  return Object.assign(held, { memory, blocks, batches: [] });
}

function piecesOf({ memory: { entries, ...rest }, blocks }: Held): Pieces {
  const { dFf, dModel } = rest.model;
  const places = new Map(entries.map((entry, place) => [entry, place]));
  async function* batches(): AsyncGenerator<Placed<MemoryEntry>[]> {
    for (const { entries: own, vectors } of blocks)
      for (const rows of chunks([...own.keys()], MAX_BLOCK_ENTRIES))
        yield rows.map((i) => {
          const key = unpackRow(vectors.keys, dFf, i);
          const residual = unpackRow(vectors.residuals, dModel, i);
          return { item: { ...own[i]!, key, residual }, place: places.get(own[i]!)! };
        });
  }
  return { ...rest, batches };
}

/** @throws if parts occur twice, or vectors have another length than the model has */
async function heldOf(
  { batches, ...rest }: Pieces,
  order?: (a: PackedEntry, b: PackedEntry) => number,
): Promise<{ held: Held; seen: PartsSeen }> {
  const { routing, waiting, sources, model } = rest;
  checkBatch({ routing, waiting, sources }, model);
  const seen = new PartsSeen();
  const placed: Placed<PackedEntry>[] = [];
  const blocks: PackedBlock[] = [];
  for await (const batch of batches()) {
    seen.add(batch);
    const items = batch.map(({ item }) => item);
    checkBatch({ entries: items }, model);
    const own = packed(items);
    placed.push(...own.entries.map((item, i) => ({ item, place: batch[i]!.place })));
    blocks.push(...own.blocks);
  }
  const entries = order ? placed.map(({ item }) => item).sort(order) : inOrder(placed);
  return {
    held: { memory: { ...rest, entries }, blocks: packedAgain(entries, blocks, model), batches: [] },
    seen,
  };
}

/** The memory without the facts of `removal`, in the order of its texts. */
async function heldWithout(held: Held, removal: Removal): Promise<Held> {
  const { entries: again = [], ids, renamed } = removal;
  const gone = new Set([...ids, ...again.map(({ id }) => id)]);
  async function* batches(): AsyncGenerator<Placed<MemoryEntry>[]> {
    const named = ({ item, place }: Placed<MemoryEntry>) => ({ item: renamedEntry(item, renamed), place });
    for await (const batch of piecesOf(held).batches())
      yield batch.filter(({ item }) => !gone.has(item.id)).map(named);
    yield again.map((item) => named({ item, place: 0 }));
  }
  return (await heldOf({ ...restWithout(held.memory, removal), batches }, inTextOrder(held.memory))).held;
}

/** Stores vectors packed, so that later changes to the caller's or to loaded ones do not reach the store. */
export function inMemoryStore(name = "memory", home?: Home): Store {
  let held: Held | null = null;
  let changes = 0;
  const queue = createQueue();
  const runExclusive = <T>(job: () => Promise<T>): Promise<T> => queue.run(name, job);
  const current = async (): Promise<Held | null> => {
    const found = await home?.read();
    if (found !== undefined) held = found && (await heldOf(found)).held;
    return held && merged(held);
  };
  const change = async (next: Held, later: boolean): Promise<void> => {
    await home?.write(() => piecesOf(merged(next)), later);
    held = next;
    changes++;
  };
  const pieces = (): Promise<Pieces | null> =>
    runExclusive(async () => {
      const found = await current();
      return found && piecesOf(found);
    });
  return {
    name,
    load: async () => {
      const found = await pieces();
      return found && wholeOf(found);
    },
    open: () =>
      runExclusive(async () => {
        const found = await current();
        return found && { ...found.memory, blocks: found.blocks };
      }),
    pieces,
    revision: () => runExclusive(async () => (home ? home.revision() : held && String(changes))),
    save: async (memory) => {
      checkBatch(memory, memory.model);
      const { entries, blocks } = packed(memory.entries);
      await runExclusive(() => change({ memory: { ...memory, entries }, blocks, batches: [] }, false));
    },
    take: async (given) => {
      const { held: next, seen } = await heldOf(given);
      await runExclusive(() => change(next, false));
      return seen;
    },
    append: (batch) => {
      const { entries, blocks } = packed(batch.entries ?? []);
      return runExclusive(async () => {
        if (!held) await current();
        if (!held) throw nothingSaved(name, "append to");
        checkBatch(batch, held.memory.model);
        const batches = [...held.batches, { ...batch, entries }];
        await change({ memory: held.memory, blocks: [...held.blocks, ...blocks], batches }, true);
      });
    },
    flush: () => runExclusive(async () => home?.flush()),
    remove: (removal) =>
      runExclusive(async () => {
        const whole = held ? merged(held) : await current();
        if (!whole) throw nothingSaved(name, "delete from");
        checkRemoval(removal, whole.memory.model);
        await change(await heldWithout(whole, removal), false);
      }),
  };
}
