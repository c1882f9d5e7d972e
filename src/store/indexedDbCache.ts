/**
 * @file The encoding cache in the browser's database: heads (what is looked at) beside rows (what is read), and one
 * record that knows how much they take. Past its budget the rows go that were not used for longest.
 */

import { randomHex } from "../lib/hash.ts";
import type { Database } from "./database.ts";
import type { CacheRow, CacheRows, EncodingCache } from "./encodingCache.ts";
import { CACHE_TABLES, type CacheHead, type CacheState, type Reading, type Writing } from "./schema.ts";
import { nextPlace, sealedCache } from "./sealedCache.ts";

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
  const read = async <T>(work: (transaction: Reading) => Promise<T>): Promise<T> =>
    (await database()).read(CACHE_TABLES, work);
  const write = async <T>(work: (transaction: Writing) => Promise<T>): Promise<T> =>
    (await database()).write(CACHE_TABLES, work);
  const lately = new Lately();
  return {
    salt: async () =>
      (await read((transaction) => transaction.objectStore("cacheState").get(STATE)))?.salt ??
      write(async (transaction) => (await stateOf(transaction)).salt),
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
          // None where its bytes are gone.
          return row ? [{ key, marks, bytes: row.bytes }] : [];
        });
        return (await Promise.all(rows)).flat();
      });
      lately.add(found.map(({ key }) => key));
      // Nobody waits for it: a row that is not marked goes a little earlier.
      if (lately.many) void write((transaction) => lately.mark(transaction)).catch(() => undefined);
      return found;
    },
    put: (rows, salt) =>
      write(async (transaction) => {
        const state = await stateOf(transaction);
        if (state.salt !== salt) return;
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

/** What the cache takes now. */
export function cacheSize(database: Database): Promise<CacheSize> {
  return database.read(CACHE_TABLES, async (transaction) => {
    const state = await transaction.objectStore("cacheState").get(STATE);
    const rows = await transaction.objectStore("cacheHeads").count();
    return { rows, bytes: state?.bytes ?? 0, budget: CACHE_BUDGET_BYTES };
  });
}

/** Removes every row, and the salt: nothing that was sealed with it can be told again. */
export function clearCache(database: Database): Promise<void> {
  return database.write(CACHE_TABLES, async (transaction) => {
    for (const table of CACHE_TABLES) await transaction.objectStore(table).clear();
  });
}

async function stateOf(transaction: Writing): Promise<CacheState> {
  const states = transaction.objectStore("cacheState");
  const known = await states.get(STATE);
  if (known) return known;
  // What was sealed with a salt that is gone opens for nobody.
  for (const table of ["cacheHeads", "cacheRows"] as const) await transaction.objectStore(table).clear();
  const state = { id: STATE, salt: randomHex(SALT_BYTES), bytes: 0 };
  await states.put(state);
  return state;
}

/** The heads of rows that carry one of `marks`, each once. */
async function marked(transaction: Reading, marks: readonly string[]): Promise<CacheHead[]> {
  const index = transaction.objectStore("cacheHeads").index("mark");
  const found = await Promise.all(marks.map((mark) => index.getAll(mark)));
  return [...new Map(found.flat().map((head) => [head.key, head])).values()];
}

async function headsOf(transaction: Reading, keys: readonly string[]): Promise<CacheHead[]> {
  const heads = transaction.objectStore("cacheHeads");
  return (await Promise.all(keys.map((key) => heads.get(key)))).filter((head) => head !== undefined);
}

/** Marks of use that are written together. */
const MARKED_TOGETHER = 256;

/** Rows that were asked for since this was last written down: they are the last to go. */
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
