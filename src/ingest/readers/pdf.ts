/** @file PDF -> text with page starts. pdf.js runs in this thread and loads nothing from another origin. */

import { assert, throwIfCancelled } from "../../lib/assert.ts";
import { linesOf, withoutFurniture, type PdfLine } from "./pdfLines.ts";
import { textOfPages } from "./pdfText.ts";
import { listNote, type Reader } from "./types.ts";

type Pdfjs = typeof import("pdfjs-dist/legacy/build/pdf.mjs");
type PdfDocument = Awaited<ReturnType<Pdfjs["getDocument"]>["promise"]>;

/** @throws {Error} naming the file when it is damaged, needs a password, or holds pictures of pages only. */
export const readPdf: Reader = async (bytes, name, { signal, onProgress }) => {
  // A copy, for pdf.js takes over the buffer that it is given.
  const data = new Uint8Array(bytes);
  await refusePdfBomb(data, name);
  const pdfjs = await loadPdfjs();
  const task = pdfjs.getDocument({ data, ...QUIET });
  try {
    const file = await task.promise;
    const pages: PdfLine[][] = [];
    const unreadable: number[] = [];
    for (let page = 1; page <= file.numPages; page += 1) {
      throwIfCancelled(signal, `ingest: reading "${name}"`);
      pages.push(await pageLines(file, page).catch(() => (unreadable.push(page), [])));
      onProgress?.(page, file.numPages);
    }
    return toText(pages, unreadable, name);
  } catch (error) {
    throw explain(error, name, bytes.length);
  } finally {
    await task.destroy();
  }
};

async function pageLines(file: PdfDocument, number: number): Promise<PdfLine[]> {
  const page = await file.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  return linesOf(items.filter((item) => "str" in item));
}

function toText(pages: readonly PdfLine[][], unreadable: readonly number[], name: string) {
  const count = `${pages.length} ${pages.length === 1 ? "page" : "pages"}`;
  assert(
    unreadable.length < pages.length,
    () => `ingest: none of the ${count} of "${name}" could be read; the file is damaged, get it again`,
  );
  const body = withoutFurniture(pages);
  const { text, pages: starts } = textOfPages(body.pages);
  if (text === "")
    throw new Error(
      `ingest: "${name}" has ${count}, but no text in them: they are pictures, as a scanner makes them. ` +
        "Run text recognition (OCR) over the file first",
    );
  const empty = pages.flatMap((lines, i) =>
    lines.length === 0 && !unreadable.includes(i + 1) ? [i + 1] : [],
  );
  const notes = [
    listed(
      unreadable,
      (which) => `"${name}": ${which} could not be read (damaged); the text goes on without.`,
    ),
    listed(empty, (which) => `"${name}": no text on ${which}; if scanned, the words there are missing here.`),
    listNote(`"${name}": page numbers and repeated running heads were left out`, body.removed),
    strange(text)
      ? [`"${name}": many of its letters have no known meaning (a font without a code table).`]
      : [],
  ];
  return { text, pages: starts, notes: notes.flat() };
}

function listed(pages: readonly number[], note: (which: string) => string): string[] {
  if (pages.length === 0) return [];
  const some = pages.slice(0, MOST_LISTED).join(", ");
  const more = pages.length > MOST_LISTED ? ` and ${pages.length - MOST_LISTED} more` : "";
  return [note(`${pages.length === 1 ? "page" : "pages"} ${some}${more}`)];
}

/** Letters of the private-use area are shapes whose meaning only the font's maker knows. */
function strange(text: string): boolean {
  return (text.match(/[\ue000-\uf8ff]/g)?.length ?? 0) > STRANGE * text.length;
}

function explain(error: unknown, name: string, length: number): Error {
  const { name: kind, message } = error as Error;
  const what = `ingest: "${name}" (${length} bytes)`;
  if (kind === "PasswordException")
    return new Error(`${what} is a PDF protected by a password; save a copy without it and choose that`, {
      cause: error,
    });
  if (kind === "Cancelled" || message.startsWith("ingest: ")) return error as Error;
  return new Error(`${what} is damaged or cut short and cannot be read as a PDF (${message}); get it again`, {
    cause: error,
  });
}

/** The legacy build, for it is the one that older browsers and Node run; both halves are loaded on first use. */
async function loadPdfjs(): Promise<Pdfjs> {
  // pdf.js takes it for granted, and Node 20 and browsers before 2024 lack it.
  Promise.withResolvers ??= function <T>(this: PromiseConstructor): PromiseWithResolvers<T> {
    const parts = {} as PromiseWithResolvers<T>;
    parts.promise = new Promise<T>((resolve, reject) => Object.assign(parts, { resolve, reject }));
    return parts;
  };
  // The worker's half first: once it is there, pdf.js uses it and starts no worker.
  await import("pdfjs-dist/legacy/build/pdf.worker.mjs");
  return import("pdfjs-dist/legacy/build/pdf.mjs");
}

const QUIET = {
  disableFontFace: true,
  useSystemFonts: false,
  useWorkerFetch: false,
  useWasm: false,
  verbosity: 0,
};
const MOST_LISTED = 12;
const STRANGE = 0.1;

/** @throws {Error} naming the file when its streams of page content, fonts and objects unpack to too much. */
async function refusePdfBomb(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<void> {
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

function* packedStreams(bytes: Uint8Array) {
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

async function unpackedSize(packed: Uint8Array<ArrayBuffer>, layers: number, limit: number): Promise<number> {
  let stream: ReadableStream<Uint8Array<ArrayBuffer>> = new Blob([packed]).stream();
  for (let i = 0; i < Math.min(layers, MOST_LAYERS); i += 1)
    stream = stream.pipeThrough(new DecompressionStream("deflate"));
  const reader = stream.getReader();
  let size = 0;
  try {
    for (let chunk = await reader.read(); !chunk.done && size < limit; chunk = await reader.read())
      size += chunk.value.length;
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
