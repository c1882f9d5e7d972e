/** @file Tables of the browser's database. A block has a row in `entries`, `curves`, `vectors`, or `routing(Vectors)`. */

import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from "idb";
import type { Rows } from "../lib/vectorForms.ts";
import type { DocumentId } from "../records/ids.ts";
import type { AnchorRouting, EntryMeta, MemoryFields, WaitingFact } from "../records/memory.ts";
import type { SourceEntry } from "../records/notebook.ts";

export interface MemoryRecord {
  readonly id: string;
  readonly head: MemoryFields;
  /** Random, new after every change: it shows that a tab has loaded an older state. */
  readonly stamp: string;
  readonly facts: number;
  readonly vectors: number;
  readonly next: { readonly block: number; readonly entry: number; readonly document: number };
}

/** Fields that follow from the rest of the row, or that have a default for a value of one part. */
type Derived = "id" | "documentId" | "layer" | "part" | "start";

export type StoredMeta = Omit<EntryMeta, Derived> & Partial<Pick<EntryMeta, Derived>>;

interface Block {
  readonly memory: string;
  readonly block: number;
}

/** Up to 256 entries of one layer. Lists run in parallel. */
export interface EntryRow extends Block {
  readonly layer: number;
  readonly ids: readonly (readonly [string, string])[];
  readonly entries: readonly StoredMeta[];
  readonly places: readonly number[];
}

export interface CurveRow extends Block {
  readonly losses: Float32Array | Float64Array;
  readonly ends: readonly number[];
}

export interface VectorRow extends Block {
  readonly keys: Rows;
  readonly residuals: Rows;
}

export interface DocumentMeta extends AnchorRouting {
  readonly own: readonly boolean[];
  readonly place: number;
}

export interface RoutingRow extends Block {
  readonly anchors: readonly (readonly [string, string])[];
  readonly ids: readonly (readonly [string, string])[];
  readonly documents: readonly (Omit<DocumentMeta, "facts"> & {
    readonly facts: readonly Omit<AnchorRouting["facts"][number], "id">[];
  })[];
}

/** Vectors [., length] of a routing block: one of each document, one of each fact that has its own. */
export interface RoutingVectorRow extends Block {
  readonly length: number;
  readonly documents: Rows;
  readonly facts: Rows;
}

interface WaitingRow extends WaitingFact {
  readonly memory: string;
}

export interface NotebookHead {
  readonly id: string;
  readonly title: string;
  readonly updated: string;
  readonly cells: number;
  readonly revision: number;
}

export interface StoredNotebook extends NotebookHead {
  readonly body: unknown;
}

export interface StoredDocument extends Omit<SourceEntry, "kept"> {
  readonly pageStarts?: readonly number[];
  readonly added: string;
}

export interface StoredRun {
  readonly id: string;
  readonly notebookId: string;
  readonly created: string;
  readonly header: unknown;
}

export interface CacheState {
  readonly id: string;
  readonly bytes: number;
}

export interface CacheHead {
  readonly key: string;
  readonly marks: readonly string[];
  /** When it was stored, and when it was last used: numbers that only grow. */
  readonly place: number;
  readonly used: number;
  readonly bytes: number;
}

type BlockKey = [memory: string, block: number];

export interface Schema extends DBSchema {
  memories: { key: string; value: MemoryRecord };
  entries: { key: BlockKey; value: EntryRow; indexes: { id: [string, string] } };
  curves: { key: BlockKey; value: CurveRow };
  vectors: { key: BlockKey; value: VectorRow };
  routing: { key: BlockKey; value: RoutingRow; indexes: { anchor: [string, string] } };
  routingVectors: { key: BlockKey; value: RoutingVectorRow };
  waiting: { key: [memory: string, fact: string]; value: WaitingRow };
  notebooks: { key: string; value: NotebookHead };
  bodies: { key: string; value: Pick<StoredNotebook, "id" | "body"> };
  documents: { key: string; value: StoredDocument };
  texts: {
    key: [document: string, chunk: number];
    value: { document: DocumentId; chunk: number; text: string };
  };
  runs: { key: string; value: StoredRun; indexes: { notebook: string } };
  cases: { key: [run: string, name: string]; value: { run: string; case: string; result: unknown } };
  costs: { key: string; value: { key: string; rates: unknown } };
  cacheState: { key: string; value: CacheState };
  cacheHeads: { key: string; value: CacheHead; indexes: { mark: string; used: number } };
  cacheRows: { key: string; value: { key: string; bytes: Uint8Array<ArrayBuffer> } };
}

export type StoreName = StoreNames<Schema>;
export type Reading = IDBPTransaction<Schema, StoreName[], "readonly" | "readwrite">;
export type Writing = IDBPTransaction<Schema, StoreName[], "readwrite">;

export const SCHEMA_VERSION = 1;

export function createTables(database: IDBPDatabase<Schema>): void {
  const block = { keyPath: ["memory", "block"] };
  database.createObjectStore("memories", { keyPath: "id" });
  database.createObjectStore("entries", block).createIndex("id", "ids", { multiEntry: true });
  database.createObjectStore("curves", block);
  database.createObjectStore("vectors", block);
  database.createObjectStore("routing", block).createIndex("anchor", "anchors", { multiEntry: true });
  database.createObjectStore("routingVectors", block);
  database.createObjectStore("waiting", { keyPath: ["memory", "id"] });
  database.createObjectStore("notebooks", { keyPath: "id" });
  database.createObjectStore("bodies", { keyPath: "id" });
  database.createObjectStore("documents", { keyPath: "id" });
  database.createObjectStore("texts", { keyPath: ["document", "chunk"] });
  database.createObjectStore("runs", { keyPath: "id" }).createIndex("notebook", "notebookId");
  database.createObjectStore("cases", { keyPath: ["run", "case"] });
  database.createObjectStore("costs", { keyPath: "key" });
  database.createObjectStore("cacheState", { keyPath: "id" });
  const heads = database.createObjectStore("cacheHeads", { keyPath: "key" });
  heads.createIndex("mark", "marks", { multiEntry: true });
  heads.createIndex("used", "used");
  database.createObjectStore("cacheRows", { keyPath: "key" });
}

export const BLOCK_TABLES = ["entries", "curves", "vectors", "routing", "routingVectors"] as const;

export const MEMORY_TABLES = ["memories", "waiting", ...BLOCK_TABLES] as const;

export const CACHE_TABLES = ["cacheState", "cacheHeads", "cacheRows"] as const;

export const TABLES: readonly StoreName[] = [
  ...MEMORY_TABLES,
  "notebooks",
  "bodies",
  "documents",
  "texts",
  "runs",
  "cases",
  "costs",
  ...CACHE_TABLES,
];
