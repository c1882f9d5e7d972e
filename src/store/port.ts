/**
 * @file The store as the flow sees it. Every call is all or nothing: when it rejects, or the process dies in it,
 * the memory is exactly as before the call (or as after it, where it had just been completed).
 * Implementations: inMemory.ts, disk.ts (Node); IndexedDB holds the same contract with one transaction per call,
 * entries in rows by layer.
 */

import type { Memory, MemoryEntry, RoutingDocument, SourceInfo } from "../records/memory.ts";

/** Keeps one memory. Calls on one store run one after another; a rejected call does not affect later ones. */
export interface Store {
  /** For messages: the folder or the database. */
  readonly name: string;
  /** The memory with every vector bit for bit as saved; null when nothing is stored. Rejects on damage. */
  load(): Promise<Memory | null>;
  /**
   * Replaces all that is stored. This is how facts are deleted: save the memory without them, and when the call
   * resolves no byte of their values, questions or vectors is left. It also begins a memory (without entries)
   * and compacts one made of many batches.
   */
  save(memory: Memory): Promise<void>;
  /**
   * The checkpoint of one encoding batch: adds entries, routing documents and sources to a saved memory.
   * What has an id (an anchor, for routing documents) that is stored already takes its place; the replaced
   * version stays on disk until the next `save`. Rejects when no memory was saved before.
   *
   * To resume after a crash: facts of the loaded routing documents without an entry are still to be encoded.
   */
  append(batch: MemoryBatch): Promise<void>;
  /** Removes the memory; `load` then gives null. */
  clear(): Promise<void>;
}

/** What one step of memorising adds. */
export interface MemoryBatch {
  readonly entries?: readonly MemoryEntry[];
  readonly routing?: readonly RoutingDocument[];
  readonly sources?: readonly SourceInfo[];
}

/** The stored format is newer than this app: nothing is read or written. */
export class StoreVersion extends Error {
  override name = "StoreVersion";
}
