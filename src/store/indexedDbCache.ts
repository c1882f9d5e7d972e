/** @file The encoding cache in the browser's database. Above the budget the least recently used rows are removed. */

import type { Database } from "./database.ts";
import { encodingCache, nextPlace, type CacheRow, type CacheRows } from "./cacheRows.ts";
import type { EncodingCache } from "./encodingCache.ts";
import { CACHE_TABLES, type CacheHead, type CacheState, type Reading, type Writing } from "./schema.ts";

const STATE = "cache";
const HEAD_BYTES = 512;

const CACHE_BUDGET_BYTES = 128 * 2 ** 20;

export const openIndexedDbCache = (database: () => Promise<Database>): EncodingCache =>
  encodingCache(indexedDbRows(database));

export function indexedDbRows(
  database: () => Promise<Database>,
  budget: number = CACHE_BUDGET_BYTES,
): CacheRows {
  const read = async <T>(work: (transaction: Reading) => Promise<T>): Promise<T> =>
    (await database()).read(CACHE_TABLES, work);
  const write = async <T>(work: (transaction: Writing) => Promise<T>): Promise<T> =>
    (await database()).write(CACHE_TABLES, work);
  const lately = new Lately();
  return {
    held: (keys) =>
      read(async (transaction) => {
        const heads = await headsOf(transaction, keys);
        return heads.map(({ key, place }) => ({ key, place }));
      }),
    async get(keys) {
      const found = await read(async (transaction) => {
        const heads = (await headsOf(transaction, keys)).sort((a, b) => a.place - b.place);
        const rows = heads.map(async ({ key, marks }) => {
          const row = await transaction.objectStore("cacheRows").get(key);
          return row ? [{ key, marks, bytes: row.bytes }] : [];
        });
        return (await Promise.all(rows)).flat();
      });
      lately.add(found.map(({ key }) => key));
      // In the background: a row whose use is not recorded is only removed a little earlier.
      if (lately.many) void write((transaction) => lately.mark(transaction)).catch(() => undefined);
      return found;
    },
    put: (rows) =>
      write(async (transaction) => {
        const state = await stateOf(transaction);
        await lately.mark(transaction);
        let { bytes } = state;
        for (const row of rows) bytes += await putRow(transaction, row);
        await transaction.objectStore("cacheState").put({ ...state, bytes });
        await evict(transaction, budget);
      }),
    known: (marks) =>
      read(async (transaction) => {
        const index = transaction.objectStore("cacheHeads").index("mark");
        const keys = await Promise.all(marks.map((mark) => index.getKey(mark)));
        return keys.map((key) => key !== undefined);
      }),
    beside: (marks) =>
      read(async (transaction) => (await marked(transaction, marks)).flatMap((head) => head.marks)),
    remove: (marks) =>
      write(async (transaction) => {
        const heads = await marked(transaction, marks);
        await drop(transaction, heads);
        return heads.length;
      }),
  };
}

export const cacheSize = (database: Database) =>
  database.read(CACHE_TABLES, async (transaction) => {
    const state = await transaction.objectStore("cacheState").get(STATE);
    const rows = await transaction.objectStore("cacheHeads").count();
    return { rows, bytes: state?.bytes ?? 0, budget: CACHE_BUDGET_BYTES };
  });

async function stateOf(transaction: Writing): Promise<CacheState> {
  const states = transaction.objectStore("cacheState");
  const known = await states.get(STATE);
  if (known) return known;
  // Without its record the size of the rows is not known: the cache starts empty.
  for (const table of ["cacheHeads", "cacheRows"] as const) await transaction.objectStore(table).clear();
  const state = { id: STATE, bytes: 0 };
  await states.put(state);
  return state;
}

async function marked(transaction: Reading, marks: readonly string[]): Promise<CacheHead[]> {
  const index = transaction.objectStore("cacheHeads").index("mark");
  const found = await Promise.all(marks.map((mark) => index.getAll(mark)));
  return [...new Map(found.flat().map((head) => [head.key, head])).values()];
}

async function headsOf(transaction: Reading, keys: readonly string[]): Promise<CacheHead[]> {
  const heads = transaction.objectStore("cacheHeads");
  return (await Promise.all(keys.map((key) => heads.get(key)))).filter((head) => head !== undefined);
}

const MARKED_TOGETHER = 256;

/** Rows that were read since their use was last recorded: they are removed last. */
class Lately {
  readonly #used = new Map<string, number>();

  get many(): boolean {
    return this.#used.size >= MARKED_TOGETHER;
  }

  add(keys: readonly string[]): void {
    for (const key of keys) this.#used.set(key, nextPlace());
  }

  async mark(transaction: Writing): Promise<void> {
    const marks = [...this.#used];
    this.#used.clear();
    const heads = transaction.objectStore("cacheHeads");
    for (const [key, used] of marks) {
      const head = await heads.get(key);
      if (head && head.used < used) await heads.put({ ...head, used });
    }
  }
}

async function putRow(transaction: Writing, { key, marks, bytes }: CacheRow): Promise<number> {
  const heads = transaction.objectStore("cacheHeads");
  const before = await heads.get(key);
  const place = nextPlace();
  const head = { key, marks, place, used: place, bytes: bytes.length + HEAD_BYTES };
  await heads.put(head);
  await transaction.objectStore("cacheRows").put({ key, bytes });
  return head.bytes - (before?.bytes ?? 0);
}

async function evict(transaction: Writing, budget: number): Promise<void> {
  let over = (await stateOf(transaction)).bytes - budget;
  const gone: CacheHead[] = [];
  let cursor = over > 0 ? await transaction.objectStore("cacheHeads").index("used").openCursor() : null;
  for (; cursor && over > 0; cursor = await cursor.continue()) {
    gone.push(cursor.value);
    over -= cursor.value.bytes;
  }
  await drop(transaction, gone);
}

async function drop(transaction: Writing, heads: readonly CacheHead[]): Promise<void> {
  if (heads.length === 0) return;
  const state = await stateOf(transaction);
  for (const { key } of heads) {
    await transaction.objectStore("cacheHeads").delete(key);
    await transaction.objectStore("cacheRows").delete(key);
  }
  const freed = heads.reduce((sum, { bytes }) => sum + bytes, 0);
  await transaction.objectStore("cacheState").put({ ...state, bytes: Math.max(0, state.bytes - freed) });
}
