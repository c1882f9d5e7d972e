/**
 * @file A file on a server, read by HTTP range requests (RFC 9110 section 14). A server that ignores ranges is
 * read once from front to back instead, which serves a loader that goes through the tensors in file order.
 */

import { Cancelled, messageOf, throwIfCancelled } from "../lib/assert.ts";
import { byteSource, fill, readingAhead, shortRead } from "./source.ts";
import type { ByteSource, ChunkReader } from "./source.ts";

export interface UrlOptions {
  /** Replaces the global fetch in tests. */
  readonly fetch?: typeof fetch;
  /** Requests per range before giving up on network failures, 429 and 5xx; 3 by default. */
  readonly attempts?: number;
  /** Told when the server ignores ranges and what that means. */
  readonly onNotice?: (message: string) => void;
  readonly signal?: AbortSignal;
}

interface Settings extends UrlOptions {
  readonly fetch: typeof fetch;
  readonly attempts: number;
}

/** Bytes that may be held whole when a server does not do ranges (small JSON sent compressed, the bundled model). */
const MAX_HELD_BYTES = 64 * 2 ** 20;
const RETRY_MS = 250;

/**
 * Opens a URL. Resolves to undefined when the server has no such file (404, 410, or an HTML page in its place,
 * as single-page servers answer). Rejects on other statuses, naming URL, status and what to do.
 */
export async function openUrl(url: string, options: UrlOptions = {}): Promise<ByteSource | undefined> {
  const settings: Settings = {
    ...options,
    fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
    attempts: options.attempts ?? 3,
  };
  const probe = (): Promise<Response> => request(url, { Range: "bytes=0-7" }, settings, options.signal);
  const response = await withRetries(settings, options.signal, probe);
  if (isMissing(response)) return discard(response, undefined);
  if (response.status === 416) return discard(response, emptySource(url));
  if (response.status === 206)
    return discard(
      response,
      readingAhead(rangeSource(url, await totalSize(url, response, settings), settings)),
    );
  if (response.status === 200) return wholeSource(url, response, settings);
  throw new Error(
    `weights: ${url}: the server answered ${status(response)}; check the address and that the file is public.`,
  );
}

function isMissing(response: Response): boolean {
  const html = response.headers.get("Content-Type")?.startsWith("text/html") ?? false;
  return response.status === 404 || response.status === 410 || (response.ok && html);
}

async function discard<T>(response: Response, value: T): Promise<T> {
  await response.body?.cancel();
  return value;
}

function emptySource(url: string): ByteSource {
  return byteSource({
    name: url,
    size: 0,
    readInto: () => Promise.resolve(),
    close: () => Promise.resolve(),
  });
}

/** From Content-Range; from a HEAD request where a foreign server does not expose that header to scripts. */
async function totalSize(url: string, response: Response, settings: Settings): Promise<number> {
  const range = contentRange(response);
  if (range) return range.total;
  const head = await settings.fetch(url, {
    method: "HEAD",
    cache: "no-store",
    ...withSignal(settings.signal),
  });
  const size = contentLength(head);
  if (head.ok && size !== undefined) return size;
  throw new Error(
    `weights: ${url}: the server sends the size neither in Content-Range (${response.headers.get("Content-Range") ?? "absent"}) nor in Content-Length. Download the file and open it from disk.`,
  );
}

// --- ranges ---

function rangeSource(url: string, size: number, settings: Settings): ByteSource {
  let whole: ByteSource | undefined;

  /** A service worker that takes over in the middle of loading answers from its store, which knows no ranges. */
  async function held(response: Response): Promise<ByteSource | undefined> {
    if (response.status !== 200 || size > MAX_HELD_BYTES || isMissing(response)) return undefined;
    const source = await wholeSource(url, response, settings);
    if (source.size === size) return source;
    throw new Error(
      `weights: ${url}: the server sent ${source.size} bytes, ${size} expected. The file changed on the server: load the model again.`,
    );
  }

  async function once(start: number, into: Uint8Array, signal?: AbortSignal): Promise<void> {
    if (whole) return whole.readInto(start, into, signal);
    const end = start + into.length;
    const response = await request(url, { Range: `bytes=${start}-${end - 1}` }, settings, signal);
    whole = await held(response);
    if (whole) return whole.readInto(start, into, signal);
    if (response.status !== 206)
      throw await discard(
        response,
        new Error(
          `weights: ${url}: asked for bytes [${start}, ${end}), the server answered ${status(response)}, 206 expected. Load the model again.`,
        ),
      );
    const range = contentRange(response);
    if (range && (range.start !== start || range.end !== end || range.total !== size))
      throw await discard(
        response,
        new Error(
          `weights: ${url}: asked for bytes [${start}, ${end}) of ${size}, got [${range.start}, ${range.end}) of ${range.total}. The file changed on the server: load the model again.`,
        ),
      );
    const filled = response.body ? await fill(chunks(response.body), into) : 0;
    if (filled < into.length) throw shortRead(url, start, into.length, filled);
  }
  return byteSource({
    name: url,
    size,
    readInto: (start, into, signal) => withRetries(settings, signal, () => once(start, into, signal)),
    close: () => Promise.resolve(),
  });
}

/** "bytes 0-7/1234" as a half-open range; undefined when absent or of unknown size. */
function contentRange(response: Response): { start: number; end: number; total: number } | undefined {
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "");
  return match ? { start: Number(match[1]), end: Number(match[2]) + 1, total: Number(match[3]) } : undefined;
}

// --- front to back ---

/**
 * The server sent the whole file: a small one is held, a large one is passed through once. The received bytes decide the length of
 * a held file: behind a service worker Content-Length may count the compressed bytes, and Content-Encoding,
 * which would show it, is missing.
 */
async function wholeSource(url: string, response: Response, settings: Settings): Promise<ByteSource> {
  const encoded = (response.headers.get("Content-Encoding") ?? "identity") !== "identity";
  const size = encoded ? undefined : contentLength(response);
  const body = response.body;
  if (!body) return emptySource(url);
  if (size === undefined || size <= MAX_HELD_BYTES) {
    const bytes = await holdWhole(url, chunks(body));
    if (size !== undefined && bytes.length < size) throw shortRead(url, 0, size, bytes.length);
    return memorySource(url, bytes);
  }
  settings.onNotice?.(
    `weights: ${url}: the server ignores Range requests; the file is read once from front to back, and an interrupted load starts over.`,
  );
  return sequentialSource(url, size, chunks(body));
}

function sequentialSource(url: string, size: number, reader: ChunkReader): ByteSource {
  let position = 0;
  let pending = new Uint8Array(0);

  /** Moves up to `count` bytes on, copying them into `into` where given. */
  async function advance(count: number, into?: Uint8Array): Promise<number> {
    let moved = 0;
    while (moved < count) {
      if (pending.length === 0) {
        const { done, value } = await reader.read();
        if (done || !value) break;
        pending = value as Uint8Array<ArrayBuffer>;
      }
      const part = pending.subarray(0, count - moved);
      into?.set(part, moved);
      pending = pending.subarray(part.length);
      moved += part.length;
    }
    position += moved;
    return moved;
  }

  return byteSource({
    name: url,
    size,
    async readInto(start, into, signal) {
      throwIfCancelled(signal, `weights: ${url}`);
      if (start < position)
        throw new Error(
          `weights: ${url}: the server ignores Range requests, so the file is read from front to back, and byte ${start} has passed (now at ${position}). Read the tensors in file order, or use a server with Range requests, or download the model and open it from disk.`,
        );
      const skip = start - position;
      if ((await advance(skip)) < skip) throw shortRead(url, start, into.length, 0);
      const got = await advance(into.length, into);
      if (got < into.length) throw shortRead(url, start, into.length, got);
    },
    close: () => reader.cancel(),
  });
}

async function holdWhole(url: string, reader: ChunkReader): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done || !value) break;
    parts.push(value);
    size += value.length;
    if (size > MAX_HELD_BYTES) {
      await reader.cancel();
      throw new Error(
        `weights: ${url}: the server neither honours Range requests nor sends the size, and the file exceeds ${MAX_HELD_BYTES} bytes. Download it and open it from disk.`,
      );
    }
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function memorySource(url: string, bytes: Uint8Array): ByteSource {
  return byteSource({
    name: url,
    size: bytes.length,
    readInto: (start, into) => {
      into.set(bytes.subarray(start, start + into.length));
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  });
}

// --- requests ---

/** One request; a transient status (429, 5xx) rejects as {@link Transient} so that `withRetries` repeats it. */
async function request(
  url: string,
  headers: Record<string, string>,
  settings: Settings,
  signal?: AbortSignal,
): Promise<Response> {
  throwIfCancelled(signal, `weights: ${url}`);
  const response = await send(url, headers, settings, signal);
  if (response.status !== 429 && response.status < 500) return response;
  throw await discard(
    response,
    new Transient(`weights: ${url}: the server answered ${status(response)}; try again later.`),
  );
}

async function send(
  url: string,
  headers: Record<string, string>,
  settings: Settings,
  signal?: AbortSignal,
): Promise<Response> {
  try {
    // Past the browser's cache: where it holds a compressed copy it cuts the ranges out of the compressed bytes.
    return await settings.fetch(url, { headers, cache: "no-store", ...withSignal(signal) });
  } catch (error) {
    if (signal?.aborted) throw new Cancelled(`weights: ${url}: cancelled`);
    const why = messageOf(error);
    throw new Transient(
      `weights: ${url}: no answer (${why}). Check the connection and that the server allows this page (CORS).`,
    );
  }
}

/** A failure worth another try. */
class Transient extends Error {}

async function withRetries<T>(
  settings: Settings,
  signal: AbortSignal | undefined,
  job: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await job();
    } catch (error) {
      if (signal?.aborted) throw new Cancelled("weights: cancelled");
      if (!(error instanceof Transient || error instanceof TypeError) || attempt >= settings.attempts)
        throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * 4 ** (attempt - 1)));
    }
  }
}

/** A stream's reader; a broken connection rejects its `read` with a TypeError, which is retried. */
function chunks(body: ReadableStream<Uint8Array>): ChunkReader {
  return body.getReader();
}

function contentLength(response: Response): number | undefined {
  const text = response.headers.get("Content-Length");
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

function withSignal(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal ? { signal } : {};
}

function status(response: Response): string {
  return `${response.status} ${response.statusText}`.trim();
}
