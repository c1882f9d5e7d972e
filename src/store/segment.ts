/**
 * @file One segment of the store on disk: facts-N.jsonl and routing-N.jsonl (one record a line, vectors replaced
 * by their row) and vectors/*.safetensors (one or more files per layer, one for the routing index).
 */

import * as v from "valibot";
import { count, record, text, type Shape } from "../lib/check.ts";
import { chunks, groupBy } from "../lib/group.ts";
import { createSha256, sha256Hex } from "../lib/hash.ts";
import type { FactId } from "../records/ids.ts";
import {
  vectorBytes,
  type MemoryEntry,
  type ModelIdentity,
  type RoutingDocument,
} from "../records/memory.ts";
import { alikeEntries } from "../records/vectors.ts";
import type { Named } from "./batch.ts";
import type { Folder } from "./folder.ts";
import {
  encodedFields,
  entryMatrices,
  entryOf,
  factFields,
  lineParts,
  readLines,
  type FormedHead,
  routingLine,
  routingLines,
  routingOf,
  type EntryLine,
} from "./lines.ts";
import { damage } from "./manifest.ts";
import type { FileRef, Segment } from "./manifest.ts";
import type { MemoryBatch } from "./port.ts";
import { rowsOf, tensorParts, type RowReader } from "./tensors.ts";

/** A vector file of a layer ends at this many bytes and the next begins. */
const MAX_VECTOR_FILE_BYTES = 64 * 2 ** 20;

/** A line of facts-N.jsonl: the entry, with the file and row of its vectors in their place. */
type FactLine = EntryLine & { readonly vectors: string; readonly row: number };

const factLineOf = (model: ModelIdentity) =>
  record<FactLine>({
    ...factFields,
    ...encodedFields(model),
    documentId: text(),
    vectors: text(),
    row: count(),
  });

/** Writes the files of `batch` under names with `sequence`, none of which may exist before. */
export async function writeSegment(
  folder: Folder,
  sequence: number,
  batch: MemoryBatch,
  head: FormedHead,
): Promise<Segment> {
  const { entries = [], routing = [] } = batch;
  const number = String(sequence).padStart(6, "0");
  const vectors: FileRef[] = [];
  const lines = new Map<MemoryEntry, object>();
  for (const [file, shard] of shards(entries, number, head.model)) {
    for (const [row, entry] of shard.entries()) lines.set(entry, factLine(entry, file, row));
    vectors.push(await writeFile(folder, file, tensorParts(entryMatrices(shard, head))));
  }
  const facts = await writeLines(
    folder,
    `facts-${number}.jsonl`,
    entries.map((entry) => lines.get(entry)),
  );
  if (routing.length === 0) return { facts, routing: null, vectors };
  const index = routingLines({ ...head, routing });
  vectors.push(await writeFile(folder, `vectors/routing-${number}.safetensors`, tensorParts(index.matrices)));
  return { facts, routing: await writeLines(folder, `routing-${number}.jsonl`, index.lines), vectors };
}

/** Reads a segment back, bit for bit. Rejects on a file that is missing, not as written, or holds what cannot be. */
export async function readSegment(
  folder: Folder,
  segment: Segment,
  model: ModelIdentity,
): Promise<MemoryBatch> {
  const files = new Map<string, Uint8Array>();
  for (const ref of [segment.facts, segment.routing, ...segment.vectors])
    if (ref) files.set(ref.name, await readFile(folder, ref));
  try {
    return { entries: entriesOf(segment, files, model), routing: documentsOf(segment, files) };
  } catch (error) {
    throw damage(folder.name, error instanceof Error ? error.message : String(error), error);
  }
}

/** Whose lines a segment has. */
export type SegmentNames = Required<Named>;

/** Reads whose lines a segment has, without its vectors. */
export async function readNames(
  folder: Folder,
  { facts, routing }: Pick<Segment, "facts" | "routing">,
): Promise<SegmentNames> {
  return {
    entries: facts ? await linesOf(folder, facts, entryName) : [],
    routing: routing ? await linesOf(folder, routing, documentName) : [],
  };
}

const entryName = record<SegmentNames["entries"][number]>({ id: text<FactId>() });
const documentName = record<SegmentNames["routing"][number]>({
  anchor: text(),
  facts: v.array(entryName),
});

async function linesOf<T>(folder: Folder, ref: FileRef, shape: Shape<T>): Promise<T[]> {
  const bytes = await readFile(folder, ref);
  try {
    return readLines(bytes, ref.name, shape);
  } catch (error) {
    throw damage(folder.name, error instanceof Error ? error.message : String(error), error);
  }
}

type Files = ReadonlyMap<string, Uint8Array>;

function entriesOf({ facts }: Segment, files: Files, model: ModelIdentity): MemoryEntry[] {
  if (!facts) return [];
  const sizes = { keys: [null, model.dFf], residuals: [null, model.dModel] } as const;
  const readers = new Map<string, RowReader>();
  return readLines(files.get(facts.name)!, facts.name, factLineOf(model)).map(({ vectors, row, ...line }) => {
    const reader = readers.get(vectors) ?? rowsOf(vectorFile(files, vectors), vectors, sizes);
    readers.set(vectors, reader);
    return entryOf(line, row, reader);
  });
}

function documentsOf({ routing, vectors }: Segment, files: Files): RoutingDocument[] {
  if (!routing) return [];
  const file = vectors.find(({ name }) => name.startsWith("vectors/routing-"))?.name ?? "";
  const row = rowsOf(vectorFile(files, file), file, { documents: [null, null], facts: [null, null] });
  return readLines(files.get(routing.name)!, routing.name, routingLine).map((line) => routingOf(line, row));
}

function vectorFile(files: Files, name: string): Uint8Array {
  const bytes = files.get(name);
  if (!bytes) throw new Error(`the vector file "${name}" is named by a line, but not by the manifest`);
  return bytes;
}

/** Rejects when a file is missing or not as written. */
export async function verifySegment(folder: Folder, segment: Segment): Promise<void> {
  for (const ref of [segment.facts, segment.routing, ...segment.vectors])
    if (ref) await readFile(folder, ref);
}

// --- vectors ---

/** Entries by vector file: by layer, by the form of their vectors, and by size. */
function shards(
  entries: readonly MemoryEntry[],
  number: string,
  model: ModelIdentity,
): Map<string, MemoryEntry[]> {
  const perFile = Math.max(1, Math.floor(MAX_VECTOR_FILE_BYTES / vectorBytes(1, model)));
  const files = new Map<string, MemoryEntry[]>();
  const alikes = alikeEntries(entries, (entry) => entry);
  for (const [layer, alike] of groupBy(alikes, (one) => one.layer as number)) {
    const name = `vectors/layer-${String(layer).padStart(2, "0")}-${number}`;
    for (const [at, shard] of alike.flatMap(({ items }) => chunks(items, perFile)).entries())
      files.set(`${name}${at > 0 ? `-${at + 1}` : ""}.safetensors`, shard);
  }
  return files;
}

/** Undefined fields are not written. */
function factLine(entry: MemoryEntry, vectors: string, row: number): object {
  return { ...entry, key: undefined, residual: undefined, vectors, row };
}

// --- files ---

async function writeLines(folder: Folder, name: string, lines: readonly unknown[]): Promise<FileRef | null> {
  return lines.length === 0 ? null : writeFile(folder, name, lineParts(lines));
}

/** Writes and hashes in one pass. */
async function writeFile(folder: Folder, name: string, parts: Iterable<Uint8Array>): Promise<FileRef> {
  const hasher = createSha256();
  let bytes = 0;
  function* counted(): Generator<Uint8Array> {
    for (const part of parts) {
      hasher.update(part);
      bytes += part.length;
      yield part;
    }
  }
  await folder.write(name, counted());
  return { name, bytes, sha256: hasher.hex() };
}

async function readFile(folder: Folder, ref: FileRef): Promise<Uint8Array> {
  const bytes = await folder.read(ref.name);
  if (!bytes) throw damage(folder.name, `${ref.name} is missing`);
  if (bytes.length !== ref.bytes)
    throw damage(folder.name, `${ref.name} has ${bytes.length} bytes, ${ref.bytes} expected`);
  if (sha256Hex(bytes) !== ref.sha256) throw damage(folder.name, `${ref.name} does not match its checksum`);
  return bytes;
}
