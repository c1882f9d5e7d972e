/** @file The store as the flow sees it. Every call is all or nothing, even if the process dies in it. */

import type { DocumentId, FactId } from "../records/ids.ts";
import type { DeletionRecord, Memory, MemoryEntry, RoutingDocument, SourceInfo } from "../records/memory.ts";
import type { KeptMemory } from "../records/vectors.ts";
import type { Pieces } from "./pieces.ts";

export interface Store {
  readonly name: string;
  /** The memory with every vector bit for bit as saved; null if nothing is stored. Rejects if it is damaged. */
  load(): Promise<Memory | null>;
  /** The memory without its vectors, which are read on demand; a block rejects with {@link StoreChanged} after a change. */
  open(): Promise<KeptMemory | null>;
  /** The memory as parts that are read one after another, for copies and exports; null if nothing is stored. */
  pieces(): Promise<Pieces | null>;
  /** Opaque revision id. Changes on every write, by any writer; null if nothing is stored. */
  revision(): Promise<string | null>;
  save(memory: Memory): Promise<void>;
  /** Replaces the stored memory by `pieces`. */
  take(pieces: Pieces): Promise<{ readonly facts: number }>;
  /** Adds to a saved memory, or replaces by id or anchor; waiting facts become entries. Rejects if no memory was saved. */
  append(batch: Batch): Promise<void>;
  /** Resolves when all appended batches are stored safely; a memory file may delay the write of an append until then. */
  flush(): Promise<void>;
  /**
   * Deletes facts: no byte of them is left. The others are in the order of their texts, so that no place, block or counter shows
   * a deleted one. Unknown ids are ignored. Rejects if no memory was saved, or if a routing document keeps other facts and
   * `removal` lacks its new form.
   */
  remove(removal: Removal): Promise<void>;
}

export interface Batch<E = MemoryEntry> {
  readonly entries?: readonly E[];
  readonly routing?: readonly RoutingDocument[];
  readonly waiting?: Memory["waiting"];
  readonly sources?: readonly SourceInfo[];
  readonly earlier?: Memory["earlier"];
  readonly centres?: Memory["centres"];
}

export interface Removal {
  readonly ids: ReadonlySet<FactId>;
  readonly routing: readonly RoutingDocument[];
  readonly sources: readonly DocumentId[];
  /** Retained facts that were encoded again, with their former ids. */
  readonly entries?: readonly MemoryEntry[];
  /** New ids of retained facts, with their new offsets; `routing` has them already. */
  readonly renamed?: ReadonlyMap<FactId, FactId>;
  /** Sources in a new form. */
  readonly texts?: readonly SourceInfo[];
  readonly record?: DeletionRecord;
}

export class StoreVersion extends Error {
  override name = "StoreVersion";
}

export class StoreChanged extends Error {
  override name = "StoreChanged";
}

export class StoreFull extends Error {
  override name = "StoreFull";
}
