/**
 * @file The encoding cache in a folder, for Node only: a file a row, put in its place in one step, so that several
 * processes may share the folder. It grows until somebody removes it.
 */

import { link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import { messageOf } from "../lib/assert.ts";
import { checked, record, text, anyNumber } from "../lib/check.ts";
import { randomHex } from "../lib/hash.ts";
import { unlessCode, unlessMissing } from "./fileErrors.ts";
import type { CacheRow, CacheRows, EncodingCache } from "./encodingCache.ts";
import { nextPlace, sealedCache } from "./sealedCache.ts";

const SALT = "salt";
const SALT_BYTES = 16;
const SALT_TEXT = /^[0-9a-f]{32}$/;
const ROW = ".row";
const ROW_NAME = /^([0-9a-f]{40})\.row$/;
/** Of a row that was being written, perhaps by a process that was killed at it. */
const UNFINISHED_NAME = /^[0-9a-f]{40}\.[0-9a-f]{8}\.new$/;
/** No row of ours comes near it: a fact of a hundred vectors of a large model has 8 MB. */
const MOST_BYTES = 64 * 2 ** 20;
/** Of the first line: marks of a few thousand traces. */
const MOST_HEAD_BYTES = 2 ** 18;
/** Files that are open at once. */
const SIDE_BY_SIDE = 64;

/** The line that a row's file begins with. */
interface Head {
  readonly place: number;
  readonly marks: readonly string[];
}

const head = record<Head>({ place: anyNumber, marks: v.array(text()) });

interface Placed {
  readonly place: number;
  readonly row: CacheRow;
}

/** The cache kept in `directory`, which is made when something is first asked of it. */
export function diskCache(directory: string): EncodingCache {
  const cache = sealedCache(diskRows(directory));
  return {
    ...cache,
    remove: (...traces) =>
      cache.remove(...traces).catch((error: unknown) => {
        throw new Error(
          `store: the encoding cache in ${directory} cannot be searched and cleaned (${messageOf(error)}), so nothing is ` +
            "deleted: what was made of a fact would stay there. Give a folder that can be read and written",
          { cause: error },
        );
      }),
  };
}

export function diskRows(directory: string): CacheRows {
  const at = (name: string): string => path.join(directory, name);
  const keysThere = async (): Promise<string[]> =>
    (await readdir(directory)).flatMap((name) => ROW_NAME.exec(name)?.[1] ?? []);
  /** Nobody finds a row that was never put in its place. A process that is at it right now does not keep its row. */
  const sweep = async (): Promise<void> => {
    const names = (await readdir(directory)).filter((name) => UNFINISHED_NAME.test(name));
    await sideBySide(names, (name) => rm(at(name), { force: true, recursive: true }));
  };
  const saltThere = (): Promise<string | null> => unlessMissing(readFile(at(SALT), "utf8"), null);
  const salt = async (): Promise<string> => {
    await mkdir(directory, { recursive: true });
    const known = await saltThere();
    return known !== null && SALT_TEXT.test(known) ? known : newSalt();
  };
  /** Makes the salt, or reads that of whoever was first. */
  const newSalt = async (): Promise<string> => {
    const orphans = await keysThere();
    const known = await saltThere();
    if (known !== null && SALT_TEXT.test(known)) return known;
    // What lay here before there is a salt was sealed with one that is gone: it opens for nobody, and no search finds it.
    await sideBySide(orphans, (key) => rm(at(key + ROW), { force: true, recursive: true }));
    if (known !== null) await rm(at(SALT), { force: true });
    const made = at(`${SALT}.${randomHex(4)}.new`);
    await writeFile(made, randomHex(SALT_BYTES));
    // Whole, or not at all: nobody reads half of it.
    await unlessCode("EEXIST", link(made, at(SALT)), undefined);
    await rm(made);
    return readFile(at(SALT), "utf8");
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
    salt,
    async held(keys) {
      const found = await sideBySide(keys, read);
      return found.flatMap((one) => (one ? { key: one.row.key, place: one.place } : []));
    },
    async get(keys) {
      const found = (await sideBySide(keys, read)).filter((one) => one !== undefined);
      return found.sort((a, b) => a.place - b.place).map(({ row }) => row);
    },
    async put(rows, made) {
      if (made !== (await salt())) return;
      const placed = rows.map((row) => ({ row, place: nextPlace() }));
      await sideBySide(placed, async ({ row: { key, marks, bytes }, place }) => {
        const unfinished = at(`${key}.${randomHex(4)}.new`);
        await writeFile(unfinished, [`${JSON.stringify({ place, marks } satisfies Head)}\n`, bytes]);
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
      const gone = await marked(marks);
      await sideBySide(gone, ({ key }) => rm(at(key + ROW), { force: true }));
      return gone.length;
    },
  };
}

/** A file as a row. One whose first line cannot be read is as good as none, and has no mark that could be kept from removal. */
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
