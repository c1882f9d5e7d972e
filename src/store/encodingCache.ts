/**
 * @file The encoding cache: what the frozen model made of a content (the vectors of a fact, a reply, a text's vector),
 * found again by that content alone. Here is what the flow asks of it (sealedCache.ts gives that), and what it asks of
 * its home: inMemoryRows.ts, diskCache.ts (Node), indexedDbCache.ts (browser).
 */

/** Something made, and what it was made of. */
export interface CacheItem {
  /** All that decides the value, as one text. */
  readonly content: string;
  /** Plain data and Float32Arrays. */
  readonly value: unknown;
  /** What it holds traces of: lines of text, prompts, vectors as text. Whoever names one of them can have it removed. */
  readonly traces: readonly string[];
}

/** Values by content. What does not come back is made anew: neither a full cache nor a damaged row ends a run. */
export interface EncodingCache {
  /** Those of `contents` that there is a value of, unread: its place among them, and its rank by when it was first kept. */
  held(contents: readonly string[]): Promise<readonly Held[]>;
  /** The values found, in the order in which they were first kept; `at` is the place of the content asked for. */
  get(contents: readonly string[]): Promise<readonly { readonly at: number; readonly value: unknown }[]>;
  put(items: readonly CacheItem[]): Promise<void>;
  /** Whether any value holds each trace. */
  known(traces: readonly string[]): Promise<readonly boolean[]>;
  /**
   * Removes every value that holds one of `traces`, and every one that shares a trace with a value that holds one of
   * `through`: who has a fact's vectors need not know its words. Looks again afterwards.
   * @throws when it could not be done
   */
  remove(traces: readonly string[], through?: readonly string[]): Promise<Removed>;
}

export interface Held {
  readonly at: number;
  readonly place: number;
}

/** How many values went, and how many of their traces are still held by others. */
export interface Removed {
  readonly removed: number;
  readonly left: number;
}

/** A row as it lies in its home. */
export interface CacheRow {
  readonly key: string;
  /** Salted hashes of its traces. */
  readonly marks: readonly string[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Where rows lie: a table of the browser, a folder, memory. Each call is all or nothing. */
export interface CacheRows {
  /** What keys and marks of this home are hashed with; made when first asked for. */
  salt(): Promise<string>;
  /** The places of those that are there: numbers that grow from row to row as they are put. */
  held(keys: readonly string[]): Promise<readonly { readonly key: string; readonly place: number }[]>;
  /** Those that are there, in the order in which they were put. */
  get(keys: readonly string[]): Promise<readonly CacheRow[]>;
  /** Rows made with another salt than the home's (it was cleared meanwhile) are not kept. */
  put(rows: readonly CacheRow[], salt: string): Promise<void>;
  known(marks: readonly string[]): Promise<readonly boolean[]>;
  /** All marks of the rows that carry one of `marks`. */
  beside(marks: readonly string[]): Promise<readonly string[]>;
  remove(marks: readonly string[]): Promise<number>;
}
