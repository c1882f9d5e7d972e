/** @file The browser's database in tests: all that is in it, counted writes, and room that runs out. */

import { openDatabase, type Database } from "../database.ts";
import { TABLES } from "../schema.ts";

let count = 0;

/** A new, empty database. */
export function freshDatabase(): Promise<Database> {
  return openDatabase({ name: `palimpsest test ${count++}` });
}

/** Every value stored, as one sequence of bytes: numbers and texts as JSON, vectors as they are. */
export async function allBytes(database: Database): Promise<Buffer> {
  const rows = await database.read(TABLES, async (transaction) => {
    const tables = await Promise.all(TABLES.map((table) => transaction.objectStore(table).getAll()));
    return tables.flat();
  });
  const parts: Buffer[] = [];
  const text = JSON.stringify(rows, (_, value: unknown) => {
    if (!ArrayBuffer.isView(value)) return value;
    parts.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    return null;
  });
  return Buffer.concat([Buffer.from(text), ...parts]);
}

/** The rows written while `job` runs. */
export async function writesDuring(job: () => Promise<unknown>): Promise<[table: string, value: object][]> {
  const writes: [string, object][] = [];
  const restore = onPut((store, value) => void writes.push([store.name, value as object]));
  try {
    await job();
  } finally {
    restore();
  }
  return writes;
}

/**
 * Lets the browser's room run out at the `n`-th row written while `job` runs: either the request fails, or the
 * transaction when it commits, as browsers do. Returns what `job` threw, or undefined.
 */
export async function fullAt(n: number, how: "request" | "commit", job: () => Promise<unknown>) {
  let left = n;
  const restore = onPut((store) => {
    if (left-- > 0) return;
    if (how === "request") throw new DOMException("", "QuotaExceededError");
    (store.transaction as unknown as { _abort(name: string): void })._abort("QuotaExceededError");
  });
  try {
    await job();
    return undefined;
  } catch (error) {
    return error;
  } finally {
    restore();
  }
}

/**
 * Lets the room run out for every row outside the cache while the cache holds rows, as if the cache took the last of it.
 * Returns the result of `job`.
 */
export async function fullWithCache<T>(job: () => Promise<T>): Promise<T> {
  const { clear } = IDBObjectStore.prototype;
  let room = false;
  const restore = onPut((store) => {
    if (!room && !store.name.startsWith("cache")) throw new DOMException("", "QuotaExceededError");
  });
  IDBObjectStore.prototype.clear = function (this: IDBObjectStore) {
    room ||= this.name === "cacheRows";
    return clear.call(this);
  };
  try {
    return await job();
  } finally {
    restore();
    Object.assign(IDBObjectStore.prototype, { clear });
  }
}

/** Looks at every row that is put or added until the returned function is called. */
function onPut(look: (store: IDBObjectStore, value: unknown) => void): () => void {
  const { put, add } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...args) {
    look(this, args[0]);
    return put.apply(this, args);
  };
  IDBObjectStore.prototype.add = function (this: IDBObjectStore, ...args) {
    look(this, args[0]);
    return add.apply(this, args);
  };
  return () => {
    Object.assign(IDBObjectStore.prototype, { put, add });
  };
}
