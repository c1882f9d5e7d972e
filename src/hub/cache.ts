/** @file Where downloaded models are: folders of files that can be written on from any byte, each with a manifest. OPFS in the browser. */

import * as v from "valibot";
import { checked, count, list, object, text, type Infer } from "../lib/check.ts";
import { DTYPES, type CachedModel } from "../records/model.ts";

/** Folders of files. Names are those of the Hub; implementations escape them for their storage. */
export interface FileCache {
  folders(): Promise<readonly string[]>;
  /** Name and bytes of every file; empty when there is no such folder. */
  files(folder: string): Promise<ReadonlyMap<string, number>>;
  open(folder: string, name: string): Promise<Blob | undefined>;
  /** A file to write from byte `from` on, made when it is not there; what lay behind is cut off. */
  writer(folder: string, name: string, from: number): Promise<CacheWriter>;
  /** Removes a file, or a folder with all its files, if it exists. */
  remove(folder: string, name?: string): Promise<void>;
  /** Bytes that may still be written; null where that is not known. */
  room(): Promise<number | null>;
}

export interface CacheWriter {
  /** Rejects with a QuotaExceededError when there is no room. */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** FileSystemSyncAccessHandle: TypeScript declares it for workers only, this project compiles with the DOM. */
interface SyncHandle {
  write(bytes: Uint8Array, options: { at: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}
type WithSyncHandle = FileSystemFileHandle & { createSyncAccessHandle(): Promise<SyncHandle> };
type Entries = AsyncIterable<[string, FileSystemFileHandle | FileSystemDirectoryHandle]>;

/** Models under "models/" in the private file system of this origin. */
export function opfsCache(storage: StorageManager = navigator.storage): FileCache {
  const root = async () => (await storage.getDirectory()).getDirectoryHandle("models", { create: true });
  const directory = async (folder: string): Promise<FileSystemDirectoryHandle | undefined> =>
    orMissing((await root()).getDirectoryHandle(encodeURIComponent(folder)));

  return {
    async folders() {
      const names: string[] = [];
      for await (const [name, { kind }] of entries(await root()))
        if (kind === "directory") names.push(decodeURIComponent(name));
      return names;
    },
    async files(folder) {
      const sizes = new Map<string, number>();
      const found = await directory(folder);
      if (!found) return sizes;
      for await (const [name, handle] of entries(found))
        if (handle.kind === "file") sizes.set(decodeURIComponent(name), (await handle.getFile()).size);
      return sizes;
    },
    async open(folder, name) {
      const found = await directory(folder);
      const file = found && (await orMissing(found.getFileHandle(encodeURIComponent(name))));
      return file?.getFile();
    },
    async writer(folder, name, from) {
      const place = await (await root()).getDirectoryHandle(encodeURIComponent(folder), { create: true });
      const file = await place.getFileHandle(encodeURIComponent(name), { create: true });
      return writing(file as WithSyncHandle, `${folder}/${name}`, from);
    },
    async remove(folder, name) {
      if (name === undefined) {
        await orMissing((await root()).removeEntry(encodeURIComponent(folder), { recursive: true }));
        return;
      }
      const found = await directory(folder);
      if (found) await orMissing(found.removeEntry(encodeURIComponent(name)));
    },
    async room() {
      const { quota, usage } = await storage.estimate();
      return quota === undefined || usage === undefined ? null : Math.max(0, quota - usage);
    },
  };
}

async function writing(file: WithSyncHandle, what: string, from: number): Promise<CacheWriter> {
  const handle = await file.createSyncAccessHandle().catch((error: unknown) => {
    if ((error as Error).name !== "NoModificationAllowedError") throw error;
    throw new Error(
      `hub: ${what} is being written already, perhaps by another tab; let it finish, or close that tab`,
      { cause: error },
    );
  });
  let at = from;
  handle.truncate(from);
  return {
    write: async (bytes) => {
      const written = handle.write(bytes, { at });
      at += written;
      if (written < bytes.length) throw new DOMException(`${what}: no room`, "QuotaExceededError");
    },
    close: async () => {
      try {
        handle.flush();
      } finally {
        // Where the disk is full it cannot be flushed; left open, the file could be neither removed nor written again.
        handle.close();
      }
    },
  };
}

const entries = (directory: FileSystemDirectoryHandle): Entries =>
  (directory as unknown as { entries(): Entries }).entries();

async function orMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if ((error as Error).name === "NotFoundError") return undefined;
    throw error;
  }
}

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
  done: v.boolean(),
  /** The server's tag of the version whose first bytes are there. */
  etag: v.nullable(text()),
});
export type ManifestFile = Infer<typeof manifestFile>;

export type RemoteFile = Pick<ManifestFile, keyof typeof remoteFile>;

export type HubCopy = Pick<CachedModel, "repo" | "revision" | "onnx">;

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

export const isComplete = ({ files }: Manifest, sizes: ReadonlyMap<string, number>): boolean =>
  files.length > 0 && files.every(({ name, bytes, done }) => done && sizes.get(name) === bytes);
