/**
 * @file A memory as it is opened for questions: what is said of its entries, and blocks of vectors that are read when
 * somebody asks for them. Forty-nine thousand facts of a model of real size have two gigabytes of numbers in float32.
 */

import { chunks, groupBy } from "../lib/group.ts";
import { commonForm, packRows, unpackRow, type Rows } from "../lib/vectorForms.ts";
import type { LayerIndex } from "./ids.ts";
import type { EntryMeta, Memory, MemoryEntry } from "./memory.ts";

/** The vectors of a block, as they are stored: row i is that of its entry i. */
export interface BlockVectors {
  readonly keys: Rows; // [entries, dFf]
  readonly residuals: Rows; // [entries, dModel]
}

/** Entries of one layer whose vectors are read together. */
export interface VectorBlock {
  readonly layer: LayerIndex;
  readonly entries: readonly EntryMeta[];
  /** Rejects where the memory was changed since it was opened. */
  read(): Promise<BlockVectors>;
}

/** A memory whose vectors stay where they are stored. */
export interface KeptMemory extends Omit<Memory, "entries"> {
  readonly entries: readonly EntryMeta[];
  /** Every entry of `entries`, the very record, is in one of them. */
  readonly blocks: readonly VectorBlock[];
}

/** An entry with its vectors, without its losses. */
export type EntryVectors = EntryMeta & Pick<MemoryEntry, "key" | "residual">;

/** What an entry of a loaded memory is in a block. */
const BLOCK_ENTRIES = 1024;

/** Blocks of entries that are loaded. */
export const loadedBlocks = (entries: readonly MemoryEntry[]): VectorBlock[] =>
  [...groupBy(entries, ({ layer }) => layer)].flatMap(([layer, ofLayer]) =>
    chunks(ofLayer, BLOCK_ENTRIES).map((block): VectorBlock => ({
      layer,
      entries: block,
      read: async () => ({
        keys: packed(block.map(({ key }) => key)),
        residuals: packed(block.map(({ residual }) => residual)),
      }),
    })),
  );

/** A loaded memory as one that is kept; one that is stays as it is. */
export const keptMemory = (memory: Memory | KeptMemory): KeptMemory =>
  "blocks" in memory ? memory : { ...memory, blocks: loadedBlocks(memory.entries) };

/** Entries of a memory with their vectors, in order. Reads the blocks that hold them, one after another. */
export async function withVectors(
  { blocks, model }: Pick<KeptMemory, "blocks" | "model">,
  entries: readonly EntryMeta[],
): Promise<EntryVectors[]> {
  const wanted = new Set(entries);
  const found = new Map<EntryMeta, EntryVectors>();
  for (const block of blocks) {
    if (!block.entries.some((entry) => wanted.has(entry))) continue;
    const { keys, residuals } = await block.read();
    for (const [i, entry] of block.entries.entries())
      if (wanted.has(entry))
        found.set(entry, {
          ...entry,
          key: unpackRow(keys, model.dFf, i),
          residual: unpackRow(residuals, model.dModel, i),
        });
  }
  return entries.map((entry) => found.get(entry)!);
}

const packed = (vectors: readonly Float32Array[]): Rows => packRows(vectors, commonForm(vectors));
