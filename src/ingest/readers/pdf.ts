/**
 * @file PDF -> text with page starts. pdf.js runs in this thread (which is a worker in the app) with its worker half
 * imported beside it: no worker of its own, no font or character-map download, nothing from another origin.
 */

import { assert, throwIfCancelled } from "../../lib/assert.ts";
import { refusePdfBomb } from "./pdfBomb.ts";
import { linesOf, withoutFurniture, type PdfLine } from "./pdfLines.ts";
import { textOfPages } from "./pdfText.ts";
import type { Reader } from "./types.ts";

type PdfDocument = Awaited<
  ReturnType<typeof import("pdfjs-dist/legacy/build/pdf.mjs").getDocument>["promise"]
>;

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

function toText(
  pages: readonly PdfLine[][],
  unreadable: readonly number[],
  name: string,
): Awaited<ReturnType<Reader>> {
  const count = `${pages.length} ${pages.length === 1 ? "page" : "pages"}`;
  assert(
    unreadable.length < pages.length,
    () => `ingest: none of the ${count} of "${name}" could be read; the file is damaged, get it again`,
  );
  const body = withoutFurniture(pages);
  const { text, pages: starts } = textOfPages(body.pages);
  assert(
    text !== "",
    () =>
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
    furniture(body.removed, name),
    strange(text)
      ? [`"${name}": many of its letters have no known meaning (a font without a code table).`]
      : [],
  ];
  return { text, pages: starts, notes: notes.flat() };
}

/** A note about some pages; a long list is cut. */
function listed(pages: readonly number[], note: (which: string) => string): string[] {
  if (pages.length === 0) return [];
  const some = pages.slice(0, MOST_LISTED).join(", ");
  const more = pages.length > MOST_LISTED ? ` and ${pages.length - MOST_LISTED} more` : "";
  return [note(`${pages.length === 1 ? "page" : "pages"} ${some}${more}`)];
}

function furniture(lines: number, name: string): string[] {
  return lines === 0
    ? []
    : [`"${name}": page numbers and repeated running heads (${lines} lines) were left out.`];
}

/** Letters of the private-use area are shapes whose meaning only the font's maker knows. */
function strange(text: string): boolean {
  return (text.match(/[\ue000-\uf8ff]/g)?.length ?? 0) > STRANGE * text.length;
}

/** pdf.js's errors as sentences; ours and cancels pass as they are. */
function explain(error: unknown, name: string, length: number): Error {
  const { name: kind, message } = error as Error;
  const what = `ingest: "${name}" (${length} bytes)`;
  if (kind === "PasswordException") {
    return new Error(`${what} is a PDF protected by a password; save a copy without it and choose that`, {
      cause: error,
    });
  }
  if (kind === "Cancelled" || message.startsWith("ingest: ")) return error as Error;
  return new Error(`${what} is damaged or cut short and cannot be read as a PDF (${message}); get it again`, {
    cause: error,
  });
}

type Pdfjs = typeof import("pdfjs-dist/legacy/build/pdf.mjs");

/** The legacy build, for it is the one that older browsers and Node run; both halves are loaded on first use. */
async function loadPdfjs(): Promise<Pdfjs> {
  provideWithResolvers();
  // The worker's half first: once it is there, pdf.js uses it and starts no worker.
  await import("pdfjs-dist/legacy/build/pdf.worker.mjs");
  return import("pdfjs-dist/legacy/build/pdf.mjs");
}

/** The one thing that pdf.js takes for granted and Node 20 and browsers before 2024 lack. */
function provideWithResolvers(): void {
  Promise.withResolvers ??= function <T>(this: PromiseConstructor): PromiseWithResolvers<T> {
    const parts = {} as PromiseWithResolvers<T>;
    parts.promise = new Promise<T>((resolve, reject) => Object.assign(parts, { resolve, reject }));
    return parts;
  };
}

/** No fonts drawn, fetched or asked of the system, no wasm image codecs, no console output. */
const QUIET = {
  disableFontFace: true,
  useSystemFonts: false,
  useWorkerFetch: false,
  useWasm: false,
  verbosity: 0,
};
const MOST_LISTED = 12;
const STRANGE = 0.1;
