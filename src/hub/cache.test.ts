/** @file The cache in the browser's file system where that has no room; all else is seen in a browser (e2e/hub.spec.ts). */

import { expect, it } from "vitest";
import { opfsCache } from "./cache.ts";

it("a file is let go where what was written cannot be flushed, so that it can be removed", async () => {
  const full = new DOMException("no room", "QuotaExceededError");
  let closed = 0;
  const handle = {
    write: (bytes: Uint8Array) => bytes.length,
    truncate: () => undefined,
    flush: () => {
      throw full;
    },
    close: () => void closed++,
  };
  const directory = {
    getDirectoryHandle: async () => directory,
    getFileHandle: async () => ({ createSyncAccessHandle: async () => handle }),
  };
  const storage = { getDirectory: async () => directory } as unknown as StorageManager;
  const writer = await opfsCache(storage).writer("made/model", "copy", 0);
  await writer.write(new Uint8Array(8));
  await expect(writer.close()).rejects.toBe(full);
  expect(closed).toBe(1);
});
