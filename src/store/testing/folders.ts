/** @file File systems that fail, for tests. */

import type { Folder } from "../folder.ts";

/** A folder in a Map; `files` may be looked at and kept over a "crash". */
export function memoryFolder(
  files = new Map<string, Uint8Array>(),
): Folder & { readonly files: Map<string, Uint8Array> } {
  return {
    name: "made",
    files,
    list: async () => [...files.keys()],
    read: async (name) => files.get(name)?.slice(),
    write: async (name, parts) => {
      files.set(name, new Uint8Array(0));
      for (const part of parts) files.set(name, new Uint8Array(Buffer.concat([files.get(name)!, part])));
    },
    rename: async (from, to) => {
      files.set(to, files.get(from)!);
      files.delete(from);
    },
    remove: async (name) => void files.delete(name),
    sync: async () => undefined,
    lock: async () => async () => undefined,
  };
}

/** Dies at the `steps`-th change of the file system (a part written counts as one) and stays dead. */
export function crashingFolder(folder: Folder, steps: number): Folder & { readonly crashed: () => boolean } {
  let left = steps;
  const step = (): void => {
    if (left <= 0) throw new Error("crash");
    left--;
  };
  return {
    ...folder,
    crashed: () => left <= 0,
    write: async (name, parts) => {
      step();
      function* some(): Generator<Uint8Array> {
        for (const part of parts) {
          yield part.subarray(0, part.length >> 1);
          step();
          yield part.subarray(part.length >> 1);
        }
      }
      await folder.write(name, some());
    },
    rename: async (from, to) => {
      step();
      await folder.rename(from, to);
    },
    remove: async (name) => {
      step();
      await folder.remove(name);
    },
  };
}

/** Has room for `bytes` more; then every write fails as a full disk does, leaving a part. Nothing is given back. */
export function fullFolder(folder: Folder, bytes: number): Folder {
  let left = bytes;
  return {
    ...folder,
    write: (name, parts) => {
      function* fitting(): Generator<Uint8Array> {
        for (const part of parts) {
          if (part.length > left) {
            yield part.subarray(0, left);
            throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
          }
          left -= part.length;
          yield part;
        }
      }
      return folder.write(name, fitting());
    },
  };
}
