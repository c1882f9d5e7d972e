/** @file The store on disk, for Node only: nothing a browser loads may import this file. */

import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { codeOf, unlessCode, unlessMissing } from "./fileErrors.ts";
import type { Folder } from "./folder.ts";
import { folderStore } from "./folderStore.ts";
import type { Store } from "./port.ts";

const LOCK = "lock";
/** A lock without a process number is one being made, unless it is older than this. */
const LOCK_MAKING_MS = 2_000;
const CHUNK_BYTES = 2 ** 20;

/**
 * The memory kept in `directory`, which is made at the first save:
 * manifest.json, facts-N.jsonl, routing-N.jsonl, vectors/layer-L-N.safetensors, vectors/routing-N.safetensors.
 */
export function diskStore(directory: string): Store {
  return folderStore(diskFolder(directory), packageJson.version);
}

/** `directory` as a {@link Folder}. */
export function diskFolder(directory: string): Folder {
  const at = (name: string): string => path.join(directory, name);
  return {
    name: directory,
    list: async () => [
      ...(await listFiles(directory)),
      ...(await listFiles(at("vectors"))).map((name) => `vectors/${name}`),
    ],
    read: (name) => unlessMissing(readFile(at(name)), undefined),
    write: (name, parts) => writeSafely(at(name), parts),
    rename: (from, to) => rename(at(from), at(to)),
    remove: (name) => rm(at(name), { force: true }),
    sync: async () => {
      await syncFolder(at("vectors"));
      await syncFolder(directory);
    },
    lock: () => lock(directory),
  };
}

async function listFiles(directory: string): Promise<string[]> {
  const entries = await unlessMissing(readdir(directory, { withFileTypes: true }), []);
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

async function writeSafely(file: string, parts: Iterable<Uint8Array>): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const handle = await open(file, "w");
  try {
    for (const chunk of chunked(parts)) await handle.writeFile(chunk);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Rows of a few KB joined to chunks of about 1 MiB: one system call each. */
function* chunked(parts: Iterable<Uint8Array>): Generator<Uint8Array> {
  let held: Uint8Array[] = [];
  let size = 0;
  for (const part of parts) {
    held.push(part);
    size += part.length;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(held);
    held = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(held);
}

/** Makes the names in a folder durable; Windows has no such call and needs none. */
async function syncFolder(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await unlessMissing(open(directory, "r"), undefined);
  try {
    await handle?.sync();
  } finally {
    await handle?.close();
  }
}

// --- one writer at a time, across processes ---

/** Folders locked by this process. */
const held = new Set<string>();

async function lock(directory: string): Promise<() => Promise<void>> {
  const file = path.resolve(directory, LOCK);
  await mkdir(directory, { recursive: true });
  if (!(await tryLock(file))) {
    await removeStale(file);
    if (!(await tryLock(file))) throw busy(file, "another process");
  }
  return () => unlock(file);
}

async function unlock(file: string): Promise<void> {
  held.delete(file);
  await rm(file, { force: true });
}

async function tryLock(file: string): Promise<boolean> {
  const handle = await unlessCode("EEXIST", open(file, "wx"), undefined);
  if (!handle) return false;
  held.add(file);
  try {
    await handle.writeFile(`${process.pid}\n`);
    return true;
  } catch (error) {
    await unlock(file);
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * The process that holds a lock; 0 when none is written in it. A lock is empty for a moment while it is made, and for
 * good when its process was killed in that moment: the difference is time.
 */
async function ownerOf(file: string): Promise<number> {
  for (;;) {
    const owner = Number(await unlessMissing(readFile(file, "utf8"), "0"));
    const age = Date.now() - ((await unlessMissing(stat(file), undefined))?.mtimeMs ?? 0);
    if (owner > 0 || age >= LOCK_MAKING_MS) return owner > 0 ? owner : 0;
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOCK_MAKING_MS - age, 50)));
  }
}

/** Removes a lock whose process is gone; throws when it is at work. */
async function removeStale(file: string): Promise<void> {
  const owner = await ownerOf(file);
  if (owner > 0 && (owner === process.pid ? held.has(file) : isAlive(owner))) {
    throw busy(file, `process ${owner}`);
  }
  await rm(file, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

function busy(file: string, who: string): Error {
  return new Error(
    `store: ${path.dirname(file)} is being written by ${who}. Wait for it to end; if there is no such process, remove ${file}.`,
  );
}
