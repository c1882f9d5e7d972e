/** @file A model folder in Hugging Face layout, on disk (tools/node/nodeFile.ts), from chosen files, or at a URL. */

import { assert, messageOf } from "../lib/assert.ts";
import { isDeeper } from "../lib/deepJson.ts";
import { blobSource, type ByteSource } from "./source.ts";
import { openUrl } from "./urlSource.ts";

export interface ModelFiles {
  readonly name: string;
  /** Known file names; empty if they cannot be listed (a URL). */
  readonly names: readonly string[];
  open(name: string): Promise<ByteSource | undefined>;
  readonly beside?: Beside;
}

export interface Beside {
  /** Identifies the contents of the model's files; it changes with them. */
  readonly content: string;
  open(name: string): Promise<ByteSource | undefined>;
  /** A file to write from its first byte on. Rejects while another tab writes it. */
  writer(name: string): Promise<BesideWriter>;
  remove(name: string): Promise<void>;
  room(): Promise<number | null>;
}

export interface BesideWriter {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

export const blobModelFiles = (name: string, files: ReadonlyMap<string, Blob>): ModelFiles => ({
  name,
  names: [...files.keys()],
  open: (file) => {
    const blob = files.get(file);
    return Promise.resolve(blob && blobSource(blob, file));
  },
});

export function urlModelFiles(base: string): ModelFiles {
  const folder = base.endsWith("/") ? base : `${base}/`;
  return { name: folder, names: [], open: (file) => openUrl(folder + encodeURIComponent(file)) };
}

/** A whole file of at most `most` bytes; undefined when the folder has none. @throws if it is larger */
export async function readWhole(
  files: Pick<ModelFiles, "name" | "open">,
  name: string,
  most = Number.MAX_SAFE_INTEGER,
): Promise<Uint8Array | undefined> {
  const source = await files.open(name);
  if (!source) return undefined;
  try {
    if (source.size > most)
      throw new Error(
        `weights: ${files.name}: ${name} has ${source.size} bytes, at most ${most} are expected of such a file. Download it again.`,
      );
    return await source.read(0, source.size);
  } finally {
    await source.close();
  }
}

/** A whole JSON file; undefined when the folder has none. Rejects naming the file when it is not JSON. */
export async function readJson(files: ModelFiles, name: string): Promise<unknown> {
  const bytes = await readWhole(files, name, LARGEST_BYTES);
  return bytes && parseJson(bytes, `weights: ${files.name}: ${name}`);
}

/** @param place of the file, with which an error begins */
export function parseJson(bytes: Uint8Array, place: string, advice = "Download it again."): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    assert(!isDeeper(text, DEEPEST), () => `it nests its values more than ${DEEPEST} deep`);
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${place} is not valid JSON in UTF-8 (${messageOf(error)}). ${advice}`, { cause: error });
  }
}

/** The largest tokenizers in use have 35 MB. */
const LARGEST_BYTES = 100_000_000;
/** A tokenizer.json is about ten levels deep. */
const DEEPEST = 100;

/** A file of which there was no room for all bytes is removed. */
export async function keepBeside(beside: Beside, name: string, bytes: Uint8Array): Promise<void> {
  const writer = await beside.writer(name);
  let whole = false;
  try {
    await writer.write(bytes);
    whole = true;
  } finally {
    await writer.close();
    if (!whole) await beside.remove(name);
  }
}
