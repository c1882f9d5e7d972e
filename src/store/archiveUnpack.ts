/** @file Reading an archive back: every byte and field is checked before a memory comes out. */

import * as v from "valibot";
import { checked, count } from "../lib/check.ts";
import { sha256Hex } from "../lib/hash.ts";
import { readZip, type ZipLimits } from "../lib/zip.ts";
import type { FactId } from "../records/ids.ts";
import type { Memory, MemoryEntry } from "../records/memory.ts";
import { isWhole, problemWith } from "../records/parameterText.ts";
import { PARAMETER_NAMES, rowOf, type MethodParams } from "../records/params.ts";
import {
  ARCHIVE_FILES,
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  archivedDocument,
  archiveManifest,
  factLineOf,
  type ArchivedDocument,
  type ArchiveFile,
  type ArchiveManifest,
  type FactLine,
} from "./archiveLines.ts";
import { checkBatch } from "./batch.ts";
import { fromJson, toJson } from "./json.ts";
import { entryOf, readLines, routingOf, type EntryLine, type RoutingLine } from "./lines.ts";
import { StoreVersion } from "./port.ts";
import { rowsOf, type RowReader } from "./tensors.ts";

/** Vectors are stored as they are; only the lines deflate, some ten times. A tab cannot hold more than this in all. */
const LIMITS: ZipLimits = { maxBytes: 1e9, maxRatio: 100, maxEntries: 100 };
/** What lines become when they are read takes several times their size. */
const LARGEST_LINES = 150e6;

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
    const most = file === "vectors.safetensors" ? LIMITS.maxBytes : LARGEST_LINES;
    if (entry.size > most)
      throw damage(name, `${file} unpacks to ${entry.size} bytes, at most ${most} are read`);
    return entry.read();
  };
  try {
    const manifest = checkManifest(await read("manifest.json"), name);
    const contents = new Map<ArchiveFile, Uint8Array>();
    for (const file of ARCHIVE_FILES)
      contents.set(file, checkSum(file, await read(file), manifest.files, name));
    const { model } = manifest.memory;
    const facts = readLines(contents.get("facts.jsonl")!, "facts.jsonl", factLineOf(model));
    const routing = readLines(contents.get("routing.jsonl")!, "routing.jsonl", archivedDocument);
    const memory = assemble(manifest.memory, facts, routing, contents.get("vectors.safetensors")!);
    if (memory.entries.length !== manifest.facts || routing.length !== manifest.documents)
      throw new Error(
        `manifest.json counts ${manifest.facts} facts and ${manifest.documents} routing documents, the files hold ${memory.entries.length} and ${routing.length}`,
      );
    checkBatch(memory, model);
    checkFinite(memory);
    checkCounts(memory.params);
    return memory;
  } catch (error) {
    if (error instanceof StoreVersion || (error instanceof Error && /^(zip|archive): /.test(error.message)))
      throw error;
    throw damage(name, error instanceof Error ? error.message : String(error), error);
  }
}

function checkManifest(bytes: Uint8Array, name: string): ArchiveManifest {
  const found = fromJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  const { check, ...manifest } = checked(v.record(v.string(), v.unknown()), found, "manifest.json: ");
  if (manifest["format"] !== ARCHIVE_FORMAT)
    throw damage(name, `manifest.json does not say "format": "${ARCHIVE_FORMAT}"; is it of another program?`);
  const version = checked(count(), manifest["version"], "manifest.json, version: ");
  if (version > ARCHIVE_VERSION)
    throw new StoreVersion(
      `archive: "${name}" was written by Palimpsest ${String(manifest["app"])} in format ${version}; this version reads formats up to ${ARCHIVE_VERSION}. Nothing was changed: import it with the newer Palimpsest.`,
    );
  if (check !== sha256Hex(toJson(manifest))) throw new Error("manifest.json does not match its own checksum");
  return checked(archiveManifest, manifest, "manifest.json: ");
}

function checkSum(
  file: ArchiveFile,
  bytes: Uint8Array,
  files: ArchiveManifest["files"],
  name: string,
): Uint8Array {
  const sum = files[file];
  if (bytes.length !== sum.bytes)
    throw damage(name, `${file} has ${bytes.length} bytes, ${sum.bytes} expected`);
  if (sha256Hex(bytes) !== sum.sha256) throw damage(name, `${file} does not match its checksum`);
  return bytes;
}

function assemble(
  head: ArchiveManifest["memory"],
  facts: readonly FactLine[],
  routing: readonly ArchivedDocument[],
  vectors: Uint8Array,
): Memory {
  const { model } = head;
  const encoded = facts.filter(({ layer }) => layer !== null).length;
  const row = rowsOf(vectors, "vectors.safetensors", {
    keys: [encoded, model.dFf],
    residuals: [encoded, model.dModel],
    documents: [routing.length, null],
    facts: [null, null],
  });
  const parts = new Set(facts.map(({ id, part }) => `${id} ${part}`));
  if (parts.size < facts.length) throw new Error("facts.jsonl names a part of a fact twice");
  // The words stand in the first line of a fact.
  const byId = new Map(facts.toReversed().map((line) => [line.id, line]));
  return {
    ...head,
    entries: entriesOf(facts.slice(0, encoded), row),
    routing: routing.map((document, i) => routingOf(withValues(document, i, byId), row)),
  };
}

/** One key that is no number would be nearer to no question, and would keep the gate of its whole layer shut. */
function checkFinite({ entries, routing, centres = [] }: Memory): void {
  const numbers = (what: string, vector: Float32Array | undefined): void => {
    if (vector && !vector.every(Number.isFinite))
      throw new Error(`${what} holds NaN or infinity; finite numbers are expected`);
  };
  for (const { id, key, residual } of entries) {
    numbers(`the key of fact "${id}"`, key);
    numbers(`the residual of fact "${id}"`, residual);
  }
  for (const { anchor, vector, facts } of routing)
    for (const one of [vector, ...facts.map((fact) => fact.vector)])
      numbers(`a routing vector of "${anchor}"`, one);
  for (const { layer, vector } of centres) numbers(`the key centre of layer ${layer}`, vector);
}

/** A fact is encoded again as the memory says: with a batch of none, or steps without end, that would never come back. */
function checkCounts(params: MethodParams): void {
  const counts = PARAMETER_NAMES.filter((name) => isWhole(rowOf(name).kind));
  const [problem] = counts.flatMap((name) => problemWith(name, params[name]) ?? []);
  if (problem !== undefined) throw new Error(`manifest.json, memory.params: ${problem.replace(/\.$/, "")}`);
}

const entriesOf = (lines: readonly FactLine[], row: RowReader): MemoryEntry[] =>
  lines.map((line, i) => entryOf(encodedLine(line), i, row));

/** The document with the words of its facts, which stand in facts.jsonl. */
function withValues(
  { anchor, order, facts }: ArchivedDocument,
  index: number,
  byId: ReadonlyMap<FactId, FactLine>,
): RoutingLine {
  const worded = facts.map(({ id, index: j, vector }) => {
    const { value = null, questions = [], terms } = byId.get(id) ?? {};
    if (value === null && terms === undefined)
      throw new Error(`routing.jsonl: "${anchor}" names fact "${id}", but facts.jsonl has no value for it`);
    const hashes = terms === undefined ? {} : { terms };
    return { id, index: j, value, questions, ...hashes, ...(vector !== null && { vector }) };
  });
  return { anchor, order, facts: worded, vector: index };
}

function encodedLine(line: FactLine): EntryLine {
  const {
    id,
    document: documentId,
    anchor,
    index,
    offset,
    part,
    start,
    layer,
    tokens,
    params,
    report,
  } = line;
  if (layer === null || tokens === null || report === null)
    throw new Error(`facts.jsonl: fact "${id}" is not encoded, but stands before one that is`);
  const made = params === undefined ? {} : { params };
  return { id, documentId, anchor, index, offset, part, start, layer, tokens, ...made, report };
}

function damage(name: string, what: string, cause?: unknown): Error {
  return new Error(
    `archive: "${name}" cannot be imported: ${what}. Nothing was changed: export it again, or get another copy.`,
    { cause },
  );
}
