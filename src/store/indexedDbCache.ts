/**
 * @file The encoding cache in the browser's database: heads (what is looked at) beside rows (what is read), and one
 * record that knows how much they take. Past its budget the rows go that were not used for longest.
 */

import { randomHex } from "../lib/hash.ts";
import type { Database } from "./database.ts";
import type { CacheRow, CacheRows, EncodingCache } from "./encodingCache.ts";
import type { CacheHead, CacheState, StoreName, Writing } from "./schema.ts";
import { nextPlace, sealedCache } from "./sealedCache.ts";

const TABLES: readonly StoreName[] = ["cacheState", "cacheHeads", "cacheRows"];
const STATE = "cache";
const SALT_BYTES = 16;
/** Keys, marks and numbers of a row, about. */
const HEAD_BYTES = 512;

/** What the page lets the cache take: about 25,000 vectors of the bundled model. */
export const CACHE_BUDGET_BYTES = 128 * 2 ** 20;

/** What the cache of a browser takes. */
export interface CacheSize {
  readonly rows: number;
  readonly bytes: number;
  readonly budget: number;
}

/** The cache of `database`; undefined where the page has no Web Crypto to seal it with. */
export const openIndexedDbCache = (database: () => Promise<Database>): EncodingCache | undefined =>
  (globalThis.crypto as Partial<Crypto>).subtle ? sealedCache(indexedDbRows(database)) : undefined;

export function indexedDbRows(
  database: () => Promise<Database>,
  budget: number = CACHE_BUDGET_BYTES,
): CacheRows {
  const write = async <T>(work: (transaction: Writing) => Promise<T>): Promise<T> =>
    (await database()).write(TABLES, work);
  return {
    salt: () => write(async (transaction) => (await stateOf(transaction)).salt),
    get: (keys) =>
      write(async (transaction) => {
        const found = await Promise.all(keys.map((key) => transaction.objectStore("cacheHeads").get(key)));
        const heads = found.filter((head) => head !== undefined).sort((a, b) => a.place - b.place);
        return Promise.all(heads.map((head) => used(transaction, head)));
      }).then((rows) => rows.flat()),
    put: (rows, salt) =>
      write(async (transaction) => {
        const state = await stateOf(transaction);
        if (state.salt !== salt) return;
        let { bytes } = state;
        for (const row of rows) bytes += await putRow(transaction, row);
        await transaction.objectStore("cacheState").put({ ...state, bytes });
        await evict(transaction, budget);
      }),
    known: (marks) =>
      write(async (transaction) => {
        const index = transaction.objectStore("cacheHeads").index("mark");
        const keys = await Promise.all(marks.map((mark) => index.getKey(mark)));
        return keys.map((key) => key !== undefined);
      }),
    remove: (marks) =>
      write(async (transaction) => {
        const index = transaction.objectStore("cacheHeads").index("mark");
        const found = await Promise.all(marks.map((mark) => index.getAll(mark)));
        const heads = new Map(found.flat().map((head) => [head.key, head]));
        await drop(transaction, [...heads.values()]);
        return heads.size;
      }),
  };
}

/** What the cache takes now. */
export function cacheSize(database: Database): Promise<CacheSize> {
  return database.read(TABLES, async (transaction) => {
    const state = await transaction.objectStore("cacheState").get(STATE);
    const rows = await transaction.objectStore("cacheHeads").count();
    return { rows, bytes: state?.bytes ?? 0, budget: CACHE_BUDGET_BYTES };
  });
}

/** Removes every row, and the salt: nothing that was sealed with it can be told again. */
export function clearCache(database: Database): Promise<void> {
  return database.write(TABLES, async (transaction) => {
    for (const table of TABLES) await transaction.objectStore(table).clear();
  });
}

async function stateOf(transaction: Writing): Promise<CacheState> {
  const states = transaction.objectStore("cacheState");
  const known = await states.get(STATE);
  if (known) return known;
  const state = { id: STATE, salt: randomHex(SALT_BYTES), bytes: 0 };
  await states.put(state);
  return state;
}

/** A row that is asked for: it is the last to go now. None where its bytes are gone. */
async function used(transaction: Writing, head: CacheHead): Promise<CacheRow[]> {
  const row = await transaction.objectStore("cacheRows").get(head.key);
  await transaction.objectStore("cacheHeads").put({ ...head, used: nextPlace() });
  return row ? [{ key: head.key, marks: head.marks, bytes: row.bytes }] : [];
}

/** Writes a row, in the place of an older one of its key, and gives by how many bytes that is more. */
async function putRow(transaction: Writing, { key, marks, bytes }: CacheRow): Promise<number> {
  const heads = transaction.objectStore("cacheHeads");
  const before = await heads.get(key);
  const place = nextPlace();
  const head = { key, marks, place, used: place, bytes: bytes.length + HEAD_BYTES };
  await heads.put(head);
  await transaction.objectStore("cacheRows").put({ key, bytes });
  return head.bytes - (before?.bytes ?? 0);
}

/** Lets rows go, those that were not used for longest first, until the others keep to `budget`. */
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
