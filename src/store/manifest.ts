/**
 * @file manifest.json, the one file that says what belongs to the memory. All other files are written once under
 * names never used before; renaming a new manifest over the old one is the moment a change happens.
 */

import * as v from "valibot";
import { checked, count, record, text } from "../lib/check.ts";
import { sha256Hex } from "../lib/hash.ts";
import { hasCompact, type Memory } from "../records/memory.ts";
import { memoryHead } from "../records/shapes.ts";
import type { Folder } from "./folder.ts";
import { fromJson, toJson } from "./json.ts";
import { StoreVersion } from "./port.ts";

/** The newest format this app reads; a memory with vectors smaller than float32 is written in it. */
export const FORMAT_VERSION = 3;
/** What is written of a memory that keeps no words, or whose keys lie behind a centre. */
const WORDLESS_VERSION = 2;
/** What is written of a memory that keeps words and compares keys as they are: older apps read it, and read it rightly. */
const WORDS_VERSION = 1;

/** The format that a memory is written in. */
export const formatOf = (memory: Manifest["memory"]): number =>
  memory && hasCompact(memory)
    ? FORMAT_VERSION
    : memory && needsWordless(memory)
      ? WORDLESS_VERSION
      : WORDS_VERSION;

/** Whether apps before these fields would read the memory wrongly. */
export const needsWordless = ({ salt, centres }: Pick<Memory, "salt" | "centres">): boolean =>
  salt !== undefined || (centres?.length ?? 0) > 0;
const FORMAT = "palimpsest-memory";
export const MANIFEST = "manifest.json";
export const MANIFEST_TEMPORARY = "manifest.json.tmp";

/** A file of the memory; one that differs is damage. */
export interface FileRef {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What one `save` or `append` wrote; later segments replace entries of earlier ones with the same id. */
export interface Segment {
  readonly facts: FileRef | null;
  readonly routing: FileRef | null;
  readonly vectors: readonly FileRef[];
}

export interface Manifest {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** Version of the app that wrote it. */
  readonly app: string;
  /** Grows with every change; part of the names of the files written for it. */
  readonly sequence: number;
  /** All of the memory but entries and routing documents; null: nothing is stored. */
  readonly memory: Omit<Memory, "entries" | "routing"> | null;
  readonly segments: readonly Segment[];
}

const fileRef = record<FileRef>({ name: text(), bytes: count(), sha256: text() });
const manifestShape = record<Manifest>({
  format: v.literal(FORMAT),
  version: count(),
  app: text(),
  sequence: count(),
  memory: v.nullable(memoryHead),
  segments: v.array(
    record<Segment>({
      facts: v.nullable(fileRef),
      routing: v.nullable(fileRef),
      vectors: v.array(fileRef),
    }),
  ),
});

/** The manifest of a folder that holds nothing yet. */
export function emptyManifest(app: string): Manifest {
  return { format: FORMAT, version: formatOf(null), app, sequence: 0, memory: null, segments: [] };
}

/** Names this store gives to files; others in the folder are foreign and never touched. */
export function isStoreFile(name: string): boolean {
  return name === MANIFEST_TEMPORARY || isSegmentFile(name);
}

function isSegmentFile(name: string): boolean {
  return /^((facts|routing)-\d{6,}\.jsonl|vectors\/(layer-\d+|routing)-\d{6,}(-\d+)?\.safetensors)$/.test(
    name,
  );
}

/** Every file the manifest counts on. */
export function filesOf(manifest: Manifest): readonly FileRef[] {
  return manifest.segments.flatMap(({ facts, routing, vectors }) => [
    ...(facts ? [facts] : []),
    ...(routing ? [routing] : []),
    ...vectors,
  ]);
}

/**
 * The folder's manifest; undefined when the folder holds no store.
 * @throws `StoreVersion` on a newer format; an error naming the damage otherwise
 */
export async function readManifest(folder: Folder): Promise<Manifest | undefined> {
  const bytes = await folder.read(MANIFEST);
  if (bytes) return parseManifest(bytes, folder.name);
  const orphan = (await folder.list()).find(isSegmentFile);
  if (orphan) throw damage(folder.name, `${MANIFEST} is missing beside ${orphan}`);
  return undefined;
}

/** Makes `manifest` the folder's state: the commit of every change. */
export async function writeManifest(folder: Folder, manifest: Manifest): Promise<void> {
  const text = toJson({ ...manifest, check: checkOf(manifest) }, 1);
  await folder.write(MANIFEST_TEMPORARY, [new TextEncoder().encode(text)]);
  await folder.sync();
  await folder.rename(MANIFEST_TEMPORARY, MANIFEST);
  await folder.sync();
}

function parseManifest(bytes: Uint8Array, folder: string): Manifest {
  let value: unknown;
  try {
    value = fromJson(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    throw damage(
      folder,
      `${MANIFEST} is not valid JSON (${error instanceof Error ? error.message : String(error)})`,
      error,
    );
  }
  if (typeof value !== "object" || value === null || !("format" in value) || value.format !== FORMAT)
    throw damage(
      folder,
      `${MANIFEST} does not say "format": "${FORMAT}"; is this the folder of another program?`,
    );
  const { check, ...written } = value as Manifest & { check?: unknown };
  checkVersion(written, folder);
  if (check !== checkOf(written)) throw damage(folder, `${MANIFEST} does not match its own checksum`);
  const manifest = checkShape(written, folder);
  const foreign = filesOf(manifest).find((file) => !isSegmentFile(file.name));
  if (foreign)
    throw damage(folder, `${MANIFEST} names the file "${foreign.name}", which is no name of this store`);
  return manifest;
}

function checkShape(written: Manifest, folder: string): Manifest {
  try {
    return checked(manifestShape, written, `${MANIFEST}: `);
  } catch (error) {
    throw damage(folder, error instanceof Error ? error.message : String(error), error);
  }
}

function checkVersion({ version, app }: Manifest, folder: string): void {
  if (Number.isSafeInteger(version) && version >= 1 && version <= FORMAT_VERSION) return;
  throw new StoreVersion(
    `store: ${folder} was written by Palimpsest ${app} in format ${version}; this version reads formats up to ${FORMAT_VERSION}. Nothing was changed: use the newer Palimpsest, or another folder.`,
  );
}

/** SHA-256 of the manifest's content. */
function checkOf(manifest: Manifest): string {
  return sha256Hex(toJson(manifest));
}

/** The error of a store that is not as it was written. */
export function damage(folder: string, what: string, cause?: unknown): Error {
  return new Error(
    `store: ${folder} is damaged: ${what}. Nothing was changed and nothing will be written to it: restore it from a copy, or use another folder.`,
    { cause },
  );
}
