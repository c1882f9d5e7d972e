/** @file What pages ask of stored memories without loading them whole: tables without vectors, one entry, curves. */

import { savedParams } from "../records/params.ts";
import { documentOf, type FactId } from "../records/ids.ts";
import type { Memory, MemoryEntry, RoutingDocument } from "../records/memory.ts";
import type { FactRow } from "../records/notebook.ts";
import { allOf, entryBlock, entryRows, removeBlocks, routingRows } from "./blocks.ts";
import type { Database } from "./database.ts";
import { MEMORY_TABLES } from "./indexedDb.ts";
import { lossesOf, unpackEntry } from "./rows.ts";
import type { EntryRow, MemoryRecord, Reading } from "./schema.ts";

/** A memory as a list shows it. */
export interface MemorySummary extends Omit<Memory, "entries" | "routing"> {
  readonly id: string;
  /** Stored entries. */
  readonly facts: number;
  /** Facts of the routing index that are still to be encoded: an interrupted run left them. */
  readonly pending: number;
  /** Bytes of their keys and residuals. */
  readonly bytes: number;
  /** ISO 8601. */
  readonly created: string;
  readonly changed: string;
}

/** All memories, the one that was changed last first. */
export async function listMemories(database: Database): Promise<MemorySummary[]> {
  const summaries = await database.read(MEMORY_TABLES, async (transaction) => {
    const records = await transaction.objectStore("memories").getAll();
    return Promise.all(records.map((record) => summaryOf(transaction, record)));
  });
  return summaries.sort((a, b) => b.changed.localeCompare(a.changed));
}

/** One memory of {@link listMemories}; null when there is none. */
export function readMemoryHead(database: Database, memory: string): Promise<MemorySummary | null> {
  return database.read(MEMORY_TABLES, async (transaction) => {
    const record = await transaction.objectStore("memories").get(memory);
    return record ? summaryOf(transaction, record) : null;
  });
}

/**
 * A row for each entry in the order of the memory; no vector is read. Empty when there is no such memory.
 * `memorizedAt` is that of the fact's source; empty where the source is not known.
 */
export function readFacts(database: Database, memory: string): Promise<FactRow[]> {
  return database.read(MEMORY_TABLES, async (transaction) => {
    const [record, entries, routing] = await Promise.all([
      transaction.objectStore("memories").get(memory),
      entryRows(transaction, memory),
      routingRows(transaction, memory),
    ]);
    const values = new Map(
      routing.flatMap(({ parts }) =>
        parts.flatMap(({ facts }) => facts.map(({ id, value }) => [id, value] as const)),
      ),
    );
    const times = new Map(record?.head.sources.map(({ id, memorizedAt }) => [id, memorizedAt]));
    return entries
      .flatMap((row) => row.entries.map((entry, i) => ({ entry, place: row.places[i]! })))
      .sort((a, b) => a.place - b.place)
      .map(({ entry: { report, ...entry } }) => ({
        ...entry,
        value: values.get(entry.id) ?? "",
        recalled: report.recalled,
        exact: report.exact,
        fidelity: report.fidelity,
        steps: report.steps,
        deltaNorm: report.deltaNorm,
        memorizedAt: times.get(documentOf(entry.id)) ?? "",
      }));
  });
}

/** One entry with its vectors and losses; null when it is not stored. */
export function readEntry(database: Database, memory: string, id: FactId): Promise<MemoryEntry | null> {
  return database.read(MEMORY_TABLES, async (transaction) => {
    const row = await transaction.objectStore("entries").index("id").get([memory, id]);
    if (!row) return null;
    return unpackEntry(await entryBlock(transaction, memory, row.block, row), rankOf(row, id));
  });
}

/** The routing document that knows fact `id`, without its vectors; null when there is none. */
export function readRouting(
  database: Database,
  memory: string,
  id: FactId,
): Promise<Omit<RoutingDocument, "vector"> | null> {
  return database.read(MEMORY_TABLES, async (transaction) => {
    const parts = (await routingRows(transaction, memory)).flatMap((row) => row.parts);
    const own = parts.find(({ facts }) => facts.some((fact) => fact.id === id));
    if (!own) return null;
    const { anchor, order } = own;
    const facts = parts.filter((part) => part.anchor === anchor).flatMap((part) => part.facts);
    return { anchor, order, facts: facts.toSorted((a, b) => a.index - b.index) };
  });
}

/** Losses of Eq. 3 before each step, by fact, in the order of `ids`; none for a fact that is not stored. */
export function readCurves(database: Database, memory: string, ids: readonly FactId[]): Promise<number[][]> {
  return database.read(MEMORY_TABLES, async (transaction) => {
    const found = new Map<FactId, number[]>();
    for (const [row, wanted] of await rowsOf(transaction, memory, ids)) {
      const curves = await transaction.objectStore("curves").get([memory, row.block]);
      if (curves) for (const id of wanted) found.set(id, lossesOf(curves, rankOf(row, id)));
    }
    return ids.map((id) => found.get(id) ?? []);
  });
}

/** Removes a memory with all that belongs to it; nothing happens when there is none. */
export function removeMemory(database: Database, memory: string): Promise<void> {
  return database.write(MEMORY_TABLES, async (transaction) => {
    await removeBlocks(transaction, memory);
    await transaction.objectStore("memories").delete(memory);
  });
}

/** The rows that hold `ids`, each once, with those it holds. */
async function rowsOf(
  transaction: Reading,
  memory: string,
  ids: readonly FactId[],
): Promise<Map<EntryRow, FactId[]>> {
  const blocks = new Map<number, FactId[]>();
  const index = transaction.objectStore("entries").index("id");
  const keys = await Promise.all(ids.map((id) => index.getKey([memory, id])));
  for (const [i, key] of keys.entries())
    if (key) blocks.set(key[1], [...(blocks.get(key[1]) ?? []), ids[i]!]);
  const rows = new Map<EntryRow, FactId[]>();
  for (const [block, wanted] of blocks) {
    const row = await transaction.objectStore("entries").get([memory, block]);
    if (row) rows.set(row, wanted);
  }
  return rows;
}

const rankOf = ({ entries }: EntryRow, id: FactId): number => entries.findIndex((entry) => entry.id === id);

async function summaryOf(
  transaction: Reading,
  { id, head, facts, created, changed }: MemoryRecord,
): Promise<MemorySummary> {
  const routed = await transaction.objectStore("routing").index("fact").count(allOf(id));
  return {
    ...head,
    params: savedParams(head.params, `store: memory "${id}", params`),
    id,
    facts,
    pending: Math.max(0, routed - facts),
    bytes: 4 * facts * (head.model.dFf + head.model.dModel),
    created: new Date(created).toISOString(),
    changed: new Date(changed).toISOString(),
  };
}
