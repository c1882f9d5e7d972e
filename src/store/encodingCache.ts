/** @file The encoding cache: results of the frozen model by the content that they were computed from (cacheRows.ts). */

export interface CacheItem {
  readonly content: string;
  readonly value: unknown;
  /** Traces in the value: lines of text, prompts, vectors as text. A deletion finds the value by each of them. */
  readonly traces: readonly string[];
}

/** Values by content. A value that is not found is computed again: neither a full cache nor a damaged row ends a run. */
export interface EncodingCache {
  held(contents: readonly string[]): Promise<readonly Held[]>;
  /** The values found, in the order in which they were first stored; `at` is the index in `contents`. */
  get(contents: readonly string[]): Promise<readonly { readonly at: number; readonly value: unknown }[]>;
  put(items: readonly CacheItem[]): Promise<void>;
  known(traces: readonly string[]): Promise<readonly boolean[]>;
  /** Removes values with one of `traces`, or with a trace of a value with one of `through`. @throws if the cache fails */
  remove(
    traces: readonly string[],
    through?: readonly string[],
  ): Promise<Readonly<{ removed: number; left: number }>>;
}

export interface Held {
  readonly at: number;
  readonly place: number;
}
