/** @file The store in the browser's database. A deletion rewrites only the blocks that held deleted facts. */

import { chunks, groupBy } from "../lib/group.ts";
import { randomHex } from "../lib/hash.ts";
import { savedParams } from "../records/params.ts";
import { layerIndex, type FactId } from "../records/ids.ts";
import {
  countFacts,
  renamedEntry,
  type EntryMeta,
  type Memory,
  type MemoryEntry,
  type ModelIdentity,
  type RoutingDocument,
} from "../records/memory.ts";
import type { KeptMemory, VectorBlock } from "../records/vectors.ts";
import { checkBatch, checkRemoval, headWith, inTextOrder, nothingSaved, restWithout } from "./batch.ts";
import {
  adoptEntries,
  comingTo,
  entryBlock,
  entryRows,
  putDocuments,
  putEntries,
  putWaiting,
  readDocuments,
  removeBlocks,
  removeComing,
  removeWaiting,
  takeDocuments,
  takeEntries,
  vectorsOf,
  waitingRows,
  type TakenFact,
} from "./blocks.ts";
import type { Database } from "./database.ts";
import { PartsSeen, wholeOf, type Pieces } from "./pieces.ts";
import { StoreChanged, type Batch, type Removal, type Store } from "./port.ts";
import { MAX_BLOCK_ENTRIES, metasOf, unpackEntries, type Placed } from "./rows.ts";
import {
  MEMORY_TABLES,
  type EntryRow,
  type MemoryRecord,
  type Reading,
  type VectorRow,
  type Writing,
} from "./schema.ts";

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

/** A store refuses to overwrite changes that another store made since it loaded, opened or wrote the memory. */
export const openIndexedDbStore = (database: Database, id: string): Store => new IndexedDbStore(database, id);

interface Outline {
  readonly record: MemoryRecord;
  readonly rows: readonly EntryRow[];
  readonly routing: readonly RoutingDocument[];
  readonly waiting: Memory["waiting"];
}

type Change = (transaction: Writing, before: MemoryRecord | undefined) => Promise<Content>;

type Content = Omit<MemoryRecord, "id" | "stamp">;

class IndexedDbStore implements Store {
  readonly name: string;
  #known: string | null | undefined;

  constructor(
    private readonly database: Database,
    private readonly id: string,
  ) {
    this.name = `${database.name}/${id}`;
  }

  async load(): Promise<Memory | null> {
    const found = await this.#outline();
    const memory = found && (await wholeOf(this.#piecesOf(found)));
    this.#known = found?.record.stamp ?? null;
    return memory;
  }

  async open(): Promise<KeptMemory | null> {
    const found = await this.#outline();
    this.#known = found?.record.stamp ?? null;
    if (!found) return null;
    const { record, rows, routing, waiting } = found;
    const blocks = rows.map((row) => this.#blockOf(row, record));
    const places = new Map(
      blocks.flatMap(({ entries }, at) => entries.map((entry, i) => [entry, rows[at]!.places[i]!] as const)),
    );
    const entries = [...places.keys()].sort((a, b) => places.get(a)! - places.get(b)!);
    return { ...headOf(record), entries, routing, waiting, blocks };
  }

  #blockOf(row: EntryRow, record: MemoryRecord): VectorBlock {
    const entries = metasOf(row);
    const { block, layer } = row;
    const read = (): Promise<VectorRow> =>
      this.#unchanged(record, (transaction) =>
        vectorsOf(transaction, [this.id, block], entries.length, record.head.model),
      );
    return { layer: layerIndex(layer), entries, read };
  }

  async pieces(): Promise<Pieces | null> {
    const found = await this.#outline();
    return found && this.#piecesOf(found);
  }

  #piecesOf({ record, rows, routing, waiting }: Outline): Pieces {
    const sorted = rows.toSorted((a, b) => a.layer - b.layer || a.block - b.block);
    const read = (row: EntryRow): Promise<Placed<MemoryEntry>[]> => this.#entriesOf(record, row);
    async function* batches(): AsyncGenerator<Placed<MemoryEntry>[]> {
      for (const row of sorted) yield await read(row);
    }
    return { ...headOf(record), routing, waiting, batches };
  }

  #entriesOf(record: MemoryRecord, row: EntryRow): Promise<Placed<MemoryEntry>[]> {
    return this.#unchanged(record, async (transaction) =>
      unpackEntries(await entryBlock(transaction, row, record.head.model)),
    );
  }

  #outline(): Promise<Outline | null> {
    return this.database.read(MEMORY_TABLES, async (transaction) => {
      const record = await transaction.objectStore("memories").get(this.id);
      if (!record) return null;
      const rows = await entryRows(transaction, this.id);
      const routing = await readDocuments(transaction, this.id);
      return { record, rows, routing, waiting: await waitingRows(transaction, this.id) };
    });
  }

  #unchanged<T>({ stamp }: MemoryRecord, work: (transaction: Reading) => Promise<T>): Promise<T> {
    return this.database.read(MEMORY_TABLES, async (transaction) => {
      const now = await transaction.objectStore("memories").get(this.id);
      if (now?.stamp !== stamp)
        throw new StoreChanged(
          `store: ${this.name} was changed since it was opened, and its vectors may have moved. Nothing is lost: try again.`,
        );
      return work(transaction);
    });
  }

  async revision(): Promise<string | null> {
    const record = await this.database.read(["memories"], (transaction) =>
      transaction.objectStore("memories").get(this.id),
    );
    return record?.stamp ?? null;
  }

  async save(memory: Memory): Promise<void> {
    checkBatch(memory, memory.model);
    const { entries, routing, waiting, ...head } = memory;
    await this.#change(async (transaction) => {
      await removeBlocks(transaction, this.id);
      let block = await putEntries(transaction, this.id, 0, entries.map(placed), memory.model);
      block = await putDocuments(transaction, this.id, block, routing.map(placed));
      await putWaiting(transaction, this.id, waiting);
      const next = { block, entry: entries.length, document: routing.length };
      return { head, facts: countFacts(entries), vectors: entries.length, next };
    });
  }

  async take({ batches, routing, waiting, ...head }: Pieces): Promise<PartsSeen> {
    checkBatch({ routing, waiting, sources: head.sources }, head.model);
    const passing = new PartsSeen();
    try {
      const block = await this.#comeIn(batches(), head.model, passing);
      await this.#change(async (transaction) => {
        await adoptEntries(transaction, this.id, head.model);
        const next = { block: 0, entry: passing.vectors, document: routing.length };
        next.block = await putDocuments(transaction, this.id, block, routing.map(placed));
        await putWaiting(transaction, this.id, waiting);
        const { facts, vectors } = passing;
        return { head, facts, vectors, next };
      });
    } catch (error) {
      await this.database.write(MEMORY_TABLES, (transaction) => removeComing(transaction, this.id));
      throw error;
    }
    return passing;
  }

  async #comeIn(batches: ReturnType<Pieces["batches"]>, model: ModelIdentity, passing: PartsSeen) {
    const coming = comingTo(this.id);
    await this.database.write(MEMORY_TABLES, (transaction) => removeComing(transaction, this.id));
    let block = 0;
    for await (const batch of batches) {
      passing.add(batch);
      checkBatch({ entries: batch.map(({ item }) => item) }, model);
      const first = block;
      block = await this.database.write(MEMORY_TABLES, (transaction) =>
        putEntries(transaction, coming, first, batch, model),
      );
    }
    return block;
  }

  async append(batch: Batch): Promise<void> {
    await this.#change(async (transaction, before) => {
      if (!before) throw nothingSaved(this.name, "append to");
      checkBatch(batch, before.head.model);
      return appended(transaction, this.id, before, batch);
    });
  }

  async flush(): Promise<void> {}

  /** Writes the memory again block by block, as if the deleted facts had never been stored. */
  async remove(removal: Removal): Promise<void> {
    const found = await this.#outline();
    if (!found) throw nothingSaved(this.name, "delete from");
    const { record, rows, routing, waiting } = found;
    const head = headOf(record);
    if (this.#known !== undefined && this.#known !== record.stamp) throw changed(this.name);
    // A change by another tab from here on ends the deletion.
    this.#known = record.stamp;
    checkRemoval(removal, record.head.model);
    await this.take({
      ...restWithout({ ...head, routing, waiting }, removal),
      batches: () => compacted(rows, removal, head, (row) => this.#entriesOf(record, row)),
    });
  }

  async #change(make: Change): Promise<void> {
    const id = this.id;
    this.#known = await this.database.write(MEMORY_TABLES, async (transaction) => {
      const memories = transaction.objectStore("memories");
      const before = await memories.get(id);
      if (this.#known !== undefined && this.#known !== (before?.stamp ?? null)) throw changed(this.name);
      const content = await make(transaction, before);
      const stamp = randomHex(16);
      await memories.put({ ...content, id, stamp });
      return stamp;
    });
  }
}

async function appended(transaction: Writing, id: string, before: MemoryRecord, batch: Batch) {
  const { entries = [], routing = [], waiting = [] } = batch;
  const { head } = before;
  const next = { ...before.next };
  const ids = entries.map((entry) => entry.id);
  const taken = await takeEntries(transaction, id, ids, head.model);
  const added = entries.map((item) => ({ item, place: taken.get(item.id)?.place ?? next.entry++ }));
  const anchors = routing.map(({ anchor }) => anchor);
  const old = await takeDocuments(transaction, id, anchors);
  const ranks = new Map(old.map(({ item, place }) => [item.anchor, place]));
  const documents = routing.map((item) => ({ item, place: ranks.get(item.anchor) ?? next.document++ }));
  next.block = await putEntries(transaction, id, next.block, added, head.model);
  next.block = await putDocuments(transaction, id, next.block, documents);
  await putWaiting(transaction, id, waiting);
  await removeWaiting(transaction, id, new Set(ids));
  return {
    ...before,
    head: headWith(head, batch),
    ...counted(before, { facts: countFacts(entries), vectors: entries.length }, taken),
    next,
  };
}

const OPEN_BLOCKS = 4;

/** The entries without deleted ones, by layer, with places in the order of their texts. */
async function* compacted(
  rows: readonly EntryRow[],
  removal: Removal,
  head: Pick<Memory, "sources">,
  read: (row: EntryRow) => Promise<Placed<MemoryEntry>[]>,
): AsyncGenerator<Placed<MemoryEntry>[]> {
  const byText = inTextOrder(head);
  const { ids, entries: renewed = [] } = removal;
  const made = new Set(renewed.map(({ id }) => id));
  const kept = rows.flatMap((row) =>
    metasOf(row).flatMap((meta, i) => (ids.has(meta.id) || made.has(meta.id) ? [] : { meta, row, i })),
  );
  const placed = [...kept, ...renewed.map((item) => ({ meta: item, item }))]
    .map((one) => ({ ...one, meta: renamedEntry<EntryMeta>(one.meta, removal.renamed) }))
    .sort((a, b) => byText(a.meta, b.meta))
    .map((one, place) => ({ ...one, place }));
  const sorted = placed.toSorted((a, b) => a.meta.layer - b.meta.layer || a.place - b.place);
  const open = new Map<EntryRow, Placed<MemoryEntry>[]>();
  const groups = [...groupBy(sorted, ({ meta }) => meta.layer).values()];
  for (const group of groups.flatMap((own) => chunks(own, MAX_BLOCK_ENTRIES))) {
    const batch: Placed<MemoryEntry>[] = [];
    for (const one of group) {
      if ("item" in one) batch.push({ item: renamedEntry(one.item, removal.renamed), place: one.place });
      else {
        const block = open.get(one.row) ?? (await read(one.row));
        open.delete(one.row);
        open.set(one.row, block);
        if (open.size > OPEN_BLOCKS) open.delete(open.keys().next().value!);
        batch.push({ item: renamedEntry(block[one.i]!.item, removal.renamed), place: one.place });
      }
    }
    yield batch;
  }
}

const placed = <T>(item: T, place: number): { item: T; place: number } => ({ item, place });

const changed = (name: string): Error =>
  new Error(
    `store: ${name} was changed in another tab since it was loaded. Nothing was written: load it again.`,
  );

type Counts = Required<Pick<MemoryRecord, "facts" | "vectors">>;

function counted(
  { facts, vectors }: Pick<MemoryRecord, "facts" | "vectors">,
  added: Counts,
  taken: ReadonlyMap<FactId, TakenFact>,
): Counts {
  const gone = [...taken.values()].reduce((sum, fact) => sum + fact.vectors, 0);
  return { facts: facts + added.facts - taken.size, vectors: vectors + added.vectors - gone };
}
