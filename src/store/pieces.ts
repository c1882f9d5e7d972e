/**
 * @file A memory in pieces: all but its entries at once, and these a block at a time. Fifty thousand facts of a model of
 * real size go from a store into a file, and back, without anybody holding more of their vectors than a block.
 */

import { saidOf, type Memory, type MemoryEntry, type MemoryOutline } from "../records/memory.ts";
import { entryBlocks, type Placed } from "./rows.ts";

export interface Pieces extends Omit<Memory, "entries"> {
  /** Entries, each beside its place in the order of the memory. Can be gone through more than once. */
  batches(): AsyncIterable<readonly Placed<MemoryEntry>[]>;
}

/** A loaded memory in pieces. */
export function piecesOf({ entries, ...rest }: Memory): Pieces {
  const placed = entries.map((item, place) => ({ item, place }));
  return {
    ...rest,
    async *batches() {
      yield* entryBlocks(placed, rest.model);
    },
  };
}

/** A memory from its pieces, with all of its vectors. */
export const wholeOf = async ({ batches, ...rest }: Pieces): Promise<Memory> => ({
  ...rest,
  entries: await inOrder(batches(), (entry) => entry),
});

/** What is said of a memory in pieces, each of which is read for it, and so checked. */
export const outlineOfPieces = async ({ batches, ...rest }: Pieces): Promise<MemoryOutline> => ({
  ...rest,
  entries: await inOrder(batches(), saidOf),
});

async function inOrder<T>(
  batches: ReturnType<Pieces["batches"]>,
  of: (entry: MemoryEntry) => T,
): Promise<T[]> {
  const placed: Placed<T>[] = [];
  for await (const batch of batches)
    for (const { item, place } of batch) placed.push({ item: of(item), place });
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item);
}

/** Facts and vectors of a memory that goes by in batches; the parts of a fact may lie in several. */
export class PartsSeen {
  readonly #ids = new Set<string>();
  readonly #parts = new Set<string>();

  /** @throws where a part went by before */
  add(batch: readonly Placed<MemoryEntry>[]): void {
    for (const { item } of batch) {
      const part = `${item.id} ${item.part}`;
      if (this.#parts.has(part))
        throw new Error(
          `store: part ${item.part} of fact "${item.id}" stands twice in what is to be saved; give each once`,
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
