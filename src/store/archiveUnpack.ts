/** @file Reading an archive back: every byte and field is checked before a memory comes out. */

import { sha256Hex } from "../lib/hash.ts";
import { parseFile, readFloat32 } from "../lib/safetensors.ts";
import { readZip, type ZipLimits } from "../lib/zip.ts";
import type { FactId } from "../records/ids.ts";
import type { Memory, MemoryEntry, RoutingDocument } from "../records/memory.ts";
import {
  ARCHIVE_FILES,
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  type ArchiveFile,
  checkFactLine,
  checkHead,
  checkRoutingLine,
  count,
  object,
  text,
  type FactLine,
  type RoutingLine,
} from "./archiveLines.ts";
import { checkBatch } from "./batch.ts";
import { fromJson, toJson } from "./json.ts";
import { StoreVersion } from "./port.ts";

/** Vectors are stored as they are; only the lines deflate. */
const LIMITS: ZipLimits = { maxBytes: 4e9, maxRatio: 200, maxEntries: 100 };

/**
 * The memory of an archive, checked whole.
 * @param name the file's name, for messages
 * @throws {StoreVersion} when a newer Palimpsest wrote it; an error naming the file and what is wrong otherwise
 */
export async function unpackMemory(bytes: Uint8Array, name: string): Promise<Memory> {
  const zip = await readZip(bytes, name, LIMITS);
  const read = async (file: string): Promise<Uint8Array> => {
    const entry = zip.get(file);
    if (!entry) throw damage(name, `${file} is missing`);
    return entry.read();
  };
  try {
    const manifest = checkManifest(await read("manifest.json"), name);
    const contents = new Map<ArchiveFile, Uint8Array>();
    for (const file of ARCHIVE_FILES)
      contents.set(file, checkSum(file, await read(file), manifest.files, name));
    const { model } = manifest.head;
    const facts = parseLines(contents.get("facts.jsonl")!, "facts.jsonl").map(([value, place]) =>
      checkFactLine(value, place, model),
    );
    const routing = parseLines(contents.get("routing.jsonl")!, "routing.jsonl").map(([value, place]) =>
      checkRoutingLine(value, place),
    );
    const memory = assemble(manifest.head, facts, routing, contents.get("vectors.safetensors")!);
    if (memory.entries.length !== manifest.facts || routing.length !== manifest.documents)
      throw new Error(
        `manifest.json counts ${manifest.facts} facts and ${manifest.documents} routing documents, the files hold ${memory.entries.length} and ${routing.length}`,
      );
    checkBatch(memory, model);
    return memory;
  } catch (error) {
    if (error instanceof StoreVersion || (error instanceof Error && /^(zip|archive): /.test(error.message)))
      throw error;
    throw damage(name, error instanceof Error ? error.message : String(error), error);
  }
}

interface Manifest {
  readonly head: ReturnType<typeof checkHead>;
  readonly files: Readonly<Record<string, unknown>>;
  readonly facts: number;
  readonly documents: number;
}

function checkManifest(bytes: Uint8Array, name: string): Manifest {
  const { check, ...manifest } = object(
    fromJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    "manifest.json",
  );
  if (manifest["format"] !== ARCHIVE_FORMAT)
    throw damage(name, `manifest.json does not say "format": "${ARCHIVE_FORMAT}"; is it of another program?`);
  const version = count(manifest["version"], "manifest.json, version");
  if (version > ARCHIVE_VERSION)
    throw new StoreVersion(
      `archive: "${name}" was written by Palimpsest ${String(manifest["app"])} in format ${version}; this version reads formats up to ${ARCHIVE_VERSION}. Nothing was changed: import it with the newer Palimpsest.`,
    );
  if (check !== sha256Hex(toJson(manifest))) throw new Error("manifest.json does not match its own checksum");
  return {
    head: checkHead(manifest["memory"], "manifest.json, memory"),
    files: object(manifest["files"], "manifest.json, files"),
    facts: count(manifest["facts"], "manifest.json, facts"),
    documents: count(manifest["documents"], "manifest.json, documents"),
  };
}

function checkSum(
  file: ArchiveFile,
  bytes: Uint8Array,
  files: Readonly<Record<string, unknown>>,
  name: string,
): Uint8Array {
  const sum = object(files[file], `manifest.json, files, ${file}`);
  const expected = count(sum["bytes"], `manifest.json, files, ${file}, bytes`);
  if (bytes.length !== expected)
    throw damage(name, `${file} has ${bytes.length} bytes, ${expected} expected`);
  if (sha256Hex(bytes) !== text(sum["sha256"], `manifest.json, files, ${file}, sha256`))
    throw damage(name, `${file} does not match its checksum`);
  return bytes;
}

/** The values of a file of lines, each with its place for messages. */
function parseLines(bytes: Uint8Array, file: string): [value: unknown, place: string][] {
  const lines = new TextDecoder("utf-8", { fatal: true }).decode(bytes).split("\n");
  if (lines.pop() !== "") throw new Error(`${file} does not end with a whole line`);
  return lines.map((line, i) => [fromJson(line), `${file}, line ${i + 1}`]);
}

function assemble(
  head: Manifest["head"],
  facts: readonly FactLine[],
  routing: readonly RoutingLine[],
  vectors: Uint8Array,
): Memory {
  const { model } = head;
  const encoded = facts.filter(({ layer }) => layer !== null).length;
  const rows = tensorRows(vectors, {
    keys: [encoded, model.dFf],
    residuals: [encoded, model.dModel],
    documents: [routing.length, null],
    facts: [null, null],
  });
  const entries = facts
    .slice(0, encoded)
    .map((line, i) => entryOf(line, rows("keys", i), rows("residuals", i)));
  const byId = new Map(facts.map((line) => [line.id, line]));
  if (byId.size < facts.length) throw new Error("facts.jsonl names a fact twice");
  return {
    ...head,
    entries,
    routing: routing.map(({ anchor, order, facts: of }, i) => ({
      anchor,
      order,
      facts: of.map((fact) => routingFact(byId, anchor, fact, (row) => rows("facts", row))),
      vector: rows("documents", i),
    })),
  };
}

function routingFact(
  byId: ReadonlyMap<FactId, FactLine>,
  anchor: string,
  { id, index, vector }: RoutingLine["facts"][number],
  row: (index: number) => Float32Array,
): RoutingDocument["facts"][number] {
  const line = byId.get(id);
  if (!line || line.value === null)
    throw new Error(`routing.jsonl: "${anchor}" names fact "${id}", but facts.jsonl has no value for it`);
  const { value, questions } = line;
  return { id, index, value, questions, ...(vector !== null && { vector: row(vector) }) };
}

function entryOf(
  { id, document: documentId, anchor, index, offset, layer, tokens, report }: FactLine,
  key: Float32Array,
  residual: Float32Array,
): MemoryEntry {
  if (layer === null || tokens === null || report === null)
    throw new Error(`facts.jsonl: fact "${id}" is not encoded, but stands before one that is`);
  return { id, documentId, anchor, index, offset, layer, tokens, key, residual, report };
}

/** Access to rows of the tensors, whose shapes are as given (null: any size). */
function tensorRows(
  bytes: Uint8Array,
  shapes: Readonly<Record<string, readonly [rows: number | null, columns: number | null]>>,
): (tensor: string, row: number) => Float32Array {
  const file = "vectors.safetensors";
  const found = new Map(parseFile(bytes, file).tensors.map((info) => [info.name, info]));
  const values = new Map<string, { data: Float32Array; rows: number; columns: number }>();
  for (const [name, [rows, columns]] of Object.entries(shapes)) {
    const info = found.get(name);
    if (!info) throw new Error(`${file} has no tensor "${name}"`);
    const [height = 0, width = 0, more] = info.shape;
    const fits = (rows ?? height) === height && (columns ?? width) === width && more === undefined;
    if (!fits)
      throw new Error(
        `${file}: "${name}" has the shape [${info.shape.join(", ")}], [${rows ?? "any"}, ${columns ?? "any"}] expected`,
      );
    values.set(name, { data: readFloat32(bytes, info, file), rows: height, columns: width });
  }
  return (tensor, row) => {
    const { data, rows, columns } = values.get(tensor)!;
    if (row >= rows) throw new Error(`${file}: "${tensor}" has ${rows} rows, but row ${row} is asked for`);
    return data.slice(row * columns, (row + 1) * columns);
  };
}

function damage(name: string, what: string, cause?: unknown): Error {
  return new Error(
    `archive: "${name}" cannot be imported: ${what}. Nothing was changed: export it again, or get another copy.`,
    { cause },
  );
}
