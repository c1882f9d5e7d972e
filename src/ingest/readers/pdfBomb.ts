/**
 * @file Looks for compressed streams that unpack to absurd sizes before pdf.js, which has no limit, unpacks them.
 * Pictures are passed over: they are large by right, and reading text never unpacks them.
 */

/** @throws {Error} naming the file when its streams of page content, fonts and objects unpack to too much. */
export async function refusePdfBomb(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<void> {
  let total = 0;
  for (const { start, end, layers } of packedStreams(bytes)) {
    total += await unpackedSize(bytes.subarray(start, end), layers, MOST_BYTES - total);
    if (total < MOST_BYTES) continue;
    throw new Error(
      `ingest: "${name}" (${bytes.length} bytes) unpacks to over ${MOST_BYTES} bytes, which no page of text needs and ` +
        "a zip bomb does; it was not read. If you trust it, print it into a new PDF and choose that",
    );
  }
}

interface PackedStream {
  readonly start: number;
  readonly end: number;
  /** How many times it is packed. */
  readonly layers: number;
}

/** The streams that are deflated and long enough to matter, wherever they stand in the file. */
function* packedStreams(bytes: Uint8Array): Generator<PackedStream> {
  // One character for each byte, so that places in the string are places in the file.
  const file = new TextDecoder("latin1").decode(bytes);
  for (let at = file.indexOf("stream"); at >= 0; at = file.indexOf("stream", at)) {
    const start = at + "stream\n".length;
    const end = file.indexOf("endstream", start);
    if (end < 0) return;
    const dictionary = file
      .slice(Math.max(0, at - LONGEST_DICTIONARY), at)
      .split("obj")
      .at(-1)!;
    const layers = dictionary.match(/\/(?:FlateDecode|Fl)\b/g)?.length ?? 0;
    const picture = /\/Subtype\s*\/Image\b/.test(dictionary);
    const skip = file[at + "stream".length] === "\r" ? 1 : 0;
    if (layers > 0 && !picture && (layers > 1 || end - start > SMALLEST_BOMB))
      yield { start: start + skip, end, layers };
    at = end + "endstream".length;
  }
}

/** Counted up to the limit, chunk by chunk; nothing is kept. */
async function unpackedSize(packed: Uint8Array<ArrayBuffer>, layers: number, limit: number): Promise<number> {
  let stream: ReadableStream<Uint8Array<ArrayBuffer>> = new Blob([packed]).stream();
  for (let i = 0; i < Math.min(layers, MOST_LAYERS); i += 1) {
    stream = stream.pipeThrough(new DecompressionStream("deflate"));
  }
  const reader = stream.getReader();
  let size = 0;
  try {
    for (let chunk = await reader.read(); !chunk.done && size < limit; chunk = await reader.read()) {
      size += chunk.value.length;
    }
    await reader.cancel();
  } catch {
    // Padding behind the packed data, or damage: what came until then counts, as it does for pdf.js.
  }
  return size;
}

/** A thousand pages of dense print have about 10 MB of content. */
const MOST_BYTES = 200e6;
/** Deflate packs at most 1032 to 1: a shorter stream unpacks to 20 MB at most. */
const SMALLEST_BOMB = 20_000;
const LONGEST_DICTIONARY = 2000;
const MOST_LAYERS = 4;
