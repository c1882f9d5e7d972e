/** @file Opens the browser's database and runs its transactions. An error explains its effect on the stored data. */

import { messageOf } from "../lib/assert.ts";
import { openDB, type IDBPDatabase } from "idb";
import { StoreFull, StoreVersion } from "./port.ts";
import {
  CACHE_TABLES,
  createTables,
  SCHEMA_VERSION,
  TABLES,
  type Reading,
  type Schema,
  type StoreName,
  type Writing,
} from "./schema.ts";

const DATABASE_NAME = "palimpsest";

export interface DatabaseEvent {
  /** After "superseded" and "deleted" every call rejects; after "terminated" the next one opens the database again. */
  readonly kind: "waiting" | "superseded" | "deleted" | "terminated";
  readonly message: string;
}

interface DatabaseOptions {
  readonly name?: string;
  readonly onEvent?: (event: DatabaseEvent) => void;
  readonly version?: number;
  readonly upgrade?: (database: IDBPDatabase<Schema>) => void | Promise<void>;
}

export interface Database {
  readonly name: string;
  /** Runs `work` in one transaction over `tables`; it may await nothing but requests of that transaction. */
  read<T>(tables: readonly StoreName[], work: (transaction: Reading) => Promise<T>): Promise<T>;
  /** All is stored when it resolves, otherwise nothing. Without room the encoding cache is emptied. @throws {StoreFull} */
  write<T>(tables: readonly StoreName[], work: (transaction: Writing) => Promise<T>): Promise<T>;
  close(): void;
}

/** @throws {StoreVersion} if another version of Palimpsest wrote it: then nothing is read or written */
export async function openDatabase({
  name = DATABASE_NAME,
  onEvent,
  version = SCHEMA_VERSION,
  upgrade = createTables,
}: DatabaseOptions = {}): Promise<Database> {
  let ended: string | undefined;
  let broken: unknown;
  const tell = (kind: DatabaseEvent["kind"]): void => {
    const message = `store: ${EVENTS[kind](name)}`;
    if (kind === "superseded" || kind === "deleted") ended = message;
    onEvent?.({ kind, message });
  };
  const connect = async (): Promise<IDBPDatabase<Schema>> => {
    const opened = await openDB<Schema>(name, version, {
      upgrade: async (database, _, __, transaction) => {
        try {
          await upgrade(database);
        } catch (error) {
          // Without this the browser would keep the changes made so far.
          broken = error;
          transaction.done.catch(() => undefined);
          transaction.abort();
        }
      },
      blocked: () => tell("waiting"),
      blocking: (_, next, event) => {
        (event.target as IDBDatabase).close();
        tell(next === null ? "deleted" : "superseded");
      },
      terminated: () => tell("terminated"),
    }).catch(async (error: unknown) => {
      throw await whyClosed(name, version, broken ?? error);
    });
    if (TABLES.some((table) => !opened.objectStoreNames.contains(table))) {
      opened.close();
      throw otherVersion(name, "an early test version", version);
    }
    return opened;
  };
  let connection = await connect();
  let opening: Promise<IDBPDatabase<Schema>> | undefined;
  /** Browsers close connections, e.g. of a page that was in the background for long. */
  const connectAgain = (lost: IDBPDatabase<Schema>): Promise<IDBPDatabase<Schema>> => {
    if (connection !== lost) return Promise.resolve(connection);
    opening ??= connect()
      .then((opened) => (connection = opened))
      .finally(() => (opening = undefined));
    return opening;
  };
  const run = async <T>(mode: IDBTransactionMode, tables: readonly StoreName[], work: Work<T>) => {
    if (ended !== undefined) throw new Error(ended);
    const used = connection;
    try {
      return await transact(used, mode as "readwrite", tables, work);
    } catch (error) {
      if (!(error instanceof ConnectionClosed)) throw error;
      return transact(await connectAgain(used), mode as "readwrite", tables, work);
    }
  };
  const write = async <T>(tables: readonly StoreName[], work: Work<T>): Promise<T> => {
    try {
      return await run("readwrite", tables, work);
    } catch (error) {
      const own = tables.some((table) => CACHE_TABLES.some((one) => one === table));
      if (own || !(error instanceof StoreFull)) throw error;
      // Cached results can be computed again; a memory, a text or a sample cannot.
      const freed = await run("readwrite", CACHE_TABLES, cacheEmptied).catch(() => false);
      if (!freed) throw error;
      return run("readwrite", tables, work);
    }
  };
  return {
    name,
    read: (tables, work) => run("readonly", tables, work as unknown as Work<never>),
    write,
    close: () => {
      ended = `store: this connection to ${name} was closed; open it again`;
      connection.close();
    },
  };
}

const EVENTS: Readonly<Record<DatabaseEvent["kind"], (name: string) => string>> = {
  waiting: (name) =>
    `${name} is to be upgraded, but another tab with an older Palimpsest has it open. Close the other tabs; this one then continues.`,
  deleted: (name) =>
    `${name} was deleted, by the browser's settings or in another tab. It no longer has the content of this page: export the notebook to a file before you reload.`,
  superseded: (name) =>
    `${name} was taken over by a newer Palimpsest in another tab. The stored data is safe: reload this tab to continue.`,
  terminated: (name) =>
    `the browser closed ${name} (its data may have been cleared, or the disk failed). It is opened again at the next use; reload the page to see the stored data.`,
};

/** Opens the database at the first call, and again if that failed or the database was deleted since. */
export function databaseOnDemand(options: DatabaseOptions = {}): () => Promise<Database> {
  let opened: Promise<Database> | undefined;
  const again = (): void => void (opened = undefined);
  return () =>
    (opened ??= openDatabase({
      ...options,
      onEvent: (event) => {
        if (event.kind === "deleted") again();
        options.onEvent?.(event);
      },
    }).catch((error: unknown) => {
      again();
      throw error;
    }));
}

/** Removes all that the database holds, or all in some of its tables. */
export const wipe = (database: Database, tables: readonly StoreName[] = TABLES): Promise<void> =>
  database.write(tables, (transaction) => emptied(transaction, tables));

async function emptied(transaction: Writing, tables: readonly StoreName[]): Promise<void> {
  for (const table of tables) await transaction.objectStore(table).clear();
}

async function cacheEmptied(transaction: Writing): Promise<boolean> {
  const rows = await transaction.objectStore("cacheHeads").count();
  await emptied(transaction, CACHE_TABLES);
  return rows > 0;
}

type Work<T> = (transaction: Writing) => Promise<T>;

async function transact<T>(
  connection: IDBPDatabase<Schema>,
  mode: "readwrite",
  tables: readonly StoreName[],
  work: Work<T>,
): Promise<T> {
  // "strict": a write resolves only once its data is on the disk, so that it survives a power failure.
  const transaction = begun(connection, tables, mode);
  // It may reject before it is awaited; `work` then fails too, and the caller gets that error.
  transaction.done.catch(() => undefined);
  try {
    const result = await work(transaction);
    await transaction.done;
    return result;
  } catch (error) {
    abort(transaction);
    await transaction.done.catch(() => undefined);
    throw await explained(connection.name, error, transaction.error);
  }
}

class ConnectionClosed extends Error {
  override name = "ConnectionClosed";
}

function begun(connection: IDBPDatabase<Schema>, tables: readonly StoreName[], mode: "readwrite"): Writing {
  try {
    return connection.transaction([...tables], mode, { durability: "strict" });
  } catch (error) {
    const closed = error instanceof DOMException && error.name === "InvalidStateError";
    throw closed
      ? new ConnectionClosed(`store: the browser closed ${connection.name}; reload the page`, {
          cause: error,
        })
      : error;
  }
}

function abort(transaction: Writing): void {
  try {
    transaction.abort();
  } catch {
    // It has ended already.
  }
}

async function explained(name: string, error: unknown, ended: DOMException | null): Promise<unknown> {
  const browser = [error, ended].filter((e) => e instanceof DOMException || isQuota(e));
  const full = browser.find(isQuota);
  if (full) return storeFull(name, await storageState().catch(() => null), full);
  // If `work` failed for another reason, the abort that followed is only its consequence.
  if (!(error instanceof DOMException)) return error;
  const cause = error.name === "AbortError" && ended ? ended : error;
  return new Error(
    `store: ${name}: the browser could not do it (${cause.name}: ${cause.message}). Nothing was changed: what was stored before is as it was. Try again; if it fails again, reload the page.`,
    { cause },
  );
}

/** Browsers are changing the class of this error, but not its name. */
const isQuota = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "name" in error && error.name === "QuotaExceededError";

function storeFull(name: string, state: StorageState | null, cause: unknown): StoreFull {
  const { usage = null, quota = null } = state ?? {};
  return new StoreFull(
    `store: ${name}: the browser gives no more room${used(usage, quota)}. Nothing was lost: what was stored before is unchanged. Free some space (forget facts or kept texts, delete downloaded models, or clear the disk), then do the same again.`,
    { cause },
  );
}

/** Browsers may report another quota than they enforce; a failure far below it means another limit. */
function used(usage: number | null, quota: number | null): string {
  if (usage === null || quota === null) return "";
  if (usage >= 0.9 * quota) return ` (${megabytes(usage)} of ${megabytes(quota)} are used)`;
  return ` (${megabytes(usage)} are used, less than the ${megabytes(quota)} it promised: the disk may be full)`;
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

async function whyClosed(name: string, version: number, error: unknown): Promise<unknown> {
  if (!(error instanceof DOMException))
    return new Error(
      `store: ${name} could not be upgraded to format ${version} (${messageOf(error)}). It is as it was: report this, and use the former Palimpsest until it is mended.`,
      { cause: error },
    );
  if (isQuota(error)) return storeFull(name, await storageState().catch(() => null), error);
  if (error.name === "VersionError") {
    const found = (await indexedDB.databases()).find((database) => database.name === name)?.version;
    return otherVersion(name, `format ${found ?? "unknown"}`, version, error);
  }
  return new Error(
    `store: the browser cannot open ${name} (${error.name}: ${error.message}). Private windows and some settings forbid storage: use a normal window, or allow this page to store data.`,
    { cause: error },
  );
}

const otherVersion = (name: string, found: string, version: number, cause?: unknown): StoreVersion =>
  new StoreVersion(
    `store: the database ${name} has ${found}; this version of Palimpsest reads format ${version}. Nothing was changed. Close every tab of Palimpsest and open the page again: a newer version may have written it. If it is from before version 1.0, export what you need with that version, then clear the data of this page in the browser's settings.`,
    { cause },
  );

type StorageState = Awaited<ReturnType<typeof storageState>>;

type StoragePort = Pick<StorageManager, "estimate" | "persisted">;

export async function storageState(storage = storagePort()) {
  if (!storage) return { usage: null, quota: null, persisted: false };
  const { usage = null, quota = null } = await storage.estimate();
  return { usage, quota, persisted: await storage.persisted() };
}

const storagePort = (): StoragePort | undefined =>
  (globalThis as { navigator?: { storage?: StoragePort } }).navigator?.storage;
