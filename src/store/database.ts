/**
 * @file The browser's database: opening and upgrading it, and the one door through which all of the store goes.
 * A transaction is all or nothing; what made it fail is told with what it means for what was stored.
 */

import { openDB, type IDBPDatabase } from "idb";
import { StoreFull, StoreVersion } from "./port.ts";
import { storageState, type StorageState } from "./quota.ts";
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

export const DATABASE_NAME = "palimpsest";

/** What other tabs and the browser do to a connection; `message` is for the user. */
export interface DatabaseEvent {
  /**
   * "waiting": an older tab keeps this one from opening; "superseded": a newer Palimpsest took over and this
   * connection is closed; "deleted": somebody deleted the database; "terminated": the browser ended the connection.
   * After the last three every call rejects.
   */
  readonly kind: "waiting" | "superseded" | "deleted" | "terminated";
  readonly message: string;
}

export interface DatabaseOptions {
  /** "palimpsest" by default. */
  readonly name?: string;
  readonly onEvent?: (event: DatabaseEvent) => void;
  /** {@link SCHEMA_VERSION} by default; tests open others. */
  readonly version?: number;
  /** Creates or changes the tables; {@link createTables} by default. A failure leaves the database as it was. */
  readonly upgrade?: (database: IDBPDatabase<Schema>) => void | Promise<void>;
}

/** An open connection. */
export interface Database {
  readonly name: string;
  /** Runs `work` in one transaction over `tables`; it may await nothing but requests of that transaction. */
  read<T>(tables: readonly StoreName[], work: (transaction: Reading) => Promise<T>): Promise<T>;
  /**
   * As `read`, to write: all of `work` is stored when it resolves, and none of it when it rejects. Where there is no room
   * for it, the encoding cache gives up its own, and `work` is done once more.
   * @throws {StoreFull} when the browser gives no more room
   */
  write<T>(tables: readonly StoreName[], work: (transaction: Writing) => Promise<T>): Promise<T>;
  close(): void;
}

/**
 * Opens the database; creates it if needed.
 * @throws {StoreVersion} when another version of Palimpsest wrote it: nothing is read or written then
 */
export async function openDatabase({
  name = DATABASE_NAME,
  onEvent,
  version = SCHEMA_VERSION,
  upgrade = createTables,
}: DatabaseOptions = {}): Promise<Database> {
  let ended: string | undefined;
  let broken: unknown;
  const tell = (kind: DatabaseEvent["kind"], message: string): void => {
    if (kind !== "waiting") ended = message;
    onEvent?.({ kind, message });
  };
  const connection = await openDB<Schema>(name, version, {
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
    blocked: () =>
      tell(
        "waiting",
        `store: ${name} is to be upgraded, but another tab with an older Palimpsest has it open. Close the other tabs; this one then goes on by itself.`,
      ),
    blocking: (_, next, event) => {
      (event.target as IDBDatabase).close();
      if (next === null)
        tell(
          "deleted",
          `store: ${name} was deleted, by the browser's settings or in another tab. What is on this page is not in it any more: export the notebook to a file before you reload.`,
        );
      else
        tell(
          "superseded",
          `store: ${name} was taken over by a newer Palimpsest in another tab. What was stored is safe: reload this tab to go on.`,
        );
    },
    terminated: () =>
      tell(
        "terminated",
        `store: the browser closed ${name} (its data may have been cleared, or the disk failed). Reload the page to see what is there.`,
      ),
  }).catch(async (error: unknown) => {
    throw await whyClosed(name, version, broken ?? error);
  });
  if (TABLES.some((table) => !connection.objectStoreNames.contains(table))) {
    connection.close();
    throw otherVersion(name, "an early test version", version);
  }
  const run = async <T>(
    mode: IDBTransactionMode,
    tables: readonly StoreName[],
    work: Work<T>,
  ): Promise<T> => {
    if (ended !== undefined) throw new Error(ended);
    return transact(connection, mode as "readwrite", tables, work);
  };
  const write = async <T>(tables: readonly StoreName[], work: Work<T>): Promise<T> => {
    try {
      return await run("readwrite", tables, work);
    } catch (error) {
      const own = tables.some((table) => CACHE_TABLES.some((one) => one === table));
      if (own || !(error instanceof StoreFull)) throw error;
      // What is cached can be made again; a memory, a text or a sample cannot.
      const freed = await run("readwrite", CACHE_TABLES, emptied).catch(() => false);
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

/**
 * Opens the database when it is first asked for, and once. A failed opening is tried again by the next call, and so is
 * one whose database was deleted since: what the page still holds can be saved again.
 */
export function databaseOnDemand(options: DatabaseOptions = {}): () => Promise<Database> {
  let opened: Promise<Database> | undefined;
  const again = (): void => void (opened = undefined);
  return () =>
    (opened ??= openDatabase({
      ...options,
      onEvent: (event) => {
        if (event.kind === "deleted" || event.kind === "terminated") again();
        options.onEvent?.(event);
      },
    }).catch((error: unknown) => {
      again();
      throw error;
    }));
}

/** Removes every text, memory, notebook and run. */
export function wipe(database: Database): Promise<void> {
  return database.write(TABLES, async (transaction) => {
    for (const table of TABLES) await transaction.objectStore(table).clear();
  });
}

/** Empties the encoding cache; whether it held anything. */
async function emptied(transaction: Writing): Promise<boolean> {
  const rows = await transaction.objectStore("cacheHeads").count();
  for (const table of CACHE_TABLES) await transaction.objectStore(table).clear();
  return rows > 0;
}

type Work<T> = (transaction: Writing) => Promise<T>;

async function transact<T>(
  connection: IDBPDatabase<Schema>,
  mode: "readwrite",
  tables: readonly StoreName[],
  work: Work<T>,
): Promise<T> {
  // "strict": what a resolved write says is stored is on the disk, also when the power fails next.
  const transaction = connection.transaction([...tables], mode, { durability: "strict" });
  // It may reject before anything awaits it; `work` then fails too, and is what the caller hears of.
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

function abort(transaction: Writing): void {
  try {
    transaction.abort();
  } catch {
    // It has ended already.
  }
}

/** The error to throw; one of the browser's own says little alone. */
async function explained(name: string, error: unknown, ended: DOMException | null): Promise<unknown> {
  const browser = [error, ended].filter((e) => e instanceof DOMException || isQuota(e));
  const full = browser.find(isQuota);
  if (full) return storeFull(name, await storageState().catch(() => null), full);
  // When `work` failed for a reason of its own, the abort that followed is no news.
  if (!(error instanceof DOMException)) return error;
  const cause = error.name === "AbortError" && ended ? ended : error;
  return new Error(
    `store: ${name}: the browser could not do it (${cause.name}: ${cause.message}). Nothing was changed: what was stored before is as it was. Try again; if it fails again, reload the page.`,
    { cause },
  );
}

/** Browsers are about to make this a class of its own; the name stays. */
function isQuota(error: unknown): boolean {
  return (
    typeof error === "object" && error !== null && "name" in error && error.name === "QuotaExceededError"
  );
}

function storeFull(name: string, state: StorageState | null, cause: unknown): StoreFull {
  const { usage = null, quota = null } = state ?? {};
  return new StoreFull(
    `store: ${name}: the browser gives no more room${used(usage, quota)}. Nothing was lost: what was stored before is unchanged. Free some space (forget facts or kept texts, delete downloaded models, or clear the disk), then do the same again.`,
    { usage, quota, cause },
  );
}

/** Browsers may tell a quota that is not the one they enforce; a failure far below it means another limit. */
function used(usage: number | null, quota: number | null): string {
  if (usage === null || quota === null) return "";
  if (usage >= 0.9 * quota) return ` (${megabytes(usage)} of ${megabytes(quota)} are used)`;
  return ` (${megabytes(usage)} are used, less than the ${megabytes(quota)} it promised: the disk may be full)`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

async function whyClosed(name: string, version: number, error: unknown): Promise<unknown> {
  if (!(error instanceof DOMException))
    return new Error(
      `store: ${name} could not be upgraded to format ${version} (${error instanceof Error ? error.message : String(error)}). It is as it was: report this, and use the former Palimpsest until it is mended.`,
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

function otherVersion(name: string, found: string, version: number, cause?: unknown): StoreVersion {
  return new StoreVersion(
    `store: the database ${name} has ${found}; this version of Palimpsest reads format ${version}. Nothing was changed. Close every tab of Palimpsest and open the page again: a newer version may have written it. If it is from before version 1.0, export what you need with that version, then clear the data of this page in the browser's settings.`,
    { cause },
  );
}
