/** @file Entries of a stored memory batch by batch with new metadata; vectors and losses stay unchanged. */

import type { EntryMeta, MemoryEntry } from "./memory.ts";

export type EntryBatches = AsyncIterable<readonly PlacedEntry[]>;

interface PlacedEntry {
  readonly item: MemoryEntry;
  readonly place: number;
}

/** The entries of `batches` in `outline`, with its metadata and order, from place `first` on. @throws if some were missing */
export async function* retold(
  batches: EntryBatches,
  outline: readonly EntryMeta[],
  first = 0,
): AsyncGenerator<PlacedEntry[]> {
  const named = new Map(outline.map((entry, i) => [partName(entry), { entry, place: first + i }]));
  for await (const batch of batches) {
    const told = batch.flatMap(({ item }) => {
      const now = named.get(partName(item));
      named.delete(partName(item));
      return now ? { item: toldAs(now.entry, item), place: now.place } : [];
    });
    if (told.length > 0) yield told;
  }
  const [missing] = named.keys();
  if (missing !== undefined)
    throw new Error(
      `memory: ${named.size} vectors, the first of "${missing}", are not there any more; load it again`,
    );
}

export const partName = ({ id, part }: Pick<EntryMeta, "id" | "part">): string => `${id} ${part}`;

const toldAs = (said: EntryMeta, { key, residual, report: { losses } }: MemoryEntry): MemoryEntry => ({
  ...said,
  key,
  residual,
  report: { ...said.report, losses },
});
