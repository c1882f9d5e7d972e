/** @file How much room the browser gives, and whether it promises to keep what is stored. */

/** Numbers in bytes; null where the browser does not say. */
export interface StorageState {
  readonly usage: number | null;
  readonly quota: number | null;
  /** Whether the browser promised not to evict. */
  readonly persisted: boolean;
}

/** The part of `navigator.storage` used here. */
export type StoragePort = Pick<StorageManager, "estimate" | "persisted">;

/** What is used, what there is, and whether it is safe from eviction. All unknown where there is no storage manager. */
export async function storageState(storage = storagePort()): Promise<StorageState> {
  if (!storage) return { usage: null, quota: null, persisted: false };
  const { usage = null, quota = null } = await storage.estimate();
  return { usage, quota, persisted: await storage.persisted() };
}

/** Undefined in Node and on pages without a secure context. */
function storagePort(): StoragePort | undefined {
  return (globalThis as { navigator?: { storage?: StoragePort } }).navigator?.storage;
}
