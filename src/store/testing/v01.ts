/** @file What Palimpsest 0.1 saved (README.md beside the files), and how to put its database into a browser. */

import { readFileSync } from "node:fs";
import type { FactId } from "../../records/ids.ts";

const FOLDER = "src/store/testing/v0.1";

/** The id of the notebook, and of its memory. */
export const V01_NOTEBOOK = "fixture-v01";
export const V01_MODEL = `${FOLDER}/model`;
export const V01_FOLDER = `${FOLDER}/folder`;

/** A database as plain JSON; typed arrays stand as their type and bytes. */
export interface DatabaseDump {
  readonly name: string;
  readonly version: number;
  readonly stores: readonly {
    readonly name: string;
    readonly keyPath: string | string[];
    readonly autoIncrement: boolean;
    readonly indexes: readonly {
      readonly name: string;
      readonly keyPath: string;
      readonly multiEntry: boolean;
      readonly unique: boolean;
    }[];
    readonly rows: readonly unknown[];
  }[];
}

/** What recalling a fact gave when it was stored. */
export interface Recalled {
  readonly id: FactId;
  readonly value: string;
  readonly exact: boolean;
  readonly tokens: readonly number[];
  readonly text: string;
}

export const v01Notebook = (): string => readFileSync(`${FOLDER}/notebook.json`, "utf8");
export const v01Archive = (): Uint8Array => new Uint8Array(readFileSync(`${FOLDER}/memory.zip`));
export const v01Database = (): DatabaseDump =>
  JSON.parse(readFileSync(`${FOLDER}/indexedDb.json`, "utf8")) as DatabaseDump;
/** `app`: of the notebook's memory, as archive and database have it; `folder`: of the store on disk. */
export const v01Recall = () =>
  JSON.parse(readFileSync(`${FOLDER}/recall.json`, "utf8")) as {
    readonly model: string;
    readonly app: readonly Recalled[];
    readonly folder: readonly Recalled[];
  };

/** Makes the database of `dump`; nothing outside this function is used, so that it can be sent into a page. */
export async function restoreDatabase(dump: DatabaseDump): Promise<void> {
  const revive = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map(revive);
    if (!("$type" in value && "base64" in value))
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, revive(item)]));
    const { buffer } = Uint8Array.from(atob(String(value.base64)), (c) => c.charCodeAt(0));
    return value.$type === "Float64Array" ? new Float64Array(buffer) : new Float32Array(buffer);
  };
  await new Promise<void>((resolve, reject) => {
    const opening = indexedDB.open(dump.name, dump.version);
    opening.onerror = () => {
      reject(new Error(opening.error?.message));
    };
    opening.onupgradeneeded = () => {
      for (const { name, keyPath, autoIncrement, indexes, rows } of dump.stores) {
        const store = opening.result.createObjectStore(name, { keyPath, autoIncrement });
        for (const { name: index, keyPath: path, multiEntry, unique } of indexes)
          store.createIndex(index, path, { multiEntry, unique });
        for (const row of rows) store.add(revive(row));
      }
    };
    opening.onsuccess = () => {
      opening.result.close();
      resolve();
    };
  });
}
