/** @file A memory in pieces: its entries are read one block at a time, so only one block of vectors is in memory. */

import { type EntryMeta, type Memory, type MemoryEntry, saidOf } from "../records/memory.ts";
import { entryBlocks, inOrder, type Placed } from "./rows.ts";

export interface Pieces extends Omit<Memory, "entries"> {
  batches(): AsyncIterable<readonly Placed<MemoryEntry>[]>;
}

export function piecesOf({ entries, ...rest }: Memory): Pieces {
  const placed = entries.map((item, place) => ({ item, place }));
  return {
    ...rest,
    async *batches() {
      yield* entryBlocks(placed, rest.model);
    },
  };
}

export const wholeOf = async ({ batches, ...rest }: Pieces): Promise<Memory> => ({
  ...rest,
  entries: await allOf(batches(), (entry) => entry),
});

export const outlineOfPieces = async ({ batches, ...rest }: Pieces): Promise<Memory<EntryMeta>> => ({
  ...rest,
  entries: await allOf(batches(), saidOf),
});

async function allOf<T>(batches: ReturnType<Pieces["batches"]>, of: (entry: MemoryEntry) => T) {
  const placed: Placed<T>[] = [];
  for await (const batch of batches)
    for (const { item, place } of batch) placed.push({ item: of(item), place });
  return inOrder(placed);
}

export class PartsSeen {
  readonly #ids = new Set<string>();
  readonly #parts = new Set<string>();

  add(batch: readonly Placed<MemoryEntry>[]): void {
    for (const { item } of batch) {
      const part = `${item.id} ${item.part}`;
      if (this.#parts.has(part))
        throw new Error(
          `store: part ${item.part} of fact "${item.id}" occurs twice in the memory to save; give each once`,
        );
      this.#parts.add(part);
      this.#ids.add(item.id);
    }
  }

  get facts(): number {
    return this.#ids.size;
  }

  get vectors(): number {
    return this.#parts.size;
  }
}
