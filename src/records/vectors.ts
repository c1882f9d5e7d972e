/** @file A memory opened for questions: blocks of vectors are read on demand (50,000 facts of a large model take 2 GB). */

import { chunks, groupBy } from "../lib/group.ts";
import { omit } from "../lib/omit.ts";
import { formOf, formOfRows, packRows, rowsAt, unpackRow, type Form, type Rows } from "../lib/vectorForms.ts";
import type { FactId, LayerIndex } from "./ids.ts";
import type { EntryMeta, Memory, MemoryEntry, ModelIdentity } from "./memory.ts";

export interface BlockVectors {
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

/** An entry whose vectors are in a {@link PackedBlock}: in a quarter of the memory that they take as float32. */
export type PackedEntry = Omit<MemoryEntry, VectorKind>;

export interface PackedBlock extends VectorBlock {
  readonly entries: readonly PackedEntry[];
  readonly vectors: BlockVectors;
}

const packedBlock = (entries: readonly PackedEntry[], vectors: BlockVectors): PackedBlock => ({
  ...{ layer: entries[0]!.layer, entries, vectors },
  read: async () => vectors,
});

export const loadedBlocks = (entries: readonly MemoryEntry[]): PackedBlock[] =>
  alikeEntries(entries, (entry) => entry).flatMap(({ forms, items }) =>
    chunks(items, BLOCK_ENTRIES).map((block) => {
      const [keys, residuals] = [block.map(({ key }) => key), block.map(({ residual }) => residual)];
      return packedBlock(block, {
        keys: packRows(keys, forms.key),
        residuals: packRows(residuals, forms.residual),
      });
    }),
  );

export function packed(all: readonly MemoryEntry[]) {
  const own = new Map(all.map((entry): [EntryMeta, PackedEntry] => [entry, omit(entry, "key", "residual")]));
  const blocks = loadedBlocks(all).map(({ entries, vectors }) =>
    packedBlock(
      entries.map((entry) => own.get(entry)!),
      vectors,
    ),
  );
  return { entries: [...own.values()], blocks };
}

/** The blocks that {@link loadedBlocks} would make of `entries`, whose vectors are in `blocks`. */
export function packedAgain(
  entries: readonly PackedEntry[],
  blocks: readonly PackedBlock[],
  { dFf, dModel }: Pick<ModelIdentity, "dFf" | "dModel">,
): PackedBlock[] {
  const places = new Map(
    blocks.flatMap((block) => block.entries.map((entry, at) => [entry, { block, at }] as const)),
  );
  const groups = groupBy(entries, (entry) => {
    const { keys, residuals } = places.get(entry)!.block.vectors;
    return `${entry.layer} ${formOfRows(keys)} ${formOfRows(residuals)}`;
  });
  return [...groups.values()].flatMap((group) =>
    chunks(group, BLOCK_ENTRIES).map((own) => {
      const { block } = places.get(own[0]!)!;
      if (own.length === block.entries.length && own.every((entry, i) => entry === block.entries[i]))
        return block;
      const rows = (kind: keyof BlockVectors, columns: number): Rows =>
        rowsAt(
          own.map((entry) => [places.get(entry)!.block.vectors[kind], places.get(entry)!.at]),
          columns,
        );
      return packedBlock(own, { keys: rows("keys", dFf), residuals: rows("residuals", dModel) });
    }),
  );
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
      keys: rowsAt(
        at.map((i) => [keys, i]),
        dFf,
      ),
      residuals: rowsAt(
        at.map((i) => [residuals, i]),
        dModel,
      ),
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
