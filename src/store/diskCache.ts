/**
 * @file The encoding cache in a folder, for Node only: a file a row, put in its place in one step, so that several
 * processes may share the folder. It grows until somebody removes it.
 */

import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as v from "valibot";
import { checked, record, text, anyNumber } from "../lib/check.ts";
import { randomHex } from "../lib/hash.ts";
import { unlessCode, unlessMissing } from "./fileErrors.ts";
import type { CacheRow, CacheRows, EncodingCache } from "./encodingCache.ts";
import { nextPlace, sealedCache } from "./sealedCache.ts";

const SALT = "salt";
const SALT_BYTES = 16;
const ROW = ".row";
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
export const diskCache = (directory: string): EncodingCache => sealedCache(diskRows(directory));

export function diskRows(directory: string): CacheRows {
  const at = (name: string): string => path.join(directory, name);
  const salt = async (): Promise<string> => {
    await mkdir(directory, { recursive: true });
    // Whoever comes first makes it; the others read his.
    await unlessCode("EEXIST", writeFile(at(SALT), randomHex(SALT_BYTES), { flag: "wx" }), undefined);
    return readFile(at(SALT), "utf8");
  };
  const read = async (key: string): Promise<Placed | undefined> => {
    const bytes = await unlessMissing(readFile(at(key + ROW)), undefined);
    return bytes && parse(key, bytes);
  };
  const marked = async (marks: readonly string[]): Promise<CacheRow[]> => {
    const wanted = new Set(marks);
    return (await all()).filter((row) => row.marks.some((mark) => wanted.has(mark)));
  };
  const all = async (): Promise<CacheRow[]> => {
    const names = await readdir(directory);
    const keys = names.filter((name) => name.endsWith(ROW)).map((name) => name.slice(0, -ROW.length));
    return (await sideBySide(keys, read)).flatMap((found) => found?.row ?? []);
  };
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
      const gone = await marked(marks);
      await sideBySide(gone, ({ key }) => rm(at(key + ROW), { force: true }));
      return gone.length;
    },
  };
}

/** A file as a row. One whose first line cannot be read is as good as none, and has no mark that could be kept from removal. */
function parse(key: string, bytes: Buffer): Placed | undefined {
  const end = bytes.indexOf("\n");
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
