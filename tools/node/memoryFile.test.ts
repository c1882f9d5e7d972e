import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { rounds } from "../../src/lib/testing/thorough.ts";
import type { MemoryEntry } from "../../src/records/memory.ts";
import { exportMemory } from "../../src/store/archive.ts";
import { lock, memoryFileStore } from "./memoryFile.ts";
import { StoreFull, type Store } from "../../src/store/port.ts";
import { changedArchive } from "../../src/store/testing/archives.ts";
import {
  bitsOf,
  makeEntry,
  makeMemory,
  removalOf,
  upTo,
  digestFor,
  termsOf,
} from "../../src/store/testing/memory.ts";
import { contentOf, crashing, onFullDisk } from "../../src/store/testing/memoryFiles.ts";

const root = mkdtempSync(path.join(tmpdir(), "palimpsest-file-"));
afterAll(() => rm(root, { recursive: true }));
let count = 0;
/** A path of a folder of its own. */
const fresh = (): string => path.join(root, String(count++), "memory.zip");
const filesBeside = (file: string): Promise<string[]> => readdir(path.dirname(file));
const always = (file: string): Store => memoryFileStore(file, { pause: 0 });

async function saved(facts: readonly number[]): Promise<string> {
  const file = fresh();
  await always(file).save(makeMemory(facts));
  return file;
}

describe("the file", () => {
  test("is an archive, alone in its folder", async () => {
    const file = await saved(upTo(9));
    expect(await filesBeside(file)).toEqual(["memory.zip"]);
    const archive = Buffer.from(await (await exportMemory(always(file), "1.0.0-beta")).arrayBuffer());
    expect(archive.subarray(0, 2).toString()).toBe("PK");
    expect(bitsOf(await always(file).load())).toStrictEqual(bitsOf(makeMemory(upTo(9))));
  });

  test("holds no hash or number of a deleted fact", async () => {
    const file = await saved(upTo(9));
    const memory = makeMemory(upTo(9));
    const found = async (n: number): Promise<boolean[]> => {
      const all = Buffer.concat(await contentOf(path.dirname(file)));
      const numbers = ({ key, residual }: MemoryEntry): Buffer[] =>
        [key, residual].map((one) => Buffer.from(one.buffer, one.byteOffset, one.byteLength));
      return [termsOf(n), digestFor(n), ...numbers(memory.entries[n]!)].map((what) => all.includes(what));
    };
    expect(await found(4)).toEqual([true, true, true, true]);
    await always(file).remove(removalOf(memory, [4]));
    expect(await found(4)).toEqual([false, false, false, false]);
    expect(await found(5)).toEqual([true, true, true, true]);
    expect(await filesBeside(file)).toEqual(["memory.zip"]);
  });

  test("is not written again before ten times the duration of the last write", async () => {
    let time = 0;
    const file = fresh();
    const store = memoryFileStore(file, { now: () => (time += 5) });
    await store.save(makeMemory([]));
    const written: number[] = [];
    for (let n = 0; n < 30; n++) {
      const before = (await stat(file)).mtimeMs;
      const revision = await store.revision();
      await store.append({ entries: [makeEntry(n)] });
      expect(await store.revision()).not.toBe(revision);
      if ((await stat(file)).mtimeMs !== before) written.push(n);
    }
    expect(written.length).toBeGreaterThan(1);
    expect(written.length).toBeLessThan(5);
    const kept = (await always(file).load())!.entries;
    expect(bitsOf(kept)).toStrictEqual(bitsOf(upTo(kept.length).map((n) => makeEntry(n))));
    expect((await store.load())!.entries).toHaveLength(30);
    await store.flush();
    expect((await always(file).load())!.entries).toHaveLength(30);
  });
});

describe("what cannot be a memory file is refused with what to do, and left as it was", () => {
  const refused = async (file: string, message: RegExp | string): Promise<void> => {
    const before = await readFile(file);
    await expect(always(file).load()).rejects.toThrow(message);
    await expect(always(file).append({ entries: [makeEntry(1)] })).rejects.toThrow(message);
    expect((await readFile(file)).equals(before)).toBe(true);
    expect(await filesBeside(file)).toEqual(["memory.zip"]);
  };

  test("a folder", async () => {
    const folder = path.dirname(await saved([1]));
    const message = `store: ${folder} is a folder; give the path of a memory file, such as ${folder}/memory.zip`;
    for (const call of [always(folder).load(), always(folder).save(makeMemory([1]))])
      await expect(call).rejects.toThrow(message);
    expect(await readdir(folder)).toEqual(["memory.zip"]);
  });

  test("a path below a file", async () => {
    const below = path.join(await saved([1]), "memory.zip");
    expect(await always(below).load()).toBeNull();
    await expect(always(below).save(makeMemory([1]))).rejects.toThrow(/cannot write \(E/);
  });

  test("a file that was cut off, or is of another kind", async () => {
    const file = await saved(upTo(9));
    await truncate(file, 600);
    await refused(file, /memory\.zip.*(is not a zip archive|damaged|truncated)/);
    await writeFile(file, "notes");
    await refused(file, /memory\.zip.*zip archive/);
  });

  test("an archive of another version, or with a value that no version has", async () => {
    const file = fresh();
    await mkdir(path.dirname(file));
    const change = async (from: string, to: string) =>
      writeFile(
        file,
        await changedArchive(makeMemory(upTo(6)), "manifest.json", (s) => s.replace(from, to), true),
      );
    await change('"version": 1', '"version": 9');
    await refused(file, /has format 9; this version of Palimpsest reads format 1/);
    await change('"read": "top1"', '"read": "banana"');
    await refused(file, /memory\.params\.read must be one of: top1, soft; found "banana"/);
    await change('"layers": 4', '"layers": "4"');
    await refused(file, /model\.layers is "4"; a whole number/);
  });
});

describe("two processes", () => {
  test("one that loaded an older state may not overwrite a newer one", async () => {
    const file = await saved([1]);
    const slow = always(file);
    await slow.load();
    await always(file).save(makeMemory([1, 2]));
    for (const call of [
      slow.save(makeMemory([3])),
      slow.append({ entries: [makeEntry(3)] }),
      slow.remove(removalOf(makeMemory([1]), [1])),
    ])
      await expect(call).rejects.toThrow(/was changed by another process since it was loaded.*load it again/);
    await slow.load();
    await slow.save(makeMemory([3]));
    expect((await always(file).load())!.entries).toHaveLength(1);
  });

  test("one that saw no file may not overwrite what came meanwhile", async () => {
    const file = fresh();
    const slow = always(file);
    expect(await slow.load()).toBeNull();
    await always(file).save(makeMemory([1]));
    await expect(slow.save(makeMemory([3]))).rejects.toThrow(/changed by another process/);
  });

  test("only one writes at a time; the lock of a dead one is no hindrance", async () => {
    const file = await saved([1]);
    const unlock = await lock(file);
    await expect(always(file).save(makeMemory([2]))).rejects.toThrow(
      `store: ${file} is being written by process ${process.pid}. Wait for it to end; if there is no such process, remove ${file}.lock.`,
    );
    expect((await always(file).load())!.entries).toHaveLength(1);
    await unlock();
    await writeFile(`${file}.lock`, "999999999\n");
    await always(file).save(makeMemory([2, 3]));
    expect(await filesBeside(file)).toEqual(["memory.zip"]);
  });

  test("a lock without a process number is waited for while it may be in the making", async () => {
    const file = await saved([1]);
    // Made and filled a moment later by a process that lives: this one's parent.
    await writeFile(`${file}.lock`, "");
    const filled = setTimeout(() => void writeFile(`${file}.lock`, `${process.ppid}\n`), 200);
    await expect(always(file).save(makeMemory([2]))).rejects.toThrow(`by process ${process.ppid}`);
    clearTimeout(filled);
    // Left empty by a process that was killed while it made it.
    await writeFile(`${file}.lock`, "");
    const started = Date.now();
    await always(file).save(makeMemory([2]));
    expect(Date.now() - started).toBeGreaterThan(1000);
    expect((await always(file).load())!.entries).toHaveLength(1);
  });
});

describe("a crash at any moment leaves the memory before or after the change, whole", () => {
  const before = makeMemory(upTo(6));
  const half = makeMemory([0, 2, 4]);
  const changes = {
    "the first save": { start: null, end: half, run: (s: Store) => s.save(half) },
    "a deletion": { start: before, end: half, run: (s: Store) => s.save(half) },
    "a batch": {
      start: before,
      end: { ...before, entries: [...before.entries, makeEntry(8), makeEntry(9)] },
      run: (s: Store) => s.append({ entries: [makeEntry(8), makeEntry(9)] }),
    },
  };

  test.each(Object.entries(changes))("%s", async (_, { start, end, run }) => {
    const seen = new Set<string>();
    for (let steps = 0; ; steps += rounds(7, 1)) {
      const file = fresh();
      if (start) await always(file).save(start);
      const outcome = await crashing(steps, () => run(always(file))).then(
        () => "completed",
        () => "failed",
      );
      const after = always(file);
      const found = bitsOf(await after.load());
      const isEnd = isDeepStrictEqual(found, bitsOf(end));
      expect(found).toStrictEqual(bitsOf(isEnd ? end : start));
      if (outcome === "completed") expect(isEnd).toBe(true);
      seen.add(isEnd ? "after" : "before");
      // The next write removes what the crash left behind.
      await after.save(half);
      expect(bitsOf(await always(file).load())).toStrictEqual(bitsOf(half));
      expect(await filesBeside(file)).toEqual(["memory.zip"]);
      if (outcome === "completed") break;
    }
    expect([...seen].sort()).toEqual(["after", "before"]);
  });

  test("a real process killed while it writes loses at most one batch", async () => {
    const file = fresh();
    const script = new URL("../../src/store/testing/writer.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, ["--import", "tsx", script, file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let reported = 0;
    let ended = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      reported = Number(text.trim().split("\n").at(-1));
      if (reported >= 10 && !ended) ended = child.kill("SIGKILL");
    });
    await once(child, "exit");
    const memory = (await always(file).load())!;
    expect(memory.entries.length).toBeGreaterThanOrEqual(reported);
    expect(bitsOf(memory.entries)).toStrictEqual(
      bitsOf(upTo(memory.entries.length).map((n) => makeEntry(n))),
    );
    // The dead process's lock does not keep others out.
    await always(file).save(makeMemory([1]));
    expect(await filesBeside(file)).toEqual(["memory.zip"]);
  });
});

describe("a full disk", () => {
  const before = makeMemory(upTo(6));

  test("after any number of bytes: the old memory is whole, the error says what to do, a retry succeeds", async () => {
    const file = await saved(upTo(6));
    let failures = 0;
    for (let bytes = 0; ; bytes += rounds(1300, 211)) {
      const error = await onFullDisk(bytes, () => always(file).save(makeMemory(upTo(9)))).catch(
        (e: unknown) => e as Error,
      );
      if (!error) break;
      failures++;
      expect(error).toBeInstanceOf(StoreFull);
      expect(error.message).toMatch(
        /the disk is full \(ENOSPC.*\)\. Nothing was lost: the stored memory is unchanged\. Free some space/,
      );
      expect(bitsOf(await always(file).load())).toStrictEqual(bitsOf(before));
    }
    expect(failures).toBeGreaterThan(3);
    expect(bitsOf(await always(file).load())).toStrictEqual(bitsOf(makeMemory(upTo(9))));
    expect(await filesBeside(file)).toEqual(["memory.zip"]);
  });

  test("a batch that does not fit is not in the store, and can be appended again", async () => {
    const file = await saved(upTo(6));
    const store = always(file);
    const append = () => store.append({ entries: [makeEntry(8)] });
    await expect(onFullDisk(300, append)).rejects.toThrow(/the disk is full/);
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(before));
    await append();
    expect((await always(file).load())!.entries).toHaveLength(7);
  });

  const mount = path.join(root, "tmpfs");
  const mounted = tryMount(mount);
  afterAll(() => {
    if (mounted) execFileSync("umount", [mount]);
  });

  test.skipIf(!mounted)("of the operating system (a tmpfs of 384 KB)", async () => {
    const ballast = path.join(mount, "ballast");
    await writeFile(ballast, new Uint8Array(64 * 1024));
    const file = path.join(mount, "memory.zip");
    const store = always(file);
    await store.save({ ...before, entries: [] });
    let error: Error | undefined;
    let stored = 0;
    for (; !error && stored < 10_000; stored += error ? 0 : 50)
      await store
        .append({ entries: upTo(50).map((n) => makeEntry(stored + n)) })
        .catch((e: unknown) => (error = e as Error));
    expect(error?.message).toMatch(/the disk is full \(ENOSPC.*Nothing was lost/);
    const loaded = (await always(file).load())!;
    expect(bitsOf(loaded.entries)).toStrictEqual(bitsOf(upTo(stored).map((n) => makeEntry(n))));
    await rm(ballast);
    await store.save(makeMemory([1]));
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(makeMemory([1])));
  });
});

/** Mounts a tmpfs of 384 KB, which needs privileges; false (with the reason printed) if it is not permitted. */
function tryMount(directory: string): boolean {
  try {
    execFileSync("mkdir", ["-p", directory]);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=384k", "tmpfs", directory], { stdio: "pipe" });
    return true;
  } catch (error) {
    console.warn(`skipped: the full-disk test on a tmpfs, because it cannot be mounted: ${String(error)}`);
    return false;
  }
}
