/** @file Test support: the cache in memory, with as much room as a test gives it. */

import type { FileCache } from "../cache.ts";

export interface MemoryCache extends FileCache {
  readonly content: Map<string, Map<string, Uint8Array>>;
  /** Bytes that may be written in all. */
  limit: number;
}

export function memoryCache(limit = Infinity): MemoryCache {
  const content = new Map<string, Map<string, Uint8Array>>();
  const open = new Set<string>();
  const used = (): number =>
    [...content.values()].flatMap((files) => [...files.values()]).reduce((sum, file) => sum + file.length, 0);
  const cache: MemoryCache = {
    content,
    limit,
    folders: async () => [...content.keys()],
    files: async (folder) => new Map([...(content.get(folder) ?? [])].map(([name, b]) => [name, b.length])),
    open: async (folder, name) => {
      const bytes = content.get(folder)?.get(name);
      return bytes && new Blob([bytes.slice()]);
    },
    async writer(folder, name, from) {
      const key = `${folder}/${name}`;
      if (open.has(key)) throw new Error(`${key} is open for writing already`);
      open.add(key);
      const files = content.get(folder) ?? new Map<string, Uint8Array>();
      content.set(folder, files);
      files.set(name, (files.get(name) ?? new Uint8Array()).slice(0, from));
      return {
        async write(bytes) {
          if (used() + bytes.length > cache.limit) throw new DOMException("full", "QuotaExceededError");
          files.set(name, Buffer.concat([files.get(name)!, bytes]));
        },
        async close() {
          open.delete(key);
        },
      };
    },
    async remove(folder, name) {
      if (name === undefined) content.delete(folder);
      else content.get(folder)?.delete(name);
    },
    room: async () => (cache.limit === Infinity ? null : cache.limit - used()),
  };
  return cache;
}
