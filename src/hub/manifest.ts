/** @file The files of a cached model and which of them are complete: one small JSON file in its folder. */

import * as v from "valibot";
import { checked, count, list, object, text, type Infer } from "../lib/check.ts";
import { DTYPES, type EmbedderDtype } from "../records/model.ts";
import type { FileCache } from "./cache.ts";

const remoteFile = {
  name: text(),
  bytes: count(),
  /** Changes when the content does. */
  oid: text(),
  /** Of the content (hex); null if the Hub gives none. */
  sha256: v.nullable(text()),
};
const manifestFile = object({
  ...remoteFile,
  /** All bytes are there, and checked. */
  done: v.boolean(),
  /** The server's tag of the version whose first bytes are there. */
  etag: v.nullable(text()),
});
export type ManifestFile = Infer<typeof manifestFile>;

export type RemoteFile = Pick<ManifestFile, keyof typeof remoteFile>;

export interface HubCopy {
  readonly repo: string;
  readonly revision: string;
  /** The weights of an embedder for transformers.js, in ONNX; absent: those of a language model, in safetensors. */
  readonly onnx?: EmbedderDtype;
}

export const copyOf = ({ repo, revision, onnx }: HubCopy): HubCopy => ({
  repo,
  revision,
  ...(onnx ? { onnx } : {}),
});

export type Manifest = Infer<typeof manifestShape>;
const manifestShape = object({
  repo: text(),
  revision: text(),
  onnx: v.optional(v.picklist(DTYPES)),
  files: list(manifestFile),
});

export const MANIFEST = "palimpsest-manifest.json";

export const folderOf = ({ repo, revision, onnx }: HubCopy): string =>
  `${repo}@${revision}${onnx ? `+onnx-${onnx}` : ""}`;

/** Null if it is missing, truncated or invalid: then no file counts as complete. */
export async function readManifest(cache: FileCache, folder: string): Promise<Manifest | null> {
  const blob = await cache.open(folder, MANIFEST);
  if (!blob) return null;
  try {
    return checked(manifestShape, JSON.parse(await blob.text()), `hub: ${folder}: `);
  } catch {
    return null;
  }
}

export async function writeManifest(cache: FileCache, manifest: Manifest): Promise<void> {
  const writer = await cache.writer(folderOf(manifest), MANIFEST, 0);
  try {
    await writer.write(new TextEncoder().encode(JSON.stringify(manifest, null, 1)));
  } finally {
    await writer.close();
  }
}

/** Bytes of `file` that need not be fetched again, given the sizes in its folder. */
export function usableBytes(
  manifest: Manifest | null,
  sizes: ReadonlyMap<string, number>,
  file: RemoteFile,
): number {
  const known = manifest?.files.find(({ name }) => name === file.name);
  const have = sizes.get(file.name) ?? 0;
  return known?.oid === file.oid && have <= file.bytes ? have : 0;
}

export function isComplete({ files }: Manifest, sizes: ReadonlyMap<string, number>): boolean {
  return files.length > 0 && files.every(({ name, bytes, done }) => done && sizes.get(name) === bytes);
}
