/**
 * @file The store as the flow sees it. Every call is all or nothing: when it rejects, or the process dies in it,
 * the memory is exactly as before the call (or as after it, where it had just been completed).
 * Implementations: inMemory.ts, disk.ts (Node), indexedDb.ts (browser).
 */

import type { DocumentId, FactId } from "../records/ids.ts";
import type { Memory, MemoryEntry, RoutingDocument, SourceInfo } from "../records/memory.ts";
import type { KeptMemory } from "../records/vectors.ts";
import type { Pieces } from "./pieces.ts";

/** Keeps one memory. Calls on one store run one after another; a rejected call does not affect later ones. */
export interface Store {
  /** For messages: the folder or the database. */
  readonly name: string;
  /** The memory with every vector bit for bit as saved; null when nothing is stored. Rejects on damage. */
  load(): Promise<Memory | null>;
  /**
   * The memory without its vectors, which are read block by block when they are asked for; null when nothing is stored.
   * A block rejects with {@link StoreChanged} where the memory was changed since.
   */
  open(): Promise<KeptMemory | null>;
  /**
   * The memory block by block, with all that is stored of it; null when nothing is. A block rejects as those of `open` do.
   */
  pieces(): Promise<Pieces | null>;
  /**
   * A name for what is stored now, which every change renews, by whomever it is made; null when nothing is stored. Whoever
   * keeps a loaded memory sees by it that it is no longer that.
   */
  revision(): Promise<string | null>;
  /**
   * Replaces all that is stored: when the call resolves, nothing is left of what is not in `memory`. It also begins
   * a memory (without entries).
   */
  save(memory: Memory): Promise<void>;
  /**
   * As `save`, of a memory that comes in blocks, which may be made of this store's own `pieces`: when one of them rejects, all
   * is as before.
   */
  take(pieces: Pieces): Promise<{ readonly facts: number }>;
  /**
   * The checkpoint of one encoding batch: adds entries, routing documents and sources to a saved memory.
   * What has an id (an anchor, for routing documents) that is stored already takes its place; the replaced
   * version may stay on disk until the next `save`. Rejects when no memory was saved before.
   *
   * To resume after a crash: facts of the loaded routing documents without an entry are still to be encoded.
   */
  append(batch: MemoryBatch): Promise<void>;
  /** Resolves when all appended batches are stored safely; a memory file may delay the write of an append until then. */
  flush(): Promise<void>;
  /**
   * Deletes facts: when the call resolves, no byte of their values, questions, keys, residuals or vectors is left.
   * Only what held them is written anew. Ids that are not stored are passed over. Rejects when no memory was saved
   * before, and when a routing document keeps other facts but `removal` does not say what it is without the deleted.
   */
  remove(removal: Removal): Promise<void>;
  /** Removes the memory; `load` then gives null. */
  clear(): Promise<void>;
}

/** What one step of memorising adds. */
export interface MemoryBatch {
  readonly entries?: readonly MemoryEntry[];
  readonly routing?: readonly RoutingDocument[];
  readonly sources?: readonly SourceInfo[];
  /** All of `Memory.earlier` from now on, where entries name more of it than before. */
  readonly earlier?: Memory["earlier"];
  /** All of `Memory.centres` from now on, where entries lie at a layer that had no key before. */
  readonly centres?: Memory["centres"];
}

/** Facts to be deleted, and what changes around them. */
export interface Removal {
  readonly ids: ReadonlySet<FactId>;
  /**
   * New forms of the routing documents that keep other facts, taking the place of those with the same anchor.
   * A document all of whose facts are deleted goes by itself.
   */
  readonly routing: readonly RoutingDocument[];
  /** Sources of which nothing is left. */
  readonly sources: readonly DocumentId[];
}

/** The stored format has another version than this app reads: nothing is read or written. */
export class StoreVersion extends Error {
  override name = "StoreVersion";
}

/** What was opened is no longer what is stored: open it again. */
export class StoreChanged extends Error {
  override name = "StoreChanged";
}

/** There is no room; everything stored before is as it was. Numbers in bytes, null where they are not known. */
export class StoreFull extends Error {
  override name = "StoreFull";
  readonly usage: number | null;
  readonly quota: number | null;

  constructor(
    message: string,
    { usage, quota, cause }: { usage: number | null; quota: number | null; cause?: unknown },
  ) {
    super(message, { cause });
    this.usage = usage;
    this.quota = quota;
  }
}
