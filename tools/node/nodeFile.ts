/** @file Weights on disk, for Node only: nothing a browser loads may import this file. */

import { open, readdir } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import path from "node:path";
import type { ModelFiles } from "../../src/weights/modelFiles.ts";
import { byteSource, shortRead } from "../../src/weights/source.ts";
import type { ByteSource } from "../../src/weights/source.ts";

/** Opens a file on disk; `close` it when the load is over. Rejects when it cannot be opened. */
export async function nodeFileSource(file: string): Promise<ByteSource> {
  const handle = await open(file, "r");
  const { size } = await handle.stat();
  return byteSource({
    name: file,
    size,
    async readInto(start, into) {
      const filled = await fillFrom(handle, start, into);
      if (filled < into.length) throw shortRead(file, start, into.length, filled);
    },
    close: () => handle.close(),
  });
}

/** One read may return less than asked (at most 2 GiB at a time on Linux), so it is repeated to the end. */
async function fillFrom(handle: FileHandle, start: number, into: Uint8Array): Promise<number> {
  let at = 0;
  while (at < into.length) {
    const { bytesRead } = await handle.read(into, at, into.length - at, start + at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return at;
}

/** Where transformers.js has weights. */
const ONNX = "onnx";

/** A model folder on disk, with the weights that lie in its folder `onnx`. Rejects when it cannot be listed. */
export async function nodeModelFiles(directory: string): Promise<ModelFiles> {
  const entries = await readdir(directory, { withFileTypes: true });
  const own = entries.filter((entry) => !entry.isDirectory()).map((entry) => entry.name);
  const hasOnnx = entries.some((entry) => entry.isDirectory() && entry.name === ONNX);
  const inside = hasOnnx ? await readdir(path.join(directory, ONNX)) : [];
  const names = [...own, ...inside.map((name) => `${ONNX}/${name}`)];
  return {
    name: directory,
    names,
    open: async (name) => (names.includes(name) ? nodeFileSource(path.join(directory, name)) : undefined),
  };
}
