/** @file The encoding cache over rows: indexedDbCache.ts (browser), tools/node/diskCache.ts. See docs/security.md. */

import { groupBy } from "../lib/group.ts";
import { sha256Hex } from "../lib/hash.ts";
import type { CacheItem, EncodingCache } from "./encodingCache.ts";
import { fromJson, toJson } from "./json.ts";

export interface CacheRow {
  readonly key: string;
  readonly marks: readonly string[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface CacheRows {
  /** The places of the rows that exist: numbers that grow in the order in which rows are put. */
  held(keys: readonly string[]): Promise<readonly { readonly key: string; readonly place: number }[]>;
  get(keys: readonly string[]): Promise<readonly CacheRow[]>;
  put(rows: readonly CacheRow[]): Promise<void>;
  known(marks: readonly string[]): Promise<readonly boolean[]>;
  beside(marks: readonly string[]): Promise<readonly string[]>;
  remove(marks: readonly string[]): Promise<number>;
}

const KEY_DIGITS = 40;
const MARK_DIGITS = 24;

export const encodingCache = (home: CacheRows): EncodingCache => ({
  async held(contents) {
    const places = placesOf(contents);
    const found = await home.held([...places.keys()]);
    return found.flatMap(({ key, place }) => places.get(key)!.map((at) => ({ at, place })));
  },
  async get(contents) {
    const places = placesOf(contents);
    const found = await home.get([...places.keys()]);
    return found.flatMap((row) => {
      const value = valueOf(row);
      return value === undefined ? [] : places.get(row.key)!.map((at) => ({ at, value }));
    });
  },
  async put(items) {
    if (items.length > 0) await home.put(items.map(rowOf));
  },
  known: (traces) => home.known(traces.map(markOf)),
  async remove(traces, through = []) {
    const linked = through.length > 0 ? await home.beside(through.map(markOf)) : [];
    const marks = [...new Set([...traces.map(markOf), ...linked])];
    const removed = await home.remove(marks);
    return { removed, left: (await home.known(marks)).filter(Boolean).length };
  },
});

const placesOf = (contents: readonly string[]): Map<string, number[]> => {
  const keys = contents.map(keyOf);
  return groupBy([...keys.keys()], (at) => keys[at]!);
};

function rowOf({ content, value, traces }: CacheItem): CacheRow {
  const key = keyOf(content);
  const marks = [...new Set(traces.map(markOf))];
  const text = toJson(value);
  return { key, marks, bytes: new TextEncoder().encode(`${checkOf(key, marks, text)}\n${text}`) };
}

export function valueOf({ key, marks, bytes }: CacheRow): unknown {
  const whole = new TextDecoder().decode(bytes);
  const end = whole.indexOf("\n");
  const text = whole.slice(end + 1);
  if (end < 0 || whole.slice(0, end) !== checkOf(key, marks, text)) return undefined;
  try {
    return fromJson(text);
  } catch {
    return undefined;
  }
}

/** A deletion finds a row by its marks, so the checksum covers them: a row that lost one is not read any more. */
const checkOf = (key: string, marks: readonly string[], text: string): string =>
  sha256Hex([key, ...marks, text].join("\n"));

const keyOf = (content: string): string => sha256Hex(content).slice(0, KEY_DIGITS);

const markOf = (trace: string): string => sha256Hex(`mark ${trace}`).slice(0, MARK_DIGITS);

let last = 0;

/** A number above all earlier ones of this process and, if the clock is right, of earlier processes: rows keep their order by it. */
export const nextPlace = (): number => (last = Math.max(last + 1, Date.now() * 512));
