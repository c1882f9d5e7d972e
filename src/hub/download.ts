/** @file Downloads files into the cache. A partial file is continued by a Range request; checksums are checked. */

import { Cancelled, throwIfCancelled } from "../lib/assert.ts";
import { createSha256, type Hasher } from "../lib/hash.ts";
import type { FileProgress } from "../records/model.ts";
import {
  type CacheWriter,
  type FileCache,
  folderOf,
  readManifest,
  usableBytes,
  writeManifest,
  type HubCopy,
  type Manifest,
  type ManifestFile,
  type RemoteFile,
} from "./cache.ts";
import {
  askedWait,
  ATTEMPTS,
  isBusy,
  rest,
  RETRY_MS,
  authorised,
  noRoomError,
  offlineError,
  statusError,
  fileUrl,
  type Asked,
} from "./listing.ts";

export interface DownloadPorts {
  readonly cache: FileCache;
  readonly fetch: typeof fetch;
}

export interface DownloadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (files: readonly FileProgress[]) => void;
  readonly token?: string;
  /** Between two attempts after a broken connection, growing fourfold; 500 by default. */
  readonly retryMs?: number;
}

/** Downloads the missing bytes of `files`. @throws Cancelled, and errors with a remedy */
export async function downloadModel(
  ports: DownloadPorts,
  copy: HubCopy,
  files: readonly RemoteFile[],
  options: DownloadOptions = {},
): Promise<void> {
  const { cache } = ports;
  const asked = { ...copy, token: options.token };
  const folder = folderOf(copy);
  const before = await readManifest(cache, folder);
  const sizes = await cache.files(folder);
  const have = files.map((file) => usableBytes(before, sizes, file));
  const left = files.reduce((sum, { bytes }, i) => sum + bytes - have[i]!, 0);
  const room = await cache.room();
  if (room !== null && left > room) throw noRoomError(asked, left, room);

  let manifest: Manifest = { ...copy, files: files.map((file) => asListed(file, before)) };
  const update = async (name: string, change: Partial<ManifestFile>): Promise<void> => {
    manifest = {
      ...manifest,
      files: manifest.files.map((file) => (file.name === name ? { ...file, ...change } : file)),
    };
    await writeManifest(cache, manifest);
  };
  await writeManifest(cache, manifest);
  const report = (): void =>
    options.onProgress?.(files.map(({ name, bytes }, i) => ({ name, done: have[i]!, total: bytes })));
  report();
  for (const [i, file] of files.entries()) {
    const known = manifest.files[i]!;
    if (known.done && have[i] === file.bytes) continue;
    const moved = (done: number): void => {
      have[i] = done;
      report();
    };
    const etag = (found: string | null) => update(file.name, { etag: found });
    const one = new FileDownload(ports, { ...asked, file: file.name }, known, options, { moved, etag });
    await one.run(have[i]!).catch(async (error: unknown) => {
      if ((error as Error).name !== "QuotaExceededError") throw error;
      throw noRoomError(asked, file.bytes - have[i]!, await cache.room(), error);
    });
    await update(file.name, { done: true });
  }
}

/** Metadata of a file is kept only for the same content. */
function asListed(file: RemoteFile, before: Manifest | null): ManifestFile {
  const known = before?.files.find(({ name, oid }) => name === file.name && oid === file.oid);
  return { ...file, done: known?.done ?? false, etag: known?.etag ?? null };
}

interface FileEvents {
  moved(done: number): void;
  etag(etag: string | null): Promise<void>;
}

class FileDownload {
  #etag: string | null;
  #at = 0;
  #hasher: Hasher | undefined;

  constructor(
    private readonly ports: DownloadPorts,
    private readonly asked: Asked & HubCopy,
    private readonly file: ManifestFile,
    private readonly options: DownloadOptions,
    private readonly events: FileEvents,
  ) {
    this.#etag = file.etag;
  }

  get #folder(): string {
    return folderOf(this.asked);
  }

  /** @param from bytes that lie in the cache and are of this content */
  async run(from: number): Promise<void> {
    await this.#begin(from);
    let furthest = this.#at;
    let waits = 0;
    for (let attempt = 0; this.#at < this.file.bytes;) {
      try {
        await this.#fetchRest();
      } catch (error) {
        throwIfCancelled(this.options.signal, "hub: the download");
        if (!(error instanceof Broken)) throw error;
        if (error.wait !== undefined && waits++ < MOST_WAITS) {
          await this.#rest(error.wait);
          continue;
        }
        // Retries as long as each connection brings new data before it breaks. Data that was already there does not
        // count: a server with fewer bytes than it lists would be asked forever.
        attempt = this.#at > furthest ? 1 : attempt + 1;
        furthest = Math.max(furthest, this.#at);
        if (attempt >= ATTEMPTS) throw error.cause;
        await this.#rest((this.options.retryMs ?? RETRY_MS) * 4 ** (attempt - 1));
        if (attempt === ATTEMPTS - 1 && this.#at === from && from > 0 && (await this.#refusesRanges(error))) {
          await this.#begin(0);
          attempt = furthest = 0;
        }
      }
    }
    if (this.file.bytes === 0) await (await this.#writer()).close();
    await this.#check();
  }

  /** Some proxies refuse a request for the rest of a file, and answer one for the whole. */
  async #refusesRanges({ answered }: Broken): Promise<boolean> {
    if (answered) return false;
    const { repo, revision, token } = this.asked;
    const request = { method: "HEAD", headers: authorised(token) };
    const found = this.ports.fetch(fileUrl(repo, revision, this.file.name), request);
    return found.then(({ ok }) => ok).catch(() => false);
  }

  /** Starts at byte `from`; the checksum includes the bytes before it. */
  async #begin(from: number): Promise<void> {
    this.#at = 0;
    this.#hasher = this.file.sha256 === null ? undefined : createSha256();
    const blob = from > 0 ? await this.ports.cache.open(this.#folder, this.file.name) : undefined;
    if (blob && this.#hasher)
      for (let start = 0; start < from; start += HASH_CHUNK) {
        throwIfCancelled(this.options.signal, "hub: the download");
        const part = blob.slice(start, Math.min(from, start + HASH_CHUNK));
        this.#hasher.update(new Uint8Array(await part.arrayBuffer()));
      }
    this.#at = blob ? from : 0;
    this.events.moved(this.#at);
  }

  async #fetchRest(): Promise<void> {
    const response = await this.#request();
    const body = await this.#accept(response);
    if (!body) return;
    const writer = await this.#writer();
    const reader = body.getReader();
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((error: unknown) => this.#broken(error));
        if (done) break;
        await this.#take(writer, value);
      }
    } finally {
      await writer.close();
      await reader.cancel().catch(() => undefined);
    }
    if (this.#at < this.file.bytes) this.#broken(new Error("the connection ended early"));
  }

  async #take(writer: CacheWriter, bytes: Uint8Array): Promise<void> {
    if (this.#at + bytes.length > this.file.bytes)
      throw new Error(
        `hub: ${this.asked.repo}/${this.file.name}: more than the ${this.file.bytes} bytes listed arrived; the file changed on the Hub, list the model again`,
      );
    await writer.write(bytes);
    this.#hasher?.update(bytes);
    this.#at += bytes.length;
    this.events.moved(this.#at);
  }

  async #request(): Promise<Response> {
    const { repo, revision, token } = this.asked;
    const headers = authorised(token);
    if (this.#at > 0) headers["Range"] = `bytes=${this.#at}-`;
    const { signal } = this.options;
    throwIfCancelled(signal, "hub: the download");
    const url = fileUrl(repo, revision, this.file.name);
    // Not from the HTTP cache: a second copy of a model there would cost the room of the first.
    const request = { headers, cache: "no-store" as const, ...(signal ? { signal } : {}) };
    const response = await this.ports.fetch(url, request).catch((error: unknown) => this.#broken(error));
    if (!isBusy(response)) return response;
    await response.body?.cancel();
    throw new Broken(statusError(this.asked, response.status), true, askedWait(response));
  }

  /** The body to append at the current byte; undefined if the file must be started again. */
  async #accept(response: Response): Promise<ReadableStream<Uint8Array> | undefined> {
    const { status, body, headers } = response;
    if (status === 206 && this.#isContinued(headers)) return body ?? undefined;
    if (status === 200) {
      if (this.#at > 0) await this.#begin(0);
      await this.#remember(headers);
      return body ?? undefined;
    }
    await body?.cancel();
    if (status !== 206 && status !== 416) throw statusError(this.asked, status);
    await this.#begin(0);
    return undefined;
  }

  #isContinued(headers: Headers): boolean {
    const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get("Content-Range") ?? "");
    // A foreign server may hide the header from scripts; the length is checked at the end anyway.
    if (range && (Number(range[1]) !== this.#at || Number(range[2]) !== this.file.bytes)) return false;
    // With a checksum the content decides; servers name one version differently.
    if (this.file.sha256 !== null) return true;
    const etag = headers.get("ETag");
    return etag === null || this.#etag === null || etag === this.#etag;
  }

  async #remember(headers: Headers): Promise<void> {
    const etag = headers.get("ETag");
    if (etag === this.#etag) return;
    this.#etag = etag;
    await this.events.etag(etag);
  }

  async #check(): Promise<void> {
    const found = this.#hasher?.hex();
    if (found === undefined || found === this.file.sha256) return;
    await this.ports.cache.remove(this.#folder, this.file.name);
    throw new Error(
      `hub: ${this.asked.repo}/${this.file.name}: the SHA-256 is ${found.slice(0, 12)}…, the Hub lists ${this.file.sha256?.slice(0, 12)}…; the download was damaged and thrown away, start it again`,
    );
  }

  #writer(): Promise<CacheWriter> {
    return this.ports.cache.writer(this.#folder, this.file.name, this.#at);
  }

  #broken(error: unknown): never {
    if (this.options.signal?.aborted) throw new Cancelled("hub: the download: cancelled");
    throw new Broken(offlineError(this.asked, error), false);
  }

  async #rest(milliseconds: number): Promise<void> {
    const { signal } = this.options;
    await rest(milliseconds, signal);
    throwIfCancelled(signal, "hub: the download");
  }
}

/** A failure worth another try; `cause` is the error for the user when all failed. */
class Broken extends Error {
  constructor(
    cause: Error,
    readonly answered: boolean,
    /** Milliseconds that it asked to wait. */
    readonly wait?: number,
  ) {
    super(cause.message, { cause });
  }
}

/** Waits that the Hub may ask for during one file. */
const MOST_WAITS = 20;
const HASH_CHUNK = 4 * 2 ** 20;
