/** @file Promises that are kept to be shared. */

/**
 * Returns the cached promise for `key`, or calls `make`. A failure is not cached, so that the caller may free memory and
 * retry.
 */
export function once<K, T>(kept: Map<K, Promise<T>>, key: K, make: () => Promise<T>): Promise<T> {
  const known = kept.get(key);
  if (known) return known;
  const made = make();
  kept.set(key, made);
  made.catch(() => {
    if (kept.get(key) === made) kept.delete(key);
  });
  return made;
}
