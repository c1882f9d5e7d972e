/** @file Models of the Hugging Face Hub: what they are made of, downloading, and the copies kept in this browser. */

import type { CachedModel, FileProgress, ModelFile } from "../records/model.ts";
import { blobSource } from "../weights/source.ts";
import type { ModelFiles } from "../weights/modelFiles.ts";
import type { FileCache } from "./cache.ts";
import { downloadModel } from "./download.ts";
import { offlineError, statusError } from "./errors.ts";
import { fileUrl, listRepository } from "./listing.ts";
import {
  folderOf,
  isComplete,
  MANIFEST,
  readManifest,
  usableBytes,
  type Manifest,
  type RemoteFile,
} from "./manifest.ts";

export interface HubPorts {
  readonly cache: FileCache;
  /** The global one by default. */
  readonly fetch?: typeof fetch;
  readonly retryMs?: number;
}

export interface HubModel {
  readonly repo: string;
  readonly revision: string;
  readonly token?: string;
}

export interface HubCall {
  readonly signal?: AbortSignal;
  readonly onProgress?: (files: readonly FileProgress[]) => void;
}

export interface Hub {
  /** Files with what lies in the cache already. A complete copy is not asked after again, so it works offline. */
  files(model: HubModel): Promise<readonly ModelFile[]>;
  /** The parsed config.json; fetched when it is not in the cache. */
  config(model: HubModel): Promise<unknown>;
  /** Downloads what is missing and opens the copy. */
  download(model: HubModel, call?: HubCall): Promise<ModelFiles>;
  cached(): Promise<readonly CachedModel[]>;
  remove(repo: string, revision: string): Promise<void>;
}

export function createHub(ports: HubPorts): Hub {
  const { cache, fetch: send = (...request) => globalThis.fetch(...request), retryMs } = ports;

  async function remoteFiles({ repo, revision, token }: HubModel): Promise<{
    files: readonly RemoteFile[];
    manifest: Manifest | null;
    sizes: ReadonlyMap<string, number>;
    complete: boolean;
  }> {
    const folder = folderOf(repo, revision);
    const [manifest, sizes] = [await readManifest(cache, folder), await cache.files(folder)];
    if (manifest && isComplete(manifest, sizes))
      return { files: manifest.files, manifest, sizes, complete: true };
    const files = await listRepository({ repo, revision, token }, send);
    return { files, manifest, sizes, complete: false };
  }

  return {
    async files(model) {
      const { files, manifest, sizes } = await remoteFiles(model);
      return files.map((file) => ({
        name: file.name,
        bytes: file.bytes,
        cached: usableBytes(manifest, sizes, file),
      }));
    },

    async config({ repo, revision, token }) {
      const folder = folderOf(repo, revision);
      const manifest = await readManifest(cache, folder);
      const done = manifest?.files.some(({ name, done }) => name === CONFIG && done);
      const kept = done ? await cache.open(folder, CONFIG) : undefined;
      if (kept) return JSON.parse(await kept.text()) as unknown;
      const asked = { repo, revision, token, file: CONFIG };
      const headers: Record<string, string> = token ? { Authorization: `Bearer ${token}` } : {};
      const response = await send(fileUrl(repo, revision, CONFIG), { headers }).catch((error: unknown) => {
        throw offlineError(asked, error);
      });
      if (!response.ok) throw statusError(asked, response.status);
      return response.json() as Promise<unknown>;
    },

    async download(model, call = {}) {
      const { repo, revision, token } = model;
      const { files, complete } = await remoteFiles(model);
      if (!complete)
        await downloadModel({ cache, fetch: send }, repo, revision, files, {
          ...call,
          ...(token ? { token } : {}),
          ...(retryMs === undefined ? {} : { retryMs }),
        });
      return opfsModelFiles(
        cache,
        model,
        files.map(({ name }) => name),
      );
    },

    async cached() {
      const models: CachedModel[] = [];
      for (const folder of await cache.folders()) {
        const manifest = await readManifest(cache, folder);
        const sizes = await cache.files(folder);
        if (!manifest) continue;
        const bytes = [...sizes].reduce((sum, [name, size]) => sum + (name === MANIFEST ? 0 : size), 0);
        const { repo, revision } = manifest;
        models.push({ repo, revision, bytes, complete: isComplete(manifest, sizes) });
      }
      return models;
    },

    remove: (repo, revision) => cache.remove(folderOf(repo, revision)),
  };
}

/** The files of a downloaded model, read in place. */
function opfsModelFiles(
  cache: FileCache,
  { repo, revision }: Pick<HubModel, "repo" | "revision">,
  names: readonly string[],
): ModelFiles {
  return {
    name: repo,
    names,
    async open(name) {
      const blob = names.includes(name) ? await cache.open(folderOf(repo, revision), name) : undefined;
      return blob && blobSource(blob, name);
    },
  };
}

const CONFIG = "config.json";
