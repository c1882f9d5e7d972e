/** @file Rows of the encoding cache in memory, for tests. */

import type { CacheRow, CacheRows } from "../cacheRows.ts";

export function inMemoryRows(): CacheRows & { readonly rows: Map<string, CacheRow> } {
  const rows = new Map<string, CacheRow>();
  const marked = (marks: readonly string[]): CacheRow[] =>
    [...rows.values()].filter((row) => row.marks.some((mark) => marks.includes(mark)));
  return {
    rows,
    held: async (keys) => {
      const wanted = new Set(keys);
      return [...rows.keys()].flatMap((key, place) => (wanted.has(key) ? { key, place } : []));
    },
    get: async (keys) => {
      const wanted = new Set(keys);
      return [...rows.values()].filter(({ key }) => wanted.has(key));
    },
    async put(added) {
      for (const row of added) {
        rows.delete(row.key);
        rows.set(row.key, row);
      }
    },
    known: async (marks) => marks.map((mark) => marked([mark]).length > 0),
    beside: async (marks) => marked(marks).flatMap((row) => row.marks),
    async remove(marks) {
      const gone = marked(marks);
      for (const { key } of gone) rows.delete(key);
      return gone.length;
    },
  };
}
