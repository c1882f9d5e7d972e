/** @file The encoding cache in a folder, for Node only: one file per row. Several processes may share the folder. */

import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { messageOf } from "../../src/lib/assert.ts";
import { anyNumber, checked, list, object, text } from "../../src/lib/check.ts";
import { randomHex } from "../../src/lib/hash.ts";
import { unlessMissing } from "./fileErrors.ts";
import {
  encodingCache,
  nextPlace,
  valueOf,
  type CacheRow,
  type CacheRows,
} from "../../src/store/cacheRows.ts";
import type { EncodingCache } from "../../src/store/encodingCache.ts";

const ROW = ".row";
const ROW_NAME = /^([0-9a-f]{40})\.row$/;
/** A row that is being written, perhaps by a process that was killed. */
const UNFINISHED_NAME = /^[0-9a-f]{40}\.[0-9a-f]{8}\.new$/;
/** Larger files are not read: a fact of a hundred vectors of a large model has 8 MB. */
const MOST_BYTES = 64 * 2 ** 20;
const MOST_HEAD_BYTES = 2 ** 18;
const SIDE_BY_SIDE = 64;

const head = object({ place: anyNumber, marks: list(text()) });

interface Placed {
  readonly place: number;
  readonly row: CacheRow;
}

export function diskCache(directory: string): EncodingCache {
  const cache = encodingCache(diskRows(directory));
  return {
    ...cache,
    remove: (...traces) =>
      cache.remove(...traces).catch((error: unknown) => {
        throw new Error(
          `store: the encoding cache in ${directory} cannot be searched and cleaned (${messageOf(error)}), so nothing is ` +
            "deleted: results computed from a fact would stay there. Give a folder that can be read and written",
          { cause: error },
        );
      }),
  };
}

export function diskRows(directory: string): CacheRows {
  const at = (name: string): string => path.join(directory, name);
  const namesThere = (): Promise<string[]> => unlessMissing(readdir(directory), []);
  const keysThere = async (): Promise<string[]> =>
    (await namesThere()).flatMap((name) => ROW_NAME.exec(name)?.[1] ?? []);
  /** Removes unfinished rows, which no search finds. A process that is writing one right now loses it. */
  const sweep = async (): Promise<void> => {
    const names = (await namesThere()).filter((name) => UNFINISHED_NAME.test(name));
    await sideBySide(names, (name) => rm(at(name), { force: true, recursive: true }));
  };
  const read = async (key: string): Promise<Placed | undefined> => {
    const file = await unlessMissing(stat(at(key + ROW)), undefined);
    if (!file?.isFile() || file.size > MOST_BYTES) return undefined;
    const bytes = await unlessMissing(readFile(at(key + ROW)), undefined);
    return bytes && parse(key, bytes);
  };
  const marked = async (marks: readonly string[]): Promise<CacheRow[]> => {
    const wanted = new Set(marks);
    return (await all()).filter((row) => row.marks.some((mark) => wanted.has(mark)));
  };
  const all = async (): Promise<CacheRow[]> =>
    (await sideBySide(await keysThere(), read)).flatMap((found) => found?.row ?? []);
  return {
    async held(keys) {
      const found = await sideBySide(keys, read);
      return found.flatMap((one) => (one ? { key: one.row.key, place: one.place } : []));
    },
    async get(keys) {
      const found = (await sideBySide(keys, read)).filter((one) => one !== undefined);
      return found.sort((a, b) => a.place - b.place).map(({ row }) => row);
    },
    async put(rows) {
      await mkdir(directory, { recursive: true });
      const placed = rows.map((row) => ({ row, place: nextPlace() }));
      await sideBySide(placed, async ({ row: { key, marks, bytes }, place }) => {
        const unfinished = at(`${key}.${randomHex(4)}.new`);
        await writeFile(unfinished, [`${JSON.stringify({ place, marks })}\n`, bytes]);
        await rename(unfinished, at(key + ROW));
      });
    },
    async known(marks) {
      const held = new Set((await all()).flatMap((row) => row.marks));
      return marks.map((mark) => held.has(mark));
    },
    beside: async (marks) => (await marked(marks)).flatMap((row) => row.marks),
    async remove(marks) {
      await sweep();
      const wanted = new Set(marks);
      const removed = await sideBySide(await keysThere(), async (key) => {
        const row = (await read(key))?.row;
        const found = row?.marks.some((mark) => wanted.has(mark)) ?? false;
        // A damaged row may have lost the mark that is looked for.
        const goes = found || !row || valueOf(row) === undefined;
        if (goes) await rm(at(key + ROW), { force: true, recursive: true });
        return found;
      });
      return removed.filter(Boolean).length;
    },
  };
}

function parse(key: string, bytes: Buffer): Placed | undefined {
  const end = bytes.indexOf("\n");
  if (end > MOST_HEAD_BYTES) return undefined;
  try {
    const { place, marks } = checked(head, JSON.parse(bytes.toString("utf8", 0, end)), `store: ${key}: `);
    return { place, row: { key, marks, bytes: new Uint8Array(bytes.subarray(end + 1)) } };
  } catch {
    return undefined;
  }
}

async function sideBySide<T, U>(items: readonly T[], job: (item: T) => Promise<U>): Promise<U[]> {
  const done: U[] = [];
  for (let i = 0; i < items.length; i += SIDE_BY_SIDE)
    done.push(...(await Promise.all(items.slice(i, i + SIDE_BY_SIDE).map(job))));
  return done;
}
