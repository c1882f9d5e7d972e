/** @file The files of an archive: each is read when it is asked for, and checked against the manifest. */

import * as v from "valibot";
import { checked, count } from "../lib/check.ts";
import { sha256Hex } from "../lib/hash.ts";
import { readZip, type ZipLimits } from "../lib/zip.ts";
import { isWhole, problemWith } from "../records/parameterText.ts";
import { PARAMETER_NAMES, rowOf, type MethodParams } from "../records/params.ts";
import type { Memory, MemoryEntry } from "../records/memory.ts";
import { ARCHIVE_FORMAT, ARCHIVE_VERSION, archiveManifest, type ArchiveManifest } from "./archiveLines.ts";
import { fromJson, toJson } from "./json.ts";
import { StoreVersion } from "./port.ts";

/** Vectors are stored as they are; only the lines deflate, some ten times. Two files hold the entries of a block, up to 256. */
const LIMITS: ZipLimits = { maxBytes: 16e9, maxRatio: 100, maxEntries: 4000 };
/** The vectors of the routing index. A tab cannot hold more than one file of this size. */
const LARGEST_ROUTING = 1e9;
/** Blocks end at 8 MiB, or hold a single entry; what they have in 8 bits takes four times as much once it is read. */
const LARGEST_BLOCK = 64 * 2 ** 20;
/** What lines become when they are read takes several times their size. */
const LARGEST_LINES = 150e6;

export interface ArchiveFiles {
  readonly manifest: ArchiveManifest;
  /** The bytes of a file, which are what the manifest says. Rejects when they are not. */
  read(file: string): Promise<Uint8Array>;
  /** Does `work`; what goes wrong in it is told as damage of this archive. */
  told<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Opens an archive and checks its manifest.
 * @param name the file's name, for messages
 * @throws {StoreVersion} when it has another format version; an error naming the file and what is wrong otherwise
 */
export async function openArchive(archive: Uint8Array | Blob, name: string): Promise<ArchiveFiles> {
  const zip = await readZip(archive, name, LIMITS);
  const told = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof StoreVersion || (error instanceof Error && /^(zip|archive): /.test(error.message)))
        throw error;
      throw damage(name, error instanceof Error ? error.message : String(error), error);
    }
  };
  const bytesOf = async (file: string): Promise<Uint8Array> => {
    const entry = zip.get(file);
    if (!entry) throw damage(name, `${file} is missing`);
    const most = largestOf(file);
    if (entry.size > most)
      throw damage(name, `${file} unpacks to ${entry.size} bytes, at most ${most} are read`);
    return entry.read();
  };
  const manifest = await told(async () => checkManifest(await bytesOf("manifest.json"), name));
  const read = async (file: string): Promise<Uint8Array> =>
    checkSum(file, await bytesOf(file), manifest.files, name);
  return { manifest, read, told };
}

const largestOf = (file: string): number =>
  file.startsWith("vectors/")
    ? LARGEST_BLOCK
    : file.endsWith(".safetensors")
      ? LARGEST_ROUTING
      : LARGEST_LINES;

function checkManifest(bytes: Uint8Array, name: string): ArchiveManifest {
  const found = fromJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  const { check, ...manifest } = checked(v.record(v.string(), v.unknown()), found, "manifest.json: ");
  if (manifest["format"] !== ARCHIVE_FORMAT)
    throw damage(name, `manifest.json does not say "format": "${ARCHIVE_FORMAT}"; is it of another program?`);
  const version = checked(count(), manifest["version"], "manifest.json, version: ");
  if (version !== ARCHIVE_VERSION)
    throw new StoreVersion(
      `archive: "${name}" has format ${version}; this version of Palimpsest reads format ${ARCHIVE_VERSION}. Nothing was changed. Open it with Palimpsest ${String(manifest["app"])}, which wrote it, or memorise its sources again.`,
    );
  if (check !== sha256Hex(toJson(manifest))) throw new Error("manifest.json does not match its own checksum");
  return checked(archiveManifest, manifest, "manifest.json: ");
}

function checkSum(
  file: string,
  bytes: Uint8Array,
  files: ArchiveManifest["files"],
  name: string,
): Uint8Array {
  const sum = files[file];
  if (!sum) throw damage(name, `manifest.json says nothing of ${file}`);
  if (bytes.length !== sum.bytes)
    throw damage(name, `${file} has ${bytes.length} bytes, ${sum.bytes} expected`);
  if (sha256Hex(bytes) !== sum.sha256) throw damage(name, `${file} does not match its checksum`);
  return bytes;
}

function damage(name: string, what: string, cause?: unknown): Error {
  return new Error(
    `archive: "${name}" cannot be read: ${what}. Nothing was changed: use another copy of the file, or export it again.`,
    { cause },
  );
}

/** One key that is no number would be nearer to no question, and would keep the gate of its whole layer shut. */
export function checkFinite({
  entries = [],
  routing = [],
  centres = [],
}: Partial<Pick<Memory, "routing" | "centres">> & { readonly entries?: readonly MemoryEntry[] }): void {
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
export function checkCounts(params: MethodParams): void {
  const counts = PARAMETER_NAMES.filter((name) => isWhole(rowOf(name).kind));
  const [problem] = counts.flatMap((name) => problemWith(name, params[name]) ?? []);
  if (problem !== undefined) throw new Error(`manifest.json, memory.params: ${problem.replace(/\.$/, "")}`);
}
