/**
 * @file The encoding cache over its home: a row is sealed with the very content that it is looked up by, so that the
 * cache says no word of a text to one who does not bring it. docs/security.md has what that holds and what it does not.
 */

import { groupBy } from "../lib/group.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { CacheItem, CacheRow, CacheRows, EncodingCache } from "./encodingCache.ts";
import { fromJson, toJson } from "./json.ts";
import { seal, unseal } from "./seal.ts";

/** Rows that are sealed, found together by the row's key and opened by its secret. */
interface Lock {
  readonly key: string;
  readonly secret: Uint8Array<ArrayBuffer>;
}

const KEY_DIGITS = 40;
const MARK_DIGITS = 24;

export function sealedCache(rows: CacheRows): EncodingCache {
  const marksOf = async (traces: readonly string[]): Promise<string[]> => {
    const salt = await rows.salt();
    return traces.map((trace) => markOf(salt, trace));
  };
  /** The locks of contents, and at which of them each key stands. */
  const locked = async (contents: readonly string[]) => {
    const salt = await rows.salt();
    const locks = contents.map((content) => lockOf(salt, content));
    return { locks, places: groupBy([...locks.keys()], (at) => locks[at]!.key) };
  };
  return {
    async held(contents) {
      const { places } = await locked(contents);
      const found = await rows.held([...places.keys()]);
      return found.flatMap(({ key, place }) => places.get(key)!.map((at) => ({ at, place })));
    },
    async get(contents) {
      const { locks, places } = await locked(contents);
      const found = await rows.get([...places.keys()]);
      const opened = await Promise.all(
        found.map(async (row) => {
          const at = places.get(row.key)!;
          const value = await read(row, locks[at[0]!]!);
          return value === undefined ? [] : at.map((place) => ({ at: place, value }));
        }),
      );
      return opened.flat();
    },
    async put(items) {
      if (items.length === 0) return;
      const salt = await rows.salt();
      const sealed = await Promise.all(items.map((item) => rowOf(salt, item)));
      await rows.put(sealed, salt);
    },
    known: async (traces) => rows.known(await marksOf(traces)),
    async remove(traces, through = []) {
      const own = await marksOf(traces);
      const linked = through.length > 0 ? await rows.beside(await marksOf(through)) : [];
      const marks = [...new Set([...own, ...linked])];
      const removed = await rows.remove(marks);
      return { removed, left: (await rows.known(marks)).filter(Boolean).length };
    },
  };
}

async function rowOf(salt: string, { content, value, traces }: CacheItem): Promise<CacheRow> {
  const { key, secret } = lockOf(salt, content);
  const marks = [...new Set(traces.map((trace) => markOf(salt, trace)))];
  const bytes = await seal(new TextEncoder().encode(toJson(value)), secret, nameOf(key, marks));
  return { key, marks, bytes };
}

/** What a row is sealed under: without its marks no deletion finds it, so it must not open without them either. */
const nameOf = (key: string, marks: readonly string[]): string => [key, ...marks].join(" ");

/** The value of a row; undefined where it is not as it was written. */
async function read({ key, marks, bytes }: CacheRow, { secret }: Lock): Promise<unknown> {
  const opened = await unseal(bytes, secret, nameOf(key, marks));
  return opened && fromJson(new TextDecoder().decode(opened));
}

function lockOf(salt: string, content: string): Lock {
  const digest = sha256Hex(content);
  const secret = sha256Hex(`${salt} secret ${digest}`);
  return {
    key: sha256Hex(`${salt} key ${digest}`).slice(0, KEY_DIGITS),
    secret: Uint8Array.from({ length: 32 }, (_, i) => Number.parseInt(secret.slice(2 * i, 2 * i + 2), 16)),
  };
}

const markOf = (salt: string, trace: string): string =>
  sha256Hex(`${salt} mark ${trace}`).slice(0, MARK_DIGITS);

let last = 0;

/** A number above all before it, of this process and, clocks allowing, of those before: rows keep their order by it. */
export const nextPlace = (): number => (last = Math.max(last + 1, Date.now() * 512));
