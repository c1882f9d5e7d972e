/** @file One memory in an archive file, for Node. A write replaces the file: a crash leaves the old memory or the new one. */

import { openAsBlob } from "node:fs";
import fs from "node:fs/promises";
import path from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { messageOf } from "../../src/lib/assert.ts";
import { writeMemory } from "../../src/store/archiveFormat.ts";
import { readArchive } from "../../src/store/archiveRead.ts";
import { codeOf, unlessCode, unlessMissing } from "./fileErrors.ts";
import { inMemoryStore, type Home } from "../../src/store/inMemory.ts";
import type { Pieces } from "../../src/store/pieces.ts";
import { StoreFull, type Store } from "../../src/store/port.ts";

/** A lock file without a process id is being created, unless it is older than this. */
const LOCK_MAKING_MS = 2_000;
/** A batch is written once the last write is this many times its own duration ago: every write takes the whole memory. */
const PAUSE = 10;

export interface MemoryFileOptions {
  readonly pause?: number;
  readonly now?: () => number;
}

export function memoryFileStore(file: string, options: MemoryFileOptions = {}): Store {
  return inMemoryStore(file, new MemoryFile(file, options));
}

class MemoryFile implements Home {
  readonly #file: string;
  readonly #pause: number;
  readonly #now: () => number;
  /** Id of the file that was last read or written here; null: there was none; undefined: it was not looked at. */
  #known: string | null | undefined;
  /** The memory to be written, and how many changes it has that the file lacks. */
  #waiting: { readonly memory: () => Pieces; readonly changes: number } | undefined;
  #lastWrite = { took: 0, ended: -Infinity };

  constructor(file: string, { pause = PAUSE, now = () => performance.now() }: MemoryFileOptions) {
    this.#file = file;
    this.#pause = pause;
    this.#now = now;
  }

  async revision(): Promise<string | null> {
    const id = await fileId(this.#file);
    return this.#waiting ? `${id} and ${this.#waiting.changes}` : id;
  }

  async read(): Promise<Pieces | null | undefined> {
    const id = await fileId(this.#file);
    if (id === this.#known) return undefined;
    if (this.#waiting) throw changed(this.#file);
    const memory = id === null ? null : await readArchive(await openAsBlob(this.#file), this.#file);
    this.#known = id;
    return memory;
  }

  async write(memory: () => Pieces, later: boolean): Promise<void> {
    const { took, ended } = this.#lastWrite;
    if (later && this.#now() - ended < this.#pause * took) {
      this.#waiting = { memory, changes: (this.#waiting?.changes ?? 0) + 1 };
      return;
    }
    const started = this.#now();
    const id = await replaceFile(this.#file, memory(), this.#known);
    this.#known = id;
    this.#waiting = undefined;
    this.#lastWrite = { took: this.#now() - started, ended: this.#now() };
  }

  async flush(): Promise<void> {
    if (this.#waiting) await this.write(this.#waiting.memory, false);
  }
}

async function fileId(file: string): Promise<string | null> {
  const found = await unlessCode("ENOTDIR", unlessMissing(fs.stat(file, { bigint: true }), null), null);
  if (found?.isDirectory())
    throw new Error(
      `store: ${file} is a folder; give the path of a memory file, such as ${path.join(file, "memory.zip")}`,
    );
  return found && `${found.ino} ${found.mtimeNs} ${found.size}`;
}

async function replaceFile(
  file: string,
  memory: Pieces,
  known: string | null | undefined,
): Promise<string | null> {
  const temporary = `${file}.new`;
  return guarded(file, async () => {
    await fs.mkdir(path.dirname(file), { recursive: true });
    const unlock = await lock(file);
    try {
      const found = await fileId(file);
      if (known !== undefined && found !== known) throw changed(file);
      await writeSafely(temporary, (write) => writeMemory(memory, packageJson.version, write));
      await fs.rename(temporary, file);
      await syncFolder(path.dirname(file));
      return await fileId(file);
    } finally {
      // Also what a crashed process left, which may hold deleted facts.
      await fs.rm(temporary, { force: true }).catch(() => undefined);
      await unlock();
    }
  });
}

async function writeSafely(
  file: string,
  fill: (write: (bytes: Uint8Array) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const handle = await fs.open(file, "w");
  try {
    await fill((bytes) => handle.writeFile(bytes));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(directory: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await fs.open(directory, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function guarded<T>(file: string, job: () => Promise<T>): Promise<T> {
  try {
    return await job();
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    if (["ENOSPC", "EDQUOT", "EFBIG"].includes(code))
      throw new StoreFull(
        `store: ${file}: the disk is full (${messageOf(error)}). Nothing was lost: the stored memory is unchanged. Free some space there or choose another file, then do the same again.`,
        { cause: error },
      );
    throw new Error(
      `store: ${file}: cannot write (${messageOf(error)}). The stored memory is complete, as it was before or after this change. Check the folder and its permissions, then load it again.`,
      { cause: error },
    );
  }
}

const changed = (file: string): Error =>
  new Error(
    `store: ${file} was changed by another process since it was loaded. Nothing was written: load it again.`,
  );

const held = new Set<string>();

export async function lock(file: string): Promise<() => Promise<void>> {
  const lockFile = path.resolve(`${file}.lock`);
  if (!(await tryLock(lockFile))) {
    await removeStale(file, lockFile);
    if (!(await tryLock(lockFile))) throw busy(file, lockFile, "another process");
  }
  return () => unlock(lockFile);
}

async function unlock(lockFile: string): Promise<void> {
  held.delete(lockFile);
  await fs.rm(lockFile, { force: true });
}

async function tryLock(lockFile: string): Promise<boolean> {
  const handle = await unlessCode("EEXIST", fs.open(lockFile, "wx"), undefined);
  if (!handle) return false;
  held.add(lockFile);
  try {
    await handle.writeFile(`${process.pid}\n`);
    return true;
  } catch (error) {
    await unlock(lockFile);
    throw error;
  } finally {
    await handle.close();
  }
}

/** Id of the process that holds a lock; 0 without a whole line. Only a lock of some age was left by a killed process. */
async function ownerOf(lockFile: string): Promise<number> {
  for (;;) {
    const written = await unlessMissing(fs.readFile(lockFile, "utf8"), "");
    // Without its line end the number may be half of another one.
    const owner = Number(/^(\d+)\n$/.exec(written)?.[1] ?? 0);
    const age = Date.now() - ((await unlessMissing(fs.stat(lockFile), undefined))?.mtimeMs ?? 0);
    if (owner > 0 || age >= LOCK_MAKING_MS) return owner;
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOCK_MAKING_MS - age, 50)));
  }
}

async function removeStale(file: string, lockFile: string): Promise<void> {
  const owner = await ownerOf(lockFile);
  if (owner > 0 && (owner === process.pid ? held.has(lockFile) : isAlive(owner)))
    throw busy(file, lockFile, `process ${owner}`);
  await fs.rm(lockFile, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

const busy = (file: string, lockFile: string, who: string): Error =>
  new Error(
    `store: ${file} is being written by ${who}. Wait for it to end; if there is no such process, remove ${lockFile}.`,
  );
