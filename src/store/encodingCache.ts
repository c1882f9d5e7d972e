/**
 * @file The encoding cache as the flow uses it: results of the frozen model (the vectors of a fact, a reply, the vector of a
 * text), found again by the content that they were computed from. cacheRows.ts implements it.
 */

/** A result, and what it was computed from. */
export interface CacheItem {
  /** Everything that determines the value, as one text. */
  readonly content: string;
  /** Plain data and Float32Arrays. */
  readonly value: unknown;
  /** Traces in the value: lines of text, prompts, vectors as text. A deletion finds the value by each of them. */
  readonly traces: readonly string[];
}

/** Values by content. A value that is not found is computed again: neither a full cache nor a damaged row ends a run. */
export interface EncodingCache {
  /** The contents that have a value, without reading it. */
  held(contents: readonly string[]): Promise<readonly Held[]>;
  /** The values found, in the order in which they were first stored; `at` is the index in `contents`. */
  get(contents: readonly string[]): Promise<readonly { readonly at: number; readonly value: unknown }[]>;
  put(items: readonly CacheItem[]): Promise<void>;
  /** Whether any value holds each trace. */
  known(traces: readonly string[]): Promise<readonly boolean[]>;
  /**
   * Removes every value that holds one of `traces`, and every value that shares a trace with a value that holds one of
   * `through`: a caller that has the vectors of a fact need not know its words. Looks again afterwards.
   * @throws if the cache cannot be searched or changed
   */
  remove(traces: readonly string[], through?: readonly string[]): Promise<Removed>;
}

export interface Held {
  /** Index in the contents asked for. */
  readonly at: number;
  /** Rank by the time when the value was first stored. */
  readonly place: number;
}

/** How many values were removed, and how many of their traces other values still hold. */
export interface Removed {
  readonly removed: number;
  readonly left: number;
}
