/**
 * @file A memory as it is opened for questions: what is said of its entries, and blocks of vectors that are read when
 * somebody asks for them. Forty-nine thousand facts of a model of real size have two gigabytes of numbers in float32.
 */

import { chunks, groupBy } from "../lib/group.ts";
import { omit } from "../lib/omit.ts";
import { formOf, packRows, rowsAt, unpackRow, type Form, type Rows } from "../lib/vectorForms.ts";
import type { FactId, LayerIndex } from "./ids.ts";
import type { EntryMeta, Memory, MemoryEntry, MemoryOutline, ModelIdentity } from "./memory.ts";

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
export interface KeptMemory extends MemoryOutline {
  /** Every entry of `entries`, the very record, is in one of them. */
  readonly blocks: readonly VectorBlock[];
}

/** What is said of an opened memory. */
export const outlineOf = (memory: KeptMemory): MemoryOutline => omit(memory, "blocks");

/** An entry with its vectors, without its losses. */
export type EntryVectors = EntryMeta & Pick<MemoryEntry, "key" | "residual">;
/** One with its residual alone. */
export type EntryResidual = EntryMeta & Pick<MemoryEntry, "residual">;

/** Entries that may stand in one block. */
export interface AlikeEntries<T> {
  readonly layer: LayerIndex;
  /** The forms of all their keys and of all their residuals. */
  readonly forms: Readonly<Record<"key" | "residual", Form>>;
  readonly items: readonly T[];
}

/**
 * Entries by layer and by the forms of their vectors, in order. A key is compared with a query in the key's own form, so
 * that one form in a block is no matter of size alone: wherever a memory is read, each key must be read the same way.
 */
export function alikeEntries<T>(
  items: readonly T[],
  entryOf: (item: T) => Pick<MemoryEntry, "layer" | "key" | "residual">,
): AlikeEntries<T>[] {
  const placed = items.map((item) => {
    const { layer, key, residual } = entryOf(item);
    return { layer, forms: { key: formOf(key), residual: formOf(residual) }, item };
  });
  const groups = groupBy(placed, ({ layer, forms }) => `${layer} ${forms.key} ${forms.residual}`);
  return [...groups.values()].map((group) => ({ ...group[0]!, items: group.map(({ item }) => item) }));
}

/** Entries of a block of a loaded memory. */
const BLOCK_ENTRIES = 1024;

/** Blocks of entries that are loaded. */
export const loadedBlocks = (entries: readonly MemoryEntry[]): VectorBlock[] =>
  alikeEntries(entries, (entry) => entry).flatMap(({ layer, forms, items }) =>
    chunks(items, BLOCK_ENTRIES).map((block): VectorBlock => ({
      layer,
      entries: block,
      read: async () => ({
        keys: packRows(
          block.map(({ key }) => key),
          forms.key,
        ),
        residuals: packRows(
          block.map(({ residual }) => residual),
          forms.residual,
        ),
      }),
    })),
  );

/** A loaded memory as one that is kept; one that is stays as it is. */
export const keptMemory = (memory: Memory | KeptMemory): KeptMemory =>
  "blocks" in memory ? memory : { ...memory, blocks: loadedBlocks(memory.entries) };

/**
 * A kept memory without the entries of some facts: of a block that held one, what is read loses its rows, and the others
 * stay the very blocks that they were.
 */
export function keptWithout(memory: KeptMemory, gone: ReadonlySet<FactId>): KeptMemory {
  const stays = ({ id }: Pick<EntryMeta, "id">): boolean => !gone.has(id);
  const blocks = memory.blocks.flatMap((block) => {
    const left = [...block.entries.keys()].filter((i) => stays(block.entries[i]!));
    if (left.length === block.entries.length) return block;
    return left.length === 0 ? [] : partOfBlock(block, left, memory.model);
  });
  return { ...memory, entries: memory.entries.filter(stays), blocks };
}

/** The entries `at` of a block as a block. */
function partOfBlock(
  { layer, entries, read }: VectorBlock,
  at: readonly number[],
  { dFf, dModel }: KeptMemory["model"],
): VectorBlock {
  return {
    layer,
    entries: at.map((i) => entries[i]!),
    async read() {
      const { keys, residuals } = await read();
      return {
        keys: rowsAt(keys, dFf, at),
        residuals: rowsAt(residuals, dModel, at),
      };
    },
  };
}

/** One of the two vectors of an entry. */
export type VectorKind = "key" | "residual";

/** The vectors of one kind of a block's entries, unpacked one at a time. */
export async function vectorsOfBlock(
  block: VectorBlock,
  { dFf, dModel }: Pick<ModelIdentity, "dFf" | "dModel">,
  kind: VectorKind,
): Promise<(place: number) => Float32Array> {
  const { keys, residuals } = await block.read();
  return (place) => (kind === "key" ? unpackRow(keys, dFf, place) : unpackRow(residuals, dModel, place));
}

/** The vectors of a kind of some entries, in order. Reads the blocks that hold them, one after another. */
export async function vectorsOfKind(
  { blocks, model }: Pick<KeptMemory, "blocks" | "model">,
  entries: readonly EntryMeta[],
  kind: VectorKind,
): Promise<Float32Array[]> {
  const wanted = new Set(entries);
  const found = new Map<EntryMeta, Float32Array>();
  for (const block of blocks) {
    if (!block.entries.some((entry) => wanted.has(entry))) continue;
    const vectorAt = await vectorsOfBlock(block, model, kind);
    for (const [i, entry] of block.entries.entries()) if (wanted.has(entry)) found.set(entry, vectorAt(i));
  }
  return entries.map((entry) => found.get(entry)!);
}

/** Entries of a memory with their residuals, in order. Reads as {@link vectorsOfKind} does. */
export async function withResiduals(
  memory: Pick<KeptMemory, "blocks" | "model">,
  entries: readonly EntryMeta[],
): Promise<EntryResidual[]> {
  const residuals = await vectorsOfKind(memory, entries, "residual");
  return entries.map((entry, i) => ({ ...entry, residual: residuals[i]! }));
}

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
