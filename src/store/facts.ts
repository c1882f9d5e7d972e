/** @file Queries of the page on stored memories that load no whole memory: tables without vectors, one entry, curves. */

import { documentOf, type FactId } from "../records/ids.ts";
import {
  type AnchorRouting,
  byFact,
  type MemoryEntry,
  type MemoryHead,
  type RoutingDocument,
  type VectorLosses,
} from "../records/memory.ts";
import { compactOf, memoryBytes, type MemoryBytes } from "../records/bytes.ts";
import { rowOf } from "../records/factRow.ts";
import type { FactRow } from "../records/notebook.ts";
import { allOf, blocksOf, entryBlock, entryRows, routingRows } from "./blocks.ts";
import type { Database } from "./database.ts";
import { headOf } from "./indexedDb.ts";
import { documentsOf, inOrder, lossesOf, metasOf, unpackEntries, type Placed } from "./rows.ts";
import { MEMORY_TABLES, type MemoryRecord, type Reading } from "./schema.ts";

export const readMemoryHead = (database: Database, memory: string): Promise<MemoryHead | null> =>
  database.read(MEMORY_TABLES, async (transaction) => {
    const record = await transaction.objectStore("memories").get(memory);
    if (!record) return null;
    const { facts, vectors } = record;
    const { model, params, embedder, salts, layers, sources } = headOf(record);
    const pending = await transaction.objectStore("waiting").count(allOf(memory));
    return { model, params, embedder, salts, layers, sources, facts, vectors, pending };
  });

export const readFacts = (database: Database, memory: string): Promise<FactRow[]> =>
  database.read(MEMORY_TABLES, async (transaction) => {
    const [record, entries, routing] = await Promise.all([
      transaction.objectStore("memories").get(memory),
      entryRows(transaction, memory),
      routingRows(transaction, memory),
    ]);
    const known = new Map(
      routing.flatMap((row) =>
        documentsOf(row).flatMap(({ order, facts }) =>
          facts.map(({ id, digest }) => [id, { order, digest }] as const),
        ),
      ),
    );
    const times = new Map(record?.head.sources.map(({ id, memorizedAt }) => [id, memorizedAt]));
    const placed = entries.flatMap((row) => metasOf(row).map((item, i) => ({ item, place: row.places[i]! })));
    return byFact(inOrder(placed)).map((parts) => ({
      ...rowOf(parts),
      digest: "",
      ...known.get(parts[0]!.id),
      memorizedAt: times.get(documentOf(parts[0]!.id)) ?? "",
    }));
  });

export const readParts = (database: Database, memory: string, id: FactId): Promise<MemoryEntry[]> =>
  database.read(MEMORY_TABLES, async (transaction) => {
    const record = await transaction.objectStore("memories").get(memory);
    if (!record) return [];
    const rows = await transaction.objectStore("entries").index("id").getAll([memory, id]);
    const blocks = await Promise.all(rows.map((row) => entryBlock(transaction, row, record.head.model)));
    const entries = blocks.flatMap(unpackEntries).map(({ item }) => item);
    return entries.filter((entry) => entry.id === id).sort((a, b) => a.start - b.start);
  });

export const readRouting = (
  database: Database,
  memory: string,
  id: FactId,
): Promise<Omit<RoutingDocument, "vector"> | null> =>
  database.read(MEMORY_TABLES, async (transaction) => {
    const documents = (await routingRows(transaction, memory)).flatMap(documentsOf);
    const found = documents.find(({ facts }) => facts.some((fact) => fact.id === id));
    if (!found) return null;
    const { anchor, order, facts } = found;
    return { anchor, order, facts: facts.toSorted((a, b) => a.index - b.index) };
  });

export const readBytes = (database: Database, memory: string): Promise<MemoryBytes | null> =>
  database.read(MEMORY_TABLES, async (transaction) => {
    const record = await transaction.objectStore("memories").get(memory);
    if (!record) return null;
    const rows = await routingRows(transaction, memory);
    const documents = rows.flatMap(documentsOf);
    const first = rows[0] && (await transaction.objectStore("routingVectors").get([memory, rows[0].block]));
    const vectors = documents.reduce((sum, { own }) => sum + 1 + own.filter(Boolean).length, 0);
    return memoryBytes({
      ...headOf(record),
      facts: record.facts,
      vectors: record.vectors,
      compact: await compactCount(transaction, record),
      centres: record.head.centres?.length ?? 0,
      documents,
      routingNumbers: vectors * (first?.length ?? 0),
    });
  });

export const readIndexed = (
  database: Database,
  memory: string,
): Promise<{ readonly salts: readonly string[]; readonly documents: readonly AnchorRouting[] } | null> =>
  database.read(MEMORY_TABLES, async (transaction) => {
    const record = await transaction.objectStore("memories").get(memory);
    if (!record) return null;
    const rows = await routingRows(transaction, memory);
    return { salts: record.head.salts, documents: rows.flatMap(documentsOf) };
  });

/** Losses of Eq. 3 before each step: by fact in the order of `ids`, then by vector. */
export const readCurves = (
  database: Database,
  memory: string,
  ids: readonly FactId[],
): Promise<VectorLosses[][]> =>
  database.read(MEMORY_TABLES, async (transaction) => {
    const found = new Map(ids.map((id) => [id, [] as Placed<VectorLosses>[]]));
    const entries = transaction.objectStore("entries");
    for (const block of await blocksOf(entries.index("id"), memory, found.keys())) {
      const row = await entries.get([memory, block]);
      const curves = await transaction.objectStore("curves").get([memory, block]);
      if (!row || !curves) continue;
      for (const [i, { id, part, start, tokens }] of metasOf(row).entries())
        found.get(id)?.push({ item: { part, tokens, losses: lossesOf(curves, i) }, place: start });
    }
    return ids.map((id) => inOrder(found.get(id)!));
  });

async function compactCount(transaction: Reading, record: MemoryRecord): Promise<number> {
  const { params, earlier = [] } = headOf(record);
  const forms = new Set([params, ...earlier].map(({ vectors }) => vectors));
  if (forms.size === 1) return params.vectors === "compact" ? record.vectors : 0;
  const rows = await entryRows(transaction, record.id);
  return compactOf({ params, earlier }, rows.flatMap(metasOf));
}
