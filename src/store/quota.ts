/** @file Storage used and available in this browser, and whether the browser promises to keep it. */

/** Numbers in bytes; null if the browser does not report them. */
export interface StorageState {
  readonly usage: number | null;
  readonly quota: number | null;
  /** Whether the browser promised not to evict. */
  readonly persisted: boolean;
}

/** The part of `navigator.storage` used here. */
export type StoragePort = Pick<StorageManager, "estimate" | "persisted">;

/** The state of the storage; unknown if the browser has no storage manager. */
export async function storageState(storage = storagePort()): Promise<StorageState> {
  if (!storage) return { usage: null, quota: null, persisted: false };
  const { usage = null, quota = null } = await storage.estimate();
  return { usage, quota, persisted: await storage.persisted() };
}

/** Undefined in Node and on pages without a secure context. */
function storagePort(): StoragePort | undefined {
  return (globalThis as { navigator?: { storage?: StoragePort } }).navigator?.storage;
}
