/** @file Test support for memory files: their content unpacked, file systems that fail, and a disk that is full. */

import fs from "node:fs/promises";
import path from "node:path";
import { vi } from "vitest";
import { filesOf } from "./archives.ts";

/** Every file in a folder and below; instead of an archive, the files in it. */
export async function contentOf(folder: string): Promise<Uint8Array[]> {
  const found = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const files = found
    .filter((one) => one.isFile())
    .map((one) => fs.readFile(path.join(one.parentPath, one.name)));
  const unpacked = (await Promise.all(files)).map(async (bytes) =>
    bytes.toString("latin1", 0, 2) === "PK" ? [...(await filesOf(bytes)).values()] : [bytes],
  );
  return (await Promise.all(unpacked)).flat();
}

/** Runs `job` while files may take `room` bytes together: a longer write fails as on a full disk, and leaves a part. */
export function onFullDisk<T>(room: number, job: () => Promise<T>): Promise<T> {
  let left = room;
  return replacing(async (bytes, write) => {
    const part = bytes.subarray(0, left);
    left -= part.length;
    await write(part);
    if (part.length < bytes.length)
      throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  }, job);
}

/** Runs `job` in a process that dies at the `steps`-th change of the file system, and stays dead. */
export async function crashing<T>(steps: number, job: () => Promise<T>): Promise<T> {
  let left = steps;
  const step = (): void => {
    if (left-- <= 0) throw new Error("crash");
  };
  const { rename, rm } = fs;
  const spies = [
    vi.spyOn(fs, "rename").mockImplementation(async (...args) => {
      step();
      await rename(...args);
    }),
    vi.spyOn(fs, "rm").mockImplementation(async (...args) => {
      step();
      await rm(...args);
    }),
  ];
  try {
    return await replacing(async (bytes, write) => {
      step();
      await write(bytes.subarray(0, bytes.length >> 1));
      step();
      await write(bytes.subarray(bytes.length >> 1));
    }, job);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** Runs `job` with `write` in place of every write to an open file. */
async function replacing<T>(
  write: (bytes: Uint8Array, to: (part: Uint8Array) => Promise<void>) => Promise<void>,
  job: () => Promise<T>,
): Promise<T> {
  const { open } = fs;
  const spy = vi.spyOn(fs, "open").mockImplementation(async (...args) => {
    const handle = await open(...args);
    const original = handle.writeFile.bind(handle);
    return Object.assign(handle, {
      writeFile: async (data: string | Uint8Array) =>
        write(new Uint8Array(Buffer.from(data as string)), (part) => original(part)),
    });
  });
  try {
    return await job();
  } finally {
    spy.mockRestore();
  }
}
