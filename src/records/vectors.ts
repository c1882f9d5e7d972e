/** @file A memory opened for questions: blocks of vectors are read on demand (50,000 facts of a large model take 2 GB). */

import { chunks, groupBy } from "../lib/group.ts";
import { omit } from "../lib/omit.ts";
import { formOf, packRows, rowsAt, unpackRow, type Form, type Rows } from "../lib/vectorForms.ts";
import type { FactId, LayerIndex } from "./ids.ts";
import type { EntryMeta, Memory, MemoryEntry, ModelIdentity } from "./memory.ts";

interface BlockVectors {
  readonly keys: Rows; // [entries, dFf]
  readonly residuals: Rows; // [entries, dModel]
}

export interface VectorBlock {
  readonly layer: LayerIndex;
  readonly entries: readonly EntryMeta[];
  /** Rejects if the memory has changed since it was opened. */
  read(): Promise<BlockVectors>;
}

export interface KeptMemory extends Memory<EntryMeta> {
  /** Every object of `entries` is in exactly one block. */
  readonly blocks: readonly VectorBlock[];
}

export const outlineOf = (memory: KeptMemory): Memory<EntryMeta> => omit(memory, "blocks");

export type EntryVectors<K extends VectorKind = VectorKind> = EntryMeta & Pick<MemoryEntry, K>;

export interface AlikeEntries<T> {
  readonly layer: LayerIndex;
  readonly forms: Readonly<Record<"key" | "residual", Form>>;
  readonly items: readonly T[];
}

/** Entries by layer and by the forms of their vectors, in order. A query is compared with a key in the key's own form. */
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

const BLOCK_ENTRIES = 1024;

export const loadedBlocks = (entries: readonly MemoryEntry[]): VectorBlock[] =>
  alikeEntries(entries, (entry) => entry).flatMap(({ layer, forms, items }) =>
    chunks(items, BLOCK_ENTRIES).map((block) => loadedBlock({ layer, forms, items: block })),
  );

function loadedBlock({ layer, forms, items }: AlikeEntries<MemoryEntry>): VectorBlock {
  const pack = (kind: VectorKind): Rows =>
    packRows(
      items.map((entry) => entry[kind]),
      forms[kind],
    );
  // Packed once: a layer beyond the device's budget is read again for every question.
  let packed: BlockVectors | undefined;
  const read = async () => (packed ??= { keys: pack("key"), residuals: pack("residual") });
  return { layer, entries: items, read };
}

export const keptMemory = (memory: Memory | KeptMemory): KeptMemory =>
  "blocks" in memory ? memory : { ...memory, blocks: loadedBlocks(memory.entries) };

export function keptWithout(memory: KeptMemory, gone: ReadonlySet<FactId>): KeptMemory {
  const stays = ({ id }: Pick<EntryMeta, "id">): boolean => !gone.has(id);
  const blocks = memory.blocks.flatMap((block) => {
    const left = [...block.entries.keys()].filter((i) => stays(block.entries[i]!));
    if (left.length === block.entries.length) return block;
    return left.length === 0 ? [] : partOfBlock(block, left, memory.model);
  });
  return { ...memory, entries: memory.entries.filter(stays), blocks };
}

const partOfBlock = (
  { layer, entries, read }: VectorBlock,
  at: readonly number[],
  { dFf, dModel }: KeptMemory["model"],
): VectorBlock => ({
  layer,
  entries: at.map((i) => entries[i]!),
  async read() {
    const { keys, residuals } = await read();
    return {
      keys: rowsAt(keys, dFf, at),
      residuals: rowsAt(residuals, dModel, at),
    };
  },
});

export type VectorKind = "key" | "residual";

export async function vectorsOfBlock(
  block: VectorBlock,
  { dFf, dModel }: Pick<ModelIdentity, "dFf" | "dModel">,
): Promise<(kind: VectorKind, place: number) => Float32Array> {
  const { keys, residuals } = await block.read();
  return (kind, place) =>
    kind === "key" ? unpackRow(keys, dFf, place) : unpackRow(residuals, dModel, place);
}

async function fromBlocks<T>(
  { blocks, model }: InBlocks,
  entries: readonly EntryMeta[],
  at: (vectorOf: (kind: VectorKind) => Float32Array, entry: EntryMeta) => T,
): Promise<T[]> {
  const wanted = new Set(entries);
  const found = new Map<EntryMeta, T>();
  for (const block of blocks) {
    if (!block.entries.some((entry) => wanted.has(entry))) continue;
    const vectors = await vectorsOfBlock(block, model);
    for (const [i, entry] of block.entries.entries())
      if (wanted.has(entry))
        found.set(
          entry,
          at((kind) => vectors(kind, i), entry),
        );
  }
  return entries.map((entry) => found.get(entry)!);
}

type InBlocks = Pick<KeptMemory, "blocks" | "model">;

export const vectorsOfKind = (
  memory: InBlocks,
  entries: readonly EntryMeta[],
  kind: VectorKind,
): Promise<Float32Array[]> => fromBlocks(memory, entries, (vectorOf) => vectorOf(kind));

export const withResiduals = (
  memory: InBlocks,
  entries: readonly EntryMeta[],
): Promise<EntryVectors<"residual">[]> =>
  fromBlocks(memory, entries, (vectorOf, entry) => ({ ...entry, residual: vectorOf("residual") }));

export const withVectors = (memory: InBlocks, entries: readonly EntryMeta[]): Promise<EntryVectors[]> =>
  mapVectors(memory, entries, (entry) => entry);

/** A value of each entry with its vectors, of which one block at a time is in memory. */
export const mapVectors = <T>(
  memory: InBlocks,
  entries: readonly EntryMeta[],
  of: (entry: EntryVectors) => T,
): Promise<T[]> =>
  fromBlocks(memory, entries, (vectorOf, entry) =>
    of({ ...entry, key: vectorOf("key"), residual: vectorOf("residual") }),
  );
