/** @file Promises that are kept to be shared. */

/**
 * What `make` gave for `key` before, or gives now. A failure is not kept: it may have been the machine's, and the caller
 * may free memory and try again.
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
