/**
 * @file One segment of the store on disk: facts-N.jsonl and routing-N.jsonl (one record a line, vectors replaced
 * by their row) and vectors/*.safetensors (F32, one or more files per layer, one for the routing index).
 */

import { createSha256, sha256Hex } from "../lib/hash.ts";
import { encodeHeader, parseFile, readFloat32 } from "../lib/safetensors.ts";
import type { MemoryEntry, ModelIdentity, RoutingDocument, RoutingFact } from "../records/memory.ts";
import type { Folder } from "./folder.ts";
import { fromJson, toJson } from "./json.ts";
import { damage } from "./manifest.ts";
import type { FileRef, Segment } from "./manifest.ts";
import type { MemoryBatch } from "./port.ts";

/** A vector file of a layer ends at this many bytes and the next begins. */
const MAX_VECTOR_FILE_BYTES = 64 * 2 ** 20;

/** A line of facts-N.jsonl: the entry, with the file and row of its vectors in their place. */
type FactLine = Omit<MemoryEntry, "key" | "residual"> & { readonly vectors: string; readonly row: number };

/** A line of routing-N.jsonl: vectors are rows of the tensors `documents` and `facts`. */
interface RoutingLine extends Omit<RoutingDocument, "facts" | "vector"> {
  readonly facts: readonly (Omit<RoutingFact, "vector"> & { readonly vector?: number })[];
  readonly vector: number;
}

interface Matrix {
  readonly name: string;
  readonly rows: readonly Float32Array[];
  readonly columns: number;
}

/** Writes the files of `batch` under names with `sequence`, none of which may exist before. */
export async function writeSegment(
  folder: Folder,
  sequence: number,
  batch: MemoryBatch,
  model: ModelIdentity,
): Promise<Segment> {
  const { entries = [], routing = [] } = batch;
  const number = String(sequence).padStart(6, "0");
  const vectors: FileRef[] = [];
  const lines = new Map<MemoryEntry, object>();
  for (const [file, shard] of shards(entries, number, model)) {
    for (const [row, entry] of shard.entries()) lines.set(entry, factLine(entry, file, row));
    const keys = { name: "keys", rows: shard.map((entry) => entry.key), columns: model.dFf };
    const residuals = {
      name: "residuals",
      rows: shard.map((entry) => entry.residual),
      columns: model.dModel,
    };
    vectors.push(await writeFile(folder, file, tensorParts([keys, residuals])));
  }
  const facts = await writeLines(
    folder,
    `facts-${number}.jsonl`,
    entries.map((entry) => lines.get(entry)),
  );
  if (routing.length === 0) return { facts, routing: null, vectors };
  const index = routingParts(routing);
  vectors.push(await writeFile(folder, `vectors/routing-${number}.safetensors`, tensorParts(index.matrices)));
  return { facts, routing: await writeLines(folder, `routing-${number}.jsonl`, index.lines), vectors };
}

/** Reads a segment back, bit for bit. Rejects on a file that is missing or not as written. */
export async function readSegment(
  folder: Folder,
  segment: Segment,
  model: ModelIdentity,
): Promise<MemoryBatch> {
  const tensors = new Map<string, Float32Array>();
  for (const ref of segment.vectors) {
    const bytes = await readFile(folder, ref);
    for (const info of parseFile(bytes, ref.name).tensors)
      tensors.set(`${ref.name} ${info.name}`, readFloat32(bytes, info, ref.name));
  }
  const row = (file: string, tensor: string, index: number, columns: number): Float32Array => {
    const values = tensors.get(`${file} ${tensor}`);
    if (!values || (index + 1) * columns > values.length)
      throw damage(folder.name, `${file} has no row ${index} of ${columns} values in "${tensor}"`);
    return values.slice(index * columns, (index + 1) * columns);
  };
  const facts = await readLines<FactLine>(folder, segment.facts);
  const entries = facts.map(({ vectors: file, row: index, report, ...rest }) => ({
    ...rest,
    // Folders written before the field existed lack it.
    report: { ...report, recalled: report.recalled ?? null },
    key: row(file, "keys", index, model.dFf),
    residual: row(file, "residuals", index, model.dModel),
  }));
  const lines = await readLines<RoutingLine>(folder, segment.routing);
  const file = segment.vectors.find(({ name }) => name.startsWith("vectors/routing-"))?.name ?? "";
  const columns = (tensors.get(`${file} documents`)?.length ?? 0) / lines.length;
  return {
    entries,
    routing: lines.map((line) => routingOf(line, (tensor, index) => row(file, tensor, index, columns))),
  };
}

function routingOf(line: RoutingLine, row: (tensor: string, index: number) => Float32Array): RoutingDocument {
  const facts = line.facts.map(({ vector, ...fact }) => ({
    ...fact,
    ...(vector !== undefined && { vector: row("facts", vector) }),
  }));
  return { ...line, facts, vector: row("documents", line.vector) };
}

/** Rejects when a file is missing or not as written. */
export async function verifySegment(folder: Folder, segment: Segment): Promise<void> {
  for (const ref of [segment.facts, segment.routing, ...segment.vectors])
    if (ref) await readFile(folder, ref);
}

// --- vectors ---

/** Entries by vector file: by layer, and by size within a layer. */
function shards(
  entries: readonly MemoryEntry[],
  number: string,
  model: ModelIdentity,
): Map<string, MemoryEntry[]> {
  const perFile = Math.max(1, Math.floor(MAX_VECTOR_FILE_BYTES / (4 * (model.dFf + model.dModel))));
  const files = new Map<string, MemoryEntry[]>();
  for (const [layer, ofLayer] of groupByLayer(entries)) {
    const name = `vectors/layer-${String(layer).padStart(2, "0")}-${number}`;
    for (let start = 0, part = 1; start < ofLayer.length; start += perFile, part++)
      files.set(`${name}${part > 1 ? `-${part}` : ""}.safetensors`, ofLayer.slice(start, start + perFile));
  }
  return files;
}

function groupByLayer(entries: readonly MemoryEntry[]): Map<number, MemoryEntry[]> {
  const groups = new Map<number, MemoryEntry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.layer);
    if (group) group.push(entry);
    else groups.set(entry.layer, [entry]);
  }
  return groups;
}

/** Undefined fields are not written. */
function factLine(entry: MemoryEntry, vectors: string, row: number): object {
  return { ...entry, key: undefined, residual: undefined, vectors, row };
}

function routingParts(routing: readonly RoutingDocument[]): { lines: RoutingLine[]; matrices: Matrix[] } {
  const documents: Float32Array[] = [];
  const facts: Float32Array[] = [];
  const lines = routing.map(({ vector, facts: ofDocument, ...rest }) => ({
    ...rest,
    vector: documents.push(vector) - 1,
    facts: ofDocument.map(({ vector: own, ...fact }) =>
      own ? { ...fact, vector: facts.push(own) - 1 } : fact,
    ),
  }));
  const columns = documents[0]?.length ?? 0;
  return {
    lines,
    matrices: [
      { name: "documents", rows: documents, columns },
      { name: "facts", rows: facts, columns },
    ],
  };
}

/** A safetensors file of F32 matrices, row by row. */
function* tensorParts(matrices: readonly Matrix[]): Generator<Uint8Array> {
  yield encodeHeader(
    matrices.map(({ name, rows, columns }) => ({ name, dtype: "F32", shape: [rows.length, columns] })),
  );
  for (const { rows } of matrices)
    for (const row of rows) yield new Uint8Array(row.buffer, row.byteOffset, row.byteLength);
}

// --- files ---

async function writeLines(folder: Folder, name: string, lines: readonly unknown[]): Promise<FileRef | null> {
  if (lines.length === 0) return null;
  const encoder = new TextEncoder();
  function* parts(): Generator<Uint8Array> {
    for (const line of lines) yield encoder.encode(`${toJson(line)}\n`);
  }
  return writeFile(folder, name, parts());
}

async function readLines<Line>(folder: Folder, ref: FileRef | null): Promise<Line[]> {
  if (!ref) return [];
  const text = new TextDecoder().decode(await readFile(folder, ref));
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => fromJson(line) as Line);
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
