/** @file Models of the Hugging Face Hub: their files, downloading, and the copies in this browser's cache. */

import type { CachedModel, ModelFile } from "../records/model.ts";
import { sha256Hex } from "../lib/hash.ts";
import { blobSource, type ByteSource } from "../weights/source.ts";
import { parseJson, type ModelFiles } from "../weights/modelFiles.ts";
import { isCopyName } from "../weights/copyName.ts";
import {
  type FileCache,
  copyOf,
  folderOf,
  isComplete,
  MANIFEST,
  readManifest,
  usableBytes,
  type HubCopy,
  type RemoteFile,
} from "./cache.ts";
import { downloadModel, type DownloadOptions, type DownloadPorts } from "./download.ts";
import {
  patient,
  authorised,
  offlineError,
  statusError,
  checkRepo,
  fileUrl,
  listRepository,
  mirrored,
} from "./listing.ts";

export interface HubModel extends HubCopy {
  readonly token?: string;
}

export type Hub = ReturnType<typeof createHub>;

export function createHub({
  cache,
  fetch: given = (...request) => globalThis.fetch(...request),
  retryMs,
  mirror,
}: Pick<DownloadPorts, "cache"> &
  Partial<DownloadPorts> &
  Pick<DownloadOptions, "retryMs"> & { readonly mirror?: string | undefined }) {
  // The Hub refuses the pages of some hosts, and need not learn where this one is.
  const send = mirrored((input, init) => given(input, { ...init, referrerPolicy: "no-referrer" }), mirror);
  const ask = patient(send, retryMs);

  async function remoteFiles(model: HubModel) {
    const folder = folderOf(model);
    const [manifest, sizes] = [await readManifest(cache, folder), await cache.files(folder)];
    const complete = manifest !== null && isComplete(manifest, sizes);
    const asked = { ...copyOf(model), token: model.token };
    const files: readonly RemoteFile[] = complete ? manifest.files : await listRepository(asked, ask, mirror);
    return { files, manifest, sizes, complete };
  }

  return {
    /** Files with their cached bytes. A complete copy causes no request, so it works offline. */
    async files(model: HubModel): Promise<ModelFile[]> {
      const { files, manifest, sizes } = await remoteFiles(model);
      return files.map((file) => {
        const { name, bytes } = file;
        return { name, bytes, cached: usableBytes(manifest, sizes, file) };
      });
    },

    /** The parsed config.json; fetched when it is not in the cache. */
    async config(model: HubModel): Promise<unknown> {
      const { repo, revision, token } = model;
      checkRepo(repo);
      const folder = folderOf(model);
      const manifest = await readManifest(cache, folder);
      const done = manifest?.files.some(({ name, done }) => name === CONFIG && done);
      const kept = done ? await cache.open(folder, CONFIG) : undefined;
      const parsed = async (found: Blob | Response): Promise<unknown> =>
        parseJson(new Uint8Array(await found.arrayBuffer()), `hub: ${repo}/${CONFIG}`, OTHER);
      if (kept) return parsed(kept);
      const asked = { repo, revision, token, file: CONFIG };
      const response = await ask(fileUrl(repo, revision, CONFIG), { headers: authorised(token) }).catch(
        (error: unknown) => {
          throw offlineError(asked, error);
        },
      );
      if (!response.ok) throw statusError(asked, response.status);
      return parsed(response);
    },

    async download(model: HubModel, call: Pick<DownloadOptions, "signal" | "onProgress"> = {}) {
      const { token } = model;
      const copy = copyOf(model);
      const { files, sizes, complete } = await remoteFiles(model);
      if (!complete) {
        // Copies of other files are useless, and take space.
        for (const name of sizes.keys())
          if (isCopyName(name)) await cache.remove(folderOf(copy), name).catch(() => undefined);
        await downloadModel({ cache, fetch: send }, copy, files, {
          ...call,
          ...(token ? { token } : {}),
          ...(retryMs === undefined ? {} : { retryMs }),
        });
      }
      return opfsModelFiles(cache, copy, files);
    },

    async cached(): Promise<readonly CachedModel[]> {
      const models: CachedModel[] = [];
      for (const folder of await cache.folders()) {
        const manifest = await readManifest(cache, folder);
        const sizes = await cache.files(folder);
        if (!manifest) continue;
        const bytes = [...sizes].reduce((sum, [name, size]) => sum + (name === MANIFEST ? 0 : size), 0);
        const copies = [...sizes].reduce((sum, [name, size]) => sum + (isCopyName(name) ? size : 0), 0);
        const complete = isComplete(manifest, sizes);
        models.push({ ...copyOf(manifest), bytes, complete, ...(copies > 0 ? { copies } : {}) });
      }
      return models;
    },

    remove: (copy: HubCopy): Promise<void> => cache.remove(folderOf(copy)),
  };
}

function opfsModelFiles(cache: FileCache, copy: HubCopy, files: readonly RemoteFile[]): ModelFiles {
  const folder = folderOf(copy);
  const names = files.map(({ name }) => name);
  const open = async (name: string): Promise<ByteSource | undefined> => {
    const blob = await cache.open(folder, name);
    return blob && blobSource(blob, name);
  };
  return {
    name: copy.repo,
    names,
    open: async (name) => (names.includes(name) ? open(name) : undefined),
    beside: {
      content: sha256Hex(JSON.stringify(files.map(({ name, bytes, oid }) => [name, bytes, oid]))),
      open,
      writer: (name) => cache.writer(folder, name, 0),
      remove: (name) => cache.remove(folder, name),
      room: () => cache.room(),
    },
  };
}

const CONFIG = "config.json";
const OTHER = "Choose another model, or another revision.";
