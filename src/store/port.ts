/**
 * @file The store as the flow sees it. Every call is all or nothing: if it rejects, or the process dies in it, the memory is
 * exactly as before the call, or as after it if the call had just completed.
 * Implementations: inMemory.ts, memoryFile.ts (Node), indexedDb.ts (browser).
 */

import type { DocumentId, FactId } from "../records/ids.ts";
import type { Memory, MemoryEntry, RoutingDocument, SourceInfo } from "../records/memory.ts";
import type { KeptMemory } from "../records/vectors.ts";
import type { Pieces } from "./pieces.ts";

/** Keeps one memory. Calls on one store run one after another; a rejected call does not affect later ones. */
export interface Store {
  /** The file or the database, for messages. */
  readonly name: string;
  /** The memory with every vector bit for bit as saved; null if nothing is stored. Rejects if it is damaged. */
  load(): Promise<Memory | null>;
  /**
   * The memory without its vectors, which are read block by block on demand; null if nothing is stored.
   * A block rejects with {@link StoreChanged} if the memory has changed since.
   */
  open(): Promise<KeptMemory | null>;
  /**
   * The whole memory, block by block; null if nothing is stored. A block rejects as those of `open` do.
   */
  pieces(): Promise<Pieces | null>;
  /**
   * Opaque revision id, which changes on every write by any writer; null if nothing is stored. It shows whether a loaded
   * memory is still current.
   */
  revision(): Promise<string | null>;
  /**
   * Replaces the stored memory: when the call resolves, nothing else is left. It also starts a memory (without entries).
   */
  save(memory: Memory): Promise<void>;
  /**
   * Saves a memory that comes in blocks, which may be read from this store's own `pieces`. If a block rejects, the stored
   * memory is unchanged.
   */
  take(pieces: Pieces): Promise<{ readonly facts: number }>;
  /**
   * The checkpoint of one encoding batch: adds entries, routing documents and sources to a saved memory.
   * Entries and sources replace those with the same id, routing documents those with the same anchor.
   * Rejects if no memory was saved before.
   *
   * To resume after a crash: facts of the loaded routing documents without an entry are still to be encoded.
   */
  append(batch: Batch): Promise<void>;
  /** Resolves when all appended batches are stored safely; a memory file may delay the write of an append until then. */
  flush(): Promise<void>;
  /**
   * Deletes facts: when the call resolves, no byte of their values, questions, keys, residuals or vectors is left.
   * Ids that are not stored are ignored. Rejects if no memory was saved before, or if a routing document keeps other facts
   * and `removal` does not contain its new form.
   */
  remove(removal: Removal): Promise<void>;
  /** Removes the memory; `load` then returns null. */
  clear(): Promise<void>;
}

/** Additions of one step of memorising. */
export interface Batch {
  readonly entries?: readonly MemoryEntry[];
  readonly routing?: readonly RoutingDocument[];
  readonly sources?: readonly SourceInfo[];
  /** The new `Memory.earlier`, if entries refer to more of it than before. */
  readonly earlier?: Memory["earlier"];
  /** The new `Memory.centres`, if entries are at a layer that had no key before. */
  readonly centres?: Memory["centres"];
}

/** Facts to delete, and the changes that follow from it. */
export interface Removal {
  readonly ids: ReadonlySet<FactId>;
  /**
   * New forms of the routing documents that keep other facts; they replace those with the same anchor.
   * A document is removed if all of its facts are deleted.
   */
  readonly routing: readonly RoutingDocument[];
  /** Sources that have no fact left. */
  readonly sources: readonly DocumentId[];
}

/** The stored format has another version than this app reads: nothing is read or written. */
export class StoreVersion extends Error {
  override name = "StoreVersion";
}

/** The stored memory has changed since it was opened: open it again. */
export class StoreChanged extends Error {
  override name = "StoreChanged";
}

/** There is no room; everything stored before is unchanged. Numbers in bytes, null if unknown. */
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
