/**
 * @file A memory in pieces: all but its entries at once, and these a block at a time. Fifty thousand facts of a model of
 * real size go from a store into a file, and back, without anybody holding more of their vectors than a block.
 */

import type { Memory, MemoryEntry } from "../records/memory.ts";
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
export async function wholeOf({ batches, ...rest }: Pieces): Promise<Memory> {
  const placed: Placed<MemoryEntry>[] = [];
  for await (const batch of batches()) placed.push(...batch);
  placed.sort((a, b) => a.place - b.place);
  return { ...rest, entries: placed.map(({ item }) => item) };
}

/** Facts and vectors of a memory that goes by in batches; the parts of a fact may lie in several. */
export class Passing {
  readonly #ids = new Set<string>();
  readonly #parts = new Set<string>();

  /** @throws where a part went by before */
  add(batch: readonly Placed<MemoryEntry>[]): void {
    for (const { item } of batch) {
      const part = `${item.id} ${item.part}`;
      if (this.#parts.has(part)) throw new Error(`store: part ${item.part} of fact "${item.id}" stands twice in what is to be saved; give each once`); // prettier-ignore
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
