/**
 * @file The store in the browser's database: one memory among several, each call one transaction. An append writes
 * only what is new; a deletion writes anew only the blocks that held what goes.
 */

import { savedParams } from "../records/params.ts";
import type { FactId } from "../records/ids.ts";
import { countFacts, type Memory, type MemoryEntry } from "../records/memory.ts";
import { checkBatch, checkRemoval, headWith, leaving, nothingSaved } from "./batch.ts";
import {
  anchorsOf,
  putDocuments,
  putEntries,
  readDocuments,
  readEntries,
  removeBlocks,
  takeDocuments,
  takeEntries,
  type TakenFact,
} from "./blocks.ts";
import type { Database } from "./database.ts";
import type { MemoryBatch, Removal, Store } from "./port.ts";
import { BLOCK_TABLES, type MemoryRecord, type StoreName, type Writing } from "./schema.ts";

/** The tables of memories: what a transaction over one has to name. */
export const MEMORY_TABLES: readonly StoreName[] = ["memories", ...BLOCK_TABLES];

/** The head of a memory, its parameters as those of this build. */
export function headOf({
  id,
  head: { earlier, ...head },
}: Pick<MemoryRecord, "id" | "head">): MemoryRecord["head"] {
  const place = `store: memory "${id}"`;
  return {
    ...head,
    params: savedParams(head.params, `${place}, params`),
    ...(earlier && { earlier: earlier.map((set, i) => savedParams(set, `${place}, earlier[${i}]`)) }),
  };
}

/** What a change leaves: the record to write, or null where nothing is stored any more. */
type Change = (transaction: Writing, before: MemoryRecord | undefined) => Promise<MemoryRecord | null>;

/**
 * The memory `id` of `database`, which may not exist yet.
 * A store that loaded or wrote the memory refuses to write over what another one stored since: load it again then.
 */
export function openIndexedDbStore(database: Database, id: string, now: () => number = Date.now): Store {
  const name = `${database.name}/${id}`;
  /** Stamp of the state this store has seen last; null: it saw that there is none. */
  let known: string | null | undefined;

  async function load(): Promise<Memory | null> {
    const { memory, stamp } = await database.read(MEMORY_TABLES, async (transaction) => {
      const record = await transaction.objectStore("memories").get(id);
      if (!record) return { memory: null, stamp: null };
      const entries = await readEntries(transaction, id, record.head.model);
      const routing = await readDocuments(transaction, id);
      return { memory: { ...headOf(record), entries, routing }, stamp: record.stamp };
    });
    known = stamp;
    return memory;
  }

  /** One transaction; what it leaves gets a stamp of its own. */
  async function change(make: Change): Promise<void> {
    known = await database.write(MEMORY_TABLES, async (transaction) => {
      const memories = transaction.objectStore("memories");
      const before = await memories.get(id);
      if (known !== undefined && known !== (before?.stamp ?? null)) throw changed(name);
      const after = await make(transaction, before);
      if (after) await memories.put(after);
      else await memories.delete(id);
      return after?.stamp ?? null;
    });
  }

  /** A record with a new stamp. */
  const stamped = (record: Omit<MemoryRecord, "id" | "stamp" | "changed">): MemoryRecord => ({
    ...record,
    id,
    stamp: randomStamp(),
    changed: now(),
  });

  async function save(memory: Memory): Promise<void> {
    checkBatch(memory, memory.model);
    const { entries, routing, ...head } = memory;
    await change(async (transaction, before) => {
      await removeBlocks(transaction, id);
      let block = await putEntries(transaction, id, 0, entries.map(placed), memory.model);
      block = await putDocuments(transaction, id, block, routing.map(placed));
      const next = { block, entry: entries.length, document: routing.length };
      return stamped({ head, ...countsOf(entries), created: before?.created ?? now(), next });
    });
  }

  async function append(batch: MemoryBatch): Promise<void> {
    const { entries = [], routing = [] } = batch;
    await change(async (transaction, before) => {
      if (!before) throw nothingSaved(name, "append to");
      const { head } = before;
      checkBatch(batch, head.model);
      const next = { ...before.next };
      const ids = entries.map((entry) => entry.id);
      const taken = await takeEntries(transaction, id, ids);
      const added = entries.map((item) => ({ item, place: taken.get(item.id)?.place ?? next.entry++ }));
      const anchors = routing.map(({ anchor }) => anchor);
      const old = await takeDocuments(transaction, id, anchors);
      const ranks = new Map(old.map(({ item, place }) => [item.anchor, place]));
      const documents = routing.map((item) => ({ item, place: ranks.get(item.anchor) ?? next.document++ }));
      next.block = await putEntries(transaction, id, next.block, added, head.model);
      next.block = await putDocuments(transaction, id, next.block, documents);
      const counts = counted(before, countsOf(entries), taken);
      return stamped({ ...before, head: headWith(head, batch), ...counts, next });
    });
  }

  async function remove(removal: Removal): Promise<void> {
    await change(async (transaction, before) => {
      if (!before) throw nothingSaved(name, "delete from");
      const { head } = before;
      checkRemoval(removal, head.model);
      const taken = await takeEntries(transaction, id, removal.ids);
      const anchors = await anchorsOf(transaction, id, removal.ids);
      for (const { anchor } of removal.routing) anchors.add(anchor);
      const left = leaving(removal);
      const documents = (await takeDocuments(transaction, id, anchors)).flatMap(({ item, place }) => {
        const document = left(item);
        return document ? { item: document, place } : [];
      });
      const block = await putDocuments(transaction, id, before.next.block, documents);
      const gone = new Set(removal.sources);
      const sources = head.sources.filter((source) => !gone.has(source.id));
      const counts = counted(before, { facts: 0, vectors: 0 }, taken);
      return stamped({ ...before, head: { ...head, sources }, ...counts, next: { ...before.next, block } });
    });
  }

  async function clear(): Promise<void> {
    await change(async (transaction) => {
      await removeBlocks(transaction, id);
      return null;
    });
  }

  return { name, load, save, append, remove, clear };
}

function placed<T>(item: T, place: number): { item: T; place: number } {
  return { item, place };
}

/** 128 random bits; crypto.randomUUID exists on secure pages only. */
function randomStamp(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

function changed(name: string): Error {
  return new Error(
    `store: ${name} was changed in another tab since it was loaded. Nothing was written: load it again.`,
  );
}

/** Facts and vectors of a memory. */
type Counts = Required<Pick<MemoryRecord, "facts" | "vectors">>;

const countsOf = (entries: readonly Pick<MemoryEntry, "id">[]): Counts => ({
  facts: countFacts(entries),
  vectors: entries.length,
});

/** The counts of a memory after `taken` left it and `added` came. */
function counted(
  { facts, vectors = facts }: Pick<MemoryRecord, "facts" | "vectors">,
  added: Counts,
  taken: ReadonlyMap<FactId, TakenFact>,
): Counts {
  const gone = [...taken.values()].reduce((sum, fact) => sum + fact.vectors, 0);
  return { facts: facts + added.facts - taken.size, vectors: vectors + added.vectors - gone };
}
