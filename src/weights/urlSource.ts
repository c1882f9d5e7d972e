/** @file A file on a server, read by HTTP range requests (RFC 9110 section 14). A small file may also arrive whole. */

import { Cancelled, messageOf, throwIfCancelled } from "../lib/assert.ts";
import { blobSource, byteSource, fill, readingAhead, shortRead, type ByteSource } from "./source.ts";

const MAX_HELD_BYTES = 64 * 2 ** 20;
/** Requests per range before giving up on network failures, 429 and 5xx. */
const ATTEMPTS = 3;
const RETRY_MS = 250;

/** Opens a URL; undefined if the server has no such file (404, 410, or an HTML page). Rejects naming URL, status and remedy. */
export async function openUrl(url: string): Promise<ByteSource | undefined> {
  const response = await withRetries(undefined, () => request(url, "bytes=0-7"));
  const range = contentRange(response);
  if (isMissing(response)) return discard(response, undefined);
  if (response.status === 416) return discard(response, blobSource(new Blob(), url));
  if (response.status === 206 && range) return discard(response, readingAhead(rangeSource(url, range.total)));
  if (response.status === 200) return holdWhole(url, response);
  const size = response.status === 206 ? " without the size of the file in Content-Range" : "";
  throw await discard(
    response,
    new Error(
      `weights: ${url}: the server answered ${status(response)}${size}; check the address and that the file is public.`,
    ),
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

function rangeSource(url: string, size: number): ByteSource {
  let whole: ByteSource | undefined;

  async function once(start: number, into: Uint8Array, signal?: AbortSignal): Promise<void> {
    if (whole) return whole.readInto(start, into, signal);
    const end = start + into.length;
    const response = await request(url, `bytes=${start}-${end - 1}`, signal);
    // A service worker that takes over during the load answers from its store, which knows no ranges.
    if (response.status === 200 && size <= MAX_HELD_BYTES && !isMissing(response)) {
      const found = await holdWhole(url, response);
      if (found.size !== size)
        throw new Error(
          `weights: ${url}: the server sent ${found.size} bytes, ${size} expected. The file changed on the server: load the model again.`,
        );
      whole = found;
      return whole.readInto(start, into, signal);
    }
    const range = contentRange(response);
    const wrong =
      response.status !== 206
        ? `, the server answered ${status(response)}, 206 expected. Load the model again.`
        : range && (range.start !== start || range.end !== end || range.total !== size)
          ? ` of ${size}, got [${range.start}, ${range.end}) of ${range.total}. The file changed on the server: load the model again.`
          : undefined;
    if (wrong !== undefined)
      throw await discard(response, new Error(`weights: ${url}: asked for bytes [${start}, ${end})${wrong}`));
    const filled = response.body ? await fill(response.body.getReader(), into) : 0;
    if (filled < into.length) throw shortRead(url, start, into.length, filled);
  }
  return byteSource({
    name: url,
    size,
    readInto: (start, into, signal) => withRetries(signal, () => once(start, into, signal)),
    close: () => Promise.resolve(),
  });
}

/** "bytes 0-7/1234" as a half-open range; undefined when absent or of unknown size. */
function contentRange(response: Response): { start: number; end: number; total: number } | undefined {
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get("Content-Range") ?? "");
  return match ? { start: Number(match[1]), end: Number(match[2]) + 1, total: Number(match[3]) } : undefined;
}

/** The whole of a small file. Its bytes decide its length: Content-Length may count compressed bytes. */
async function holdWhole(url: string, { headers, body }: Response): Promise<ByteSource> {
  const encoded = (headers.get("Content-Encoding") ?? "identity") !== "identity";
  const length = encoded ? 0 : Number(headers.get("Content-Length") ?? 0);
  const parts: BlobPart[] = [];
  let size = 0;
  const reader = body?.getReader();
  for (let at = await reader?.read(); at?.value; at = await reader?.read()) {
    parts.push(at.value as Uint8Array<ArrayBuffer>);
    size += at.value.length;
    if (Math.max(size, length) > MAX_HELD_BYTES) {
      await reader?.cancel();
      throw new Error(
        `weights: ${url}: the server ignores Range requests, and the file exceeds ${MAX_HELD_BYTES} bytes. Download it and open it from disk.`,
      );
    }
  }
  if (size < length) throw shortRead(url, 0, length, size);
  return blobSource(new Blob(parts), url);
}

async function request(url: string, range: string, signal?: AbortSignal): Promise<Response> {
  throwIfCancelled(signal, `weights: ${url}`);
  // Without the browser's cache, which may cut the ranges out of compressed bytes.
  const init: RequestInit = { headers: { Range: range }, cache: "no-store", ...(signal ? { signal } : {}) };
  const response = await fetch(url, init).catch((error: unknown) => {
    if (signal?.aborted) throw new Cancelled(`weights: ${url}: cancelled`);
    throw new Transient(
      `weights: ${url}: no answer (${messageOf(error)}). Check the connection and that the server allows this page (CORS).`,
    );
  });
  if (response.status !== 429 && response.status < 500) return response;
  throw await discard(
    response,
    new Transient(`weights: ${url}: the server answered ${status(response)}; try again later.`),
  );
}

class Transient extends Error {}

async function withRetries<T>(signal: AbortSignal | undefined, job: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await job();
    } catch (error) {
      if (signal?.aborted) throw new Cancelled("weights: cancelled");
      if (!(error instanceof Transient || error instanceof TypeError) || attempt >= ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS * 4 ** (attempt - 1)));
    }
  }
}

const status = (response: Response): string => `${response.status} ${response.statusText}`.trim();
