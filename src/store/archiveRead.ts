/** @file Reads an archive, one block at a time: every byte and field is checked before it is returned. A bad number would harm all facts of a layer, which are compared together. */

import * as v from "valibot";
import { messageOf } from "../lib/assert.ts";
import { checked, count } from "../lib/check.ts";
import { sha256Hex } from "../lib/hash.ts";
import { readZip, type ZipLimits } from "../lib/zip.ts";
import type { FactId } from "../records/ids.ts";
import { leafOf, rootOf } from "../records/proof.ts";
import {
  routingFacts,
  waitingFact,
  type Memory,
  type MemoryEntry,
  type RoutingFact,
  byFact,
  tiledTokens,
  type EntryMeta,
  type RoutingDocument,
} from "../records/memory.ts";
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  entryLine,
  factsFile,
  MANIFEST,
  manifestShape,
  readLines,
  ROUTING_LINES,
  ROUTING_VECTORS,
  routingLine,
  routingOf,
  vectorsFile,
  WAITING_LINES,
  type Manifest,
} from "./archiveFormat.ts";
import { checkBatch } from "./batch.ts";
import { fromJson, toJson } from "./json.ts";
import { PartsSeen, wholeOf, type Pieces } from "./pieces.ts";
import { StoreVersion } from "./port.ts";
import { signatureShape, type Signature } from "./signing.ts";
import type { Placed } from "./rows.ts";
import { rowsOf } from "./tensors.ts";
import { norm } from "../lib/vector.ts";
import { isWhole, problemWith } from "../records/parameterText.ts";
import { PARAMETER_NAMES, rowOf } from "../records/params.ts";

type Head = Pick<Memory, "model" | "params" | "layers" | "centres">;

/** Checks storage layers, key centres, and parameters that are counts: no step count may be endless, no batch empty. */
export function checkHead({ params, ...head }: Head): void {
  checkLayers(head);
  const counts = PARAMETER_NAMES.filter((name) => isWhole(rowOf(name).kind));
  const [problem] = counts.flatMap((name) => problemWith(name, params[name]) ?? []);
  if (problem !== undefined) throw new Error(`manifest.json, memory.params: ${problem.replace(/\.$/, "")}`);
}

export function checkLayers({ model, layers, centres = [] }: Omit<Head, "params">): void {
  for (const layer of [...layers, ...centres.map((one) => one.layer)])
    if (layer >= model.layers)
      throw new Error(
        `a storage layer or key centre is of layer ${layer}, the model has ${model.layers} layers`,
      );
  for (const { layer, vector } of centres) {
    checkFinite(`the key centre of layer ${layer}`, vector);
    if (vector.length !== model.dFf)
      throw new Error(
        `the key centre of layer ${layer} has ${vector.length} values, but dFf of the model is ${model.dFf}`,
      );
  }
}

export function checkRouting(routing: readonly RoutingDocument[]): void {
  for (const { anchor, vector, facts } of routing)
    for (const one of [vector, ...facts.flatMap((fact) => fact.vector ?? [])])
      checkFinite(`a routing vector of "${anchor}"`, one);
}

/** Rounding to levels or to float32 changes the length of a key by far less. */
const LENGTH_ERROR = 1e-3;

/** A key with NaN would keep the gate of its layer shut; a key longer than a unit vector would win every comparison. */
export function checkEntries(entries: readonly Pick<MemoryEntry, "id" | "key" | "residual">[]): void {
  for (const { id, key, residual } of entries) {
    checkFinite(`the key of fact "${id}"`, key);
    checkFinite(`the residual of fact "${id}"`, residual);
    const length = norm(key);
    if (!(Math.abs(length - 1) <= LENGTH_ERROR))
      throw new Error(`the key of fact "${id}" has length ${length}; a unit vector is expected`);
  }
}

function checkFinite(what: string, vector: Float32Array): void {
  if (!vector.every(Number.isFinite))
    throw new Error(`${what} holds NaN or infinity; finite numbers are expected`);
}

export interface ImportedPart extends Pick<EntryMeta, "id" | "start" | "layer" | "tokens" | "params"> {
  readonly report: Pick<EntryMeta["report"], "respelt">;
}

export const partOf = ({ id, start, layer, tokens, params, report }: MemoryEntry): ImportedPart => ({
  ...{ id, start, layer, tokens, report: report.respelt ? { respelt: report.respelt } : {} },
  ...(params !== undefined && { params }),
});

export function checkFacts(
  entries: readonly ImportedPart[],
  { model, earlier = [] }: Pick<Memory, "model" | "earlier">,
): void {
  for (const { id, layer, tokens, params } of entries) {
    if (params !== undefined && params >= earlier.length)
      throw new Error(
        `fact "${id}" names earlier parameters ${params}, ${earlier.length} sets of them are there`,
      );
    if (tokens < 1 || tokens > model.window || layer >= model.layers)
      throw new Error(
        `fact "${id}" has ${tokens} tokens at layer ${layer}; 1 to ${model.window} at a layer below ${model.layers} are expected`,
      );
  }
  for (const parts of byFact(entries))
    if (tiledTokens(parts) === null)
      throw new Error(
        `the parts of fact "${parts[0]!.id}" begin at tokens ${parts.map(({ start }) => start).join(", ")}; each is expected where the one before it ends, the first at 0`,
      );
}

/** Vectors are stored as they are; only lines deflate, about ten times. Two files hold a block of up to 256 entries. */
const LIMITS: ZipLimits = { maxBytes: 16e9, maxRatio: 100, maxEntries: 4000 };
/** Blocks end at 8 MiB, or hold a single entry; numbers of 8 bits take four times as much once they are read. */
const LARGEST_BLOCK = 64 * 2 ** 20;
const LARGEST_ROUTING = 1e9;
const LARGEST_LINES = 150e6;

export interface ArchiveFiles {
  readonly manifest: Manifest;
  readonly check: string;
  readonly signature: Signature | null;
  read(file: string): Promise<Uint8Array>;
  explained<T>(work: () => Promise<T>): Promise<T>;
}

/** The memory of an archive, checked when it is read. @throws {StoreVersion} on another version; otherwise naming the file */
export const readArchive = async (archive: Uint8Array | Blob, name: string): Promise<Pieces> =>
  piecesOfArchive(await openArchive(archive, name));

export const piecesOfArchive = (files: ArchiveFiles): Promise<Pieces> => files.explained(() => pieces(files));

export const unpackMemory = async (archive: Uint8Array | Blob, name: string): Promise<Memory> =>
  wholeOf(await readArchive(archive, name));

export async function openArchive(archive: Uint8Array | Blob, name: string): Promise<ArchiveFiles> {
  const zip = await readZip(archive, name, LIMITS);
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreVersion || (error instanceof Error && /^(zip|archive): /.test(error.message)))
        throw error;
      throw new Error(
        `archive: "${name}" cannot be read: ${messageOf(error)}. Nothing was changed: use another copy of the file, or export it again.`,
        { cause: error },
      );
    }
  };
  const bytesOf = async (file: string): Promise<Uint8Array> => {
    const entry = zip.get(file);
    if (!entry) throw new Error(`${file} is missing`);
    const most = file.startsWith("vectors/")
      ? LARGEST_BLOCK
      : file.endsWith(".safetensors")
        ? LARGEST_ROUTING
        : LARGEST_LINES;
    if (entry.size > most)
      throw new Error(`${file} unpacks to ${entry.size} bytes, at most ${most} are read`);
    return entry.read();
  };
  const opened = await explained(async () => checkManifest(await bytesOf(MANIFEST), name));
  const read = async (file: string): Promise<Uint8Array> =>
    checkSum(file, await bytesOf(file), opened.manifest);
  return { ...opened, read, explained };
}

function checkManifest(
  bytes: Uint8Array,
  name: string,
): Pick<ArchiveFiles, "manifest" | "check" | "signature"> {
  const found = fromJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  const { check, signature, ...manifest } = checked(
    v.record(v.string(), v.unknown()),
    found,
    `${MANIFEST}: `,
  );
  if (manifest["format"] !== ARCHIVE_FORMAT)
    throw new Error(`${MANIFEST} does not say "format": "${ARCHIVE_FORMAT}"; is it of another program?`);
  const version = checked(count(), manifest["version"], `${MANIFEST}, version: `);
  if (version !== ARCHIVE_VERSION)
    throw new StoreVersion(
      `archive: "${name}" has format ${version}; this version of Palimpsest reads format ${ARCHIVE_VERSION}. Nothing was changed. Open it with Palimpsest ${String(manifest["app"])}, which wrote it, or memorise its sources again.`,
    );
  if (check !== sha256Hex(toJson(manifest))) throw new Error(`${MANIFEST} does not match its own checksum`);
  return {
    manifest: checked(manifestShape, manifest, `${MANIFEST}: `),
    check,
    signature:
      signature === undefined ? null : checked(signatureShape, signature, `${MANIFEST}, signature: `),
  };
}

function checkSum(file: string, bytes: Uint8Array, { files }: Manifest): Uint8Array {
  const sum = files[file];
  if (!sum) throw new Error(`${MANIFEST} does not list ${file}`);
  if (bytes.length !== sum.bytes) throw new Error(`${file} has ${bytes.length} bytes, ${sum.bytes} expected`);
  if (sha256Hex(bytes) !== sum.sha256) throw new Error(`${file} does not match its checksum`);
  return bytes;
}

async function pieces(files: ArchiveFiles): Promise<Pieces> {
  const { memory: head, documents } = files.manifest;
  const lines = readLines(await files.read(ROUTING_LINES), ROUTING_LINES, routingLine);
  const sizes = { documents: [lines.length, null], facts: [null, null] } as const;
  const row = rowsOf(await files.read(ROUTING_VECTORS), ROUTING_VECTORS, sizes);
  const routing = lines.map((line) => routingOf(line, row));
  if (routing.length !== documents)
    throw new Error(`${MANIFEST} counts ${documents} routing documents, the files hold ${routing.length}`);
  const waiting = readLines(await files.read(WAITING_LINES), WAITING_LINES, waitingFact);
  checkBatch({ routing, waiting, sources: head.sources }, head.model);
  checkRouting(routing);
  checkHead(head);
  return { ...head, routing, waiting, batches: () => batchesOf(files, routingFacts(routing)) };
}

async function* batchesOf(
  files: ArchiveFiles,
  routed: ReadonlyMap<FactId, RoutingFact>,
): AsyncGenerator<readonly Placed<MemoryEntry>[]> {
  const { explained, manifest } = files;
  const seen = new PartsSeen();
  const leaves: string[] = [];
  const parts: ImportedPart[] = [];
  // A fact that was encoded again keeps its place, and all its parts share that place.
  const factAt = new Map<number, FactId>();
  const blocks = Object.keys(manifest.files).flatMap((name) => /^facts\/(\d+)\.jsonl$/.exec(name)?.[1] ?? []);
  for (const number of blocks.sort()) {
    yield await explained(async () => {
      const batch = await blockOf(files, number);
      seen.add(batch);
      for (const { item, place } of batch) {
        parts.push(partOf(item));
        leaves.push(leafOf(item, routed));
        const there = factAt.get(place) ?? item.id;
        if (there !== item.id) throw new Error(`${there} and ${item.id} both stand at place ${place}`);
        factAt.set(place, item.id);
      }
      return batch;
    });
  }
  await explained(async () => {
    if (seen.vectors !== manifest.facts)
      throw new Error(`${MANIFEST} counts ${manifest.facts} vectors, the files hold ${seen.vectors}`);
    checkFacts(parts, manifest.memory);
    if (rootOf(leaves) !== manifest.root)
      throw new Error(
        `the entries have the root ${rootOf(leaves)}, but ${MANIFEST} gives ${manifest.root}; an entry was changed, added or removed`,
      );
  });
}

async function blockOf({ manifest, read }: ArchiveFiles, number: string) {
  const { model } = manifest.memory;
  const [facts, vectors] = [factsFile(number), vectorsFile(number)];
  const lines = readLines(await read(facts), facts, entryLine(model));
  const row = rowsOf(await read(vectors), vectors, {
    keys: [lines.length, model.dFf],
    residuals: [lines.length, model.dModel],
  });
  const batch = lines.map(({ place, ...line }, i) => ({
    item: { ...line, key: row("keys", i), residual: row("residuals", i) },
    place,
  }));
  checkEntries(batch.map(({ item }) => item));
  return batch;
}
