import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { afterAll, describe, expect, test } from "vitest";
import { diskFolder, diskStore } from "./disk.ts";
import { folderStore } from "./folderStore.ts";
import { bitsOf, makeEntry, makeMemory, upTo, valueOf } from "./testing/memory.ts";
import { crashingFolder, fullFolder, memoryFolder } from "./testing/folders.ts";

const root = mkdtempSync(path.join(tmpdir(), "palimpsest-failures-"));
afterAll(() => rm(root, { recursive: true }));
let count = 0;
const fresh = (): string => path.join(root, String(count++));

const filesIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory, { recursive: true })).sort();

describe("a crash at any moment leaves the memory before or after the change, whole", () => {
  const before = makeMemory(upTo(6));
  const half = makeMemory([0, 2, 4]);
  const changes = {
    "the first save": { start: null, end: half, run: (s: ReturnType<typeof folderStore>) => s.save(half) },
    "a deletion": { start: before, end: half, run: (s: ReturnType<typeof folderStore>) => s.save(half) },
    "a batch": {
      start: before,
      end: { ...before, entries: [...before.entries, makeEntry(8), makeEntry(9)] },
      run: (s: ReturnType<typeof folderStore>) => s.append({ entries: [makeEntry(8), makeEntry(9)] }),
    },
    clearing: { start: before, end: null, run: (s: ReturnType<typeof folderStore>) => s.clear() },
  };

  test.each(Object.entries(changes))("%s", async (_, { start, end, run }) => {
    const seen = new Set<string>();
    for (let steps = 0; ; steps++) {
      const folder = memoryFolder();
      if (start) await folderStore(folder, "1").save(start);
      const crashing = crashingFolder(folder, steps);
      const outcome = await run(folderStore(crashing, "1")).then(
        () => "completed",
        () => "failed",
      );
      const after = folderStore(folder, "1");
      const found = bitsOf(await after.load());
      const isEnd = isDeepStrictEqual(found, bitsOf(end));
      expect(found).toStrictEqual(bitsOf(isEnd ? end : start));
      if (outcome === "completed") expect(isEnd).toBe(true);
      seen.add(isEnd ? "after" : "before");
      // Whatever the crash left behind is gone once the store was opened again, and it can be used.
      if (isEnd && end === half)
        expect(Buffer.concat([...folder.files.values()]).includes(valueOf(5))).toBe(false);
      await after.save(half);
      expect(bitsOf(await folderStore(folder, "1").load())).toStrictEqual(bitsOf(half));
      if (outcome === "completed") break;
    }
    expect([...seen].sort()).toEqual(["after", "before"]);
  });

  test("a real process killed while it writes loses at most one batch", async () => {
    const directory = fresh();
    const script = new URL("./testing/writer.ts", import.meta.url).pathname;
    const child = spawn(process.execPath, ["--import", "tsx", script, directory], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let reported = 0;
    let ended = false;
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      reported = Number(text.trim().split("\n").at(-1));
      if (reported >= 10 && !ended) ended = child.kill("SIGKILL");
    });
    await once(child, "exit");
    const memory = (await diskStore(directory).load())!;
    expect(memory.entries.length).toBeGreaterThanOrEqual(reported);
    expect(bitsOf(memory.entries)).toStrictEqual(
      bitsOf(upTo(memory.entries.length).map((n) => makeEntry(n))),
    );
    // The dead process's lock does not keep others out.
    await diskStore(directory).save(makeMemory([1]));
  });
});

describe("a full disk", () => {
  const before = makeMemory(upTo(6));

  test("after any number of bytes: the old memory is whole, the error says what to do, a retry succeeds", async () => {
    const directory = fresh();
    await diskStore(directory).save(before);
    const names = await filesIn(directory);
    const folder = diskFolder(directory);
    let failures = 0;
    for (let bytes = 0; ; bytes += 211) {
      const store = folderStore(fullFolder(folder, bytes), "1");
      const error = await store.save(makeMemory(upTo(9))).catch((e: unknown) => e as Error);
      if (!error) break;
      failures++;
      expect(error.message).toMatch(
        /the disk is full \(ENOSPC.*\)\. Nothing was lost: what was stored before is unchanged\. Free some space/,
      );
      expect(await filesIn(directory)).toEqual(names);
      expect(bitsOf(await diskStore(directory).load())).toStrictEqual(bitsOf(before));
    }
    expect(failures).toBeGreaterThan(10);
    expect(bitsOf(await diskStore(directory).load())).toStrictEqual(bitsOf(makeMemory(upTo(9))));
  });

  test("at the first save nothing is stored, and the folder can be used afterwards", async () => {
    const directory = fresh();
    for (const bytes of [0, 100, 700, 2000]) {
      const store = folderStore(fullFolder(diskFolder(directory), bytes), "1");
      await expect(store.save(before)).rejects.toThrow(/the disk is full/);
      expect(await diskStore(directory).load()).toBeNull();
    }
    await diskStore(directory).save(before);
    expect(bitsOf(await diskStore(directory).load())).toStrictEqual(bitsOf(before));
  });

  const mount = path.join(root, "tmpfs");
  const mounted = tryMount(mount);
  afterAll(() => {
    if (mounted) execFileSync("umount", [mount]);
  });

  test.skipIf(!mounted)("of the operating system (a tmpfs of 384 KB)", async () => {
    const ballast = path.join(mount, "ballast");
    await writeFile(ballast, new Uint8Array(64 * 1024));
    const store = diskStore(path.join(mount, "store"));
    await store.save({ ...before, entries: [] });
    let error: Error | undefined;
    let stored = 0;
    for (; !error && stored < 10_000; stored += error ? 0 : 10)
      await store
        .append({ entries: upTo(10).map((n) => makeEntry(stored + n)) })
        .catch((e: unknown) => (error = e as Error));
    expect(error?.message).toMatch(/the disk is full \(ENOSPC.*Nothing was lost/);
    const loaded = (await diskStore(path.join(mount, "store")).load())!;
    expect(bitsOf(loaded.entries)).toStrictEqual(bitsOf(upTo(stored).map((n) => makeEntry(n))));
    await expect(store.save({ ...before, entries: upTo(2000).map((n) => makeEntry(n)) })).rejects.toThrow(
      /the disk is full/,
    );
    // As the message says: some space is freed, and the same is done again.
    await rm(ballast);
    await store.save(makeMemory([1]));
    expect(bitsOf(await store.load())).toStrictEqual(bitsOf(makeMemory([1])));
  });
});

/** Mounts a tmpfs of 384 KB, which needs privileges; false (with the reason printed) where it is not permitted. */
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
