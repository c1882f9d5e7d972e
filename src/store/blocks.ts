import { countOf } from "../lib/vectorForms.ts";
import type { FactId } from "../records/ids.ts";
import type { MemoryEntry, ModelIdentity, RoutingDocument, WaitingFact } from "../records/memory.ts";
import {
  entryBlocks,
  inOrder,
  MAX_BLOCK_BYTES,
  packEntries,
  packRouting,
  routingBlocks,
  unpackEntries,
  unpackRouting,
  type EntryBlock,
  type Placed,
  type RoutingBlock,
} from "./rows.ts";
import {
  BLOCK_TABLES,
  type EntryRow,
  type Reading,
  type RoutingRow,
  type VectorRow,
  type Writing,
} from "./schema.ts";

/** Every key [memory, ...]: an array sorts after all numbers and strings. */
export const allOf = (memory: string): IDBKeyRange => IDBKeyRange.bound([memory], [memory, []]);

export async function waitingRows(transaction: Reading, memory: string): Promise<WaitingFact[]> {
  const rows = await transaction.objectStore("waiting").getAll(allOf(memory));
  return rows.map(({ id, value }) => ({ id, value }));
}

export const putWaiting = (
  transaction: Writing,
  memory: string,
  facts: readonly WaitingFact[],
): Promise<void> => inGroups(facts, (fact) => transaction.objectStore("waiting").put({ ...fact, memory }));

export const removeWaiting = (
  transaction: Writing,
  memory: string,
  ids: ReadonlySet<FactId>,
): Promise<void> => inGroups([...ids], (id) => transaction.objectStore("waiting").delete([memory, id]));

const READ_AT_ONCE = 16;
/** Bytes of vectors read at a time: few requests for small blocks, little memory for large ones. */
const READ_BYTES = 2 * MAX_BLOCK_BYTES;

export const entryRows = (transaction: Reading, memory: string): Promise<EntryRow[]> =>
  transaction.objectStore("entries").getAll(allOf(memory));

export const routingRows = (transaction: Reading, memory: string): Promise<RoutingRow[]> =>
  transaction.objectStore("routing").getAll(allOf(memory));

async function entryRow(transaction: Reading, memory: string, block: number): Promise<EntryRow> {
  const row = await transaction.objectStore("entries").get([memory, block]);
  if (!row) throw missing(memory, block, "entries");
  return row;
}

export async function entryBlock(
  transaction: Reading,
  entries: EntryRow,
  model: ModelIdentity,
): Promise<EntryBlock> {
  const { memory, block } = entries;
  const [curves, vectors] = await Promise.all([
    transaction.objectStore("curves").get([memory, block]),
    vectorsOf(transaction, [memory, block], entries.entries.length, model),
  ]);
  if (!curves) throw missing(memory, block, "entries");
  return { entries, curves, vectors };
}

export async function vectorsOf(
  transaction: Reading,
  [memory, block]: [string, number],
  count: number,
  { dFf, dModel }: ModelIdentity,
): Promise<VectorRow> {
  const vectors = await transaction.objectStore("vectors").get([memory, block]);
  if (!vectors) throw missing(memory, block, "entries");
  const { keys, residuals } = vectors;
  if (countOf(keys) !== count * dFf || countOf(residuals) !== count * dModel)
    throw new Error(
      `store: block ${block} of "${memory}" is damaged: ${countOf(keys)} and ${countOf(residuals)} values for ${count} entries of ${dFf} and ${dModel}. Nothing was changed: import a copy of the memory, or memorise its sources again.`,
    );
  return vectors;
}

export async function putEntries(
  transaction: Writing,
  memory: string,
  block: number,
  placed: readonly Placed<MemoryEntry>[],
  model: ModelIdentity,
): Promise<number> {
  for (const group of entryBlocks(placed, model))
    await putRows(transaction, packEntries(memory, block++, group));
  return block;
}

/** One after another: if a put throws, no promise of an earlier one is left unhandled. */
async function putRows(transaction: Writing, { entries, curves, vectors }: EntryBlock): Promise<void> {
  await transaction.objectStore("entries").put(entries);
  await transaction.objectStore("curves").put(curves);
  await transaction.objectStore("vectors").put(vectors);
}

export interface TakenFact {
  readonly place: number;
  readonly vectors: number;
}

export async function takeEntries(
  transaction: Writing,
  memory: string,
  ids: Iterable<FactId>,
  model: ModelIdentity,
): Promise<Map<FactId, TakenFact>> {
  const taken = new Map<FactId, TakenFact>();
  const wanted = new Set(ids);
  const index = transaction.objectStore("entries").index("id");
  for (const block of await blocksOf(index, memory, wanted)) {
    const all = unpackEntries(
      await entryBlock(transaction, await entryRow(transaction, memory, block), model),
    );
    for (const { item, place } of all) {
      if (!wanted.has(item.id)) continue;
      const known = taken.get(item.id) ?? { place, vectors: 0 };
      taken.set(item.id, { place: Math.min(known.place, place), vectors: known.vectors + 1 });
    }
    const left = all.filter(({ item }) => !wanted.has(item.id));
    if (left.length > 0) await putRows(transaction, packEntries(memory, block, left));
    else await removeBlock(transaction, memory, block, ["entries", "curves", "vectors"]);
  }
  return taken;
}

export async function readDocuments(transaction: Reading, memory: string): Promise<RoutingDocument[]> {
  const rows = await routingRows(transaction, memory);
  const found: Placed<RoutingDocument>[] = [];
  const table = transaction.objectStore("routingVectors");
  for (const group of grouped(rows, () => MAX_BLOCK_BYTES / 4)) {
    const vectors = await table.getAll(rangeOf(memory, group));
    for (const [i, routing] of group.entries()) {
      if (vectors[i]?.block !== routing.block) throw missing(memory, routing.block, "routing documents");
      found.push(...unpackRouting({ routing, vectors: vectors[i] }));
    }
  }
  return inOrder(found);
}

export async function putDocuments(
  transaction: Writing,
  memory: string,
  block: number,
  placed: readonly Placed<RoutingDocument>[],
): Promise<number> {
  for (const group of routingBlocks(placed)) await putRouting(transaction, memory, block++, group);
  return block;
}

export async function takeDocuments(
  transaction: Writing,
  memory: string,
  anchors: Iterable<string>,
): Promise<Placed<RoutingDocument>[]> {
  const wanted = new Set(anchors);
  const index = transaction.objectStore("routing").index("anchor");
  const taken: Placed<RoutingDocument>[] = [];
  for (const block of await blocksOf(index, memory, wanted)) {
    const all = unpackRouting(await routingBlock(transaction, memory, block));
    taken.push(...all.filter(({ item }) => wanted.has(item.anchor)));
    const left = all.filter(({ item }) => !wanted.has(item.anchor));
    if (left.length > 0) await putRouting(transaction, memory, block, left);
    else await removeBlock(transaction, memory, block, ["routing", "routingVectors"]);
  }
  return taken;
}

async function routingBlock(transaction: Reading, memory: string, block: number): Promise<RoutingBlock> {
  const [routing, vectors] = await Promise.all([
    transaction.objectStore("routing").get([memory, block]),
    transaction.objectStore("routingVectors").get([memory, block]),
  ]);
  if (!routing || !vectors) throw missing(memory, block, "routing documents");
  return { routing, vectors };
}

async function putRouting(
  transaction: Writing,
  memory: string,
  block: number,
  placed: readonly Placed<RoutingDocument>[],
): Promise<void> {
  const rows = packRouting(memory, block, placed);
  await transaction.objectStore("routing").put(rows.routing);
  await transaction.objectStore("routingVectors").put(rows.vectors);
}

export async function removeBlocks(transaction: Writing, memory: string): Promise<void> {
  await removeOwn(transaction, memory);
  await removeComing(transaction, memory);
}

export const removeComing = (transaction: Writing, memory: string): Promise<void> =>
  removeOwn(transaction, comingTo(memory));

async function removeOwn(transaction: Writing, memory: string): Promise<void> {
  for (const table of ["waiting", ...BLOCK_TABLES] as const)
    await transaction.objectStore(table).delete(allOf(memory));
}

/** The name under which an import stores its blocks until it is complete; no list shows a memory of that name. */
export const comingTo = (memory: string): string => `${memory} (coming in)`;

export async function adoptEntries(
  transaction: Writing,
  memory: string,
  model: ModelIdentity,
): Promise<void> {
  await removeOwn(transaction, memory);
  const coming = comingTo(memory);
  // One block at a time: its vectors may take eight megabytes.
  for (const [, block] of await transaction.objectStore("entries").getAllKeys(allOf(coming))) {
    const row = await entryRow(transaction, coming, block);
    const { entries, curves, vectors } = await entryBlock(transaction, row, model);
    await putRows(transaction, {
      entries: { ...entries, memory, ids: entries.ids.map(([, id]) => [memory, id] as const) },
      curves: { ...curves, memory },
      vectors: { ...vectors, memory },
    });
    await removeBlock(transaction, coming, block, ["entries", "curves", "vectors"]);
  }
}

async function removeBlock(
  transaction: Writing,
  memory: string,
  block: number,
  tables: readonly (typeof BLOCK_TABLES)[number][],
): Promise<void> {
  for (const table of tables) await transaction.objectStore(table).delete([memory, block]);
}

function grouped<T>(rows: readonly T[], bytesOf: (row: T) => number): T[][] {
  const groups: T[][] = [];
  let bytes = Infinity;
  for (const row of rows) {
    bytes += bytesOf(row);
    if (bytes <= READ_BYTES) groups.at(-1)!.push(row);
    else {
      groups.push([row]);
      bytes = bytesOf(row);
    }
  }
  return groups;
}

const rangeOf = (memory: string, rows: readonly { readonly block: number }[]): IDBKeyRange =>
  IDBKeyRange.bound([memory, rows[0]!.block], [memory, rows.at(-1)!.block]);

export async function blocksOf(
  index: { getAllKeys(query: [string, string]): Promise<[memory: string, block: number][]> },
  memory: string,
  values: Iterable<string>,
): Promise<Set<number>> {
  const blocks = new Set<number>();
  await inGroups([...values], async (value) => {
    for (const [, block] of await index.getAllKeys([memory, value])) blocks.add(block);
  });
  return blocks;
}

async function inGroups<T>(items: readonly T[], job: (item: T) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < items.length; i += READ_AT_ONCE)
    await Promise.all(items.slice(i, i + READ_AT_ONCE).map(job));
}

const missing = (memory: string, block: number, what: string): Error =>
  new Error(
    `store: "${memory}" is damaged: a row of its block ${block} of ${what} is missing. Nothing was changed: import a copy of the memory, or memorise its sources again.`,
  );
