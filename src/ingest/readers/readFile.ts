/** @file The one entry for files: picks the reader by the first bytes, then by the name. Readers are loaded on demand. */

import { assert } from "../../lib/assert.ts";
import { readZip } from "../../lib/zip.ts";
import { makeDocument, decodeText } from "../text.ts";
import { tidyText } from "../tidy.ts";
import { charOffset, type CharOffset } from "../../records/ids.ts";
import {
  listNote,
  type Extracted,
  type FileFormat,
  type Reader,
  type ReadFile,
  type ReadOptions,
} from "./types.ts";

/**
 * Reads a file into a Document; assumptions are in `notes`. @param name file name with extension, the title if the file has
 * none @throws {Error} naming the file, the failure and the remedy; Cancelled
 */
export async function readFile(
  bytes: Uint8Array,
  name: string,
  options: ReadOptions = {},
): Promise<ReadFile> {
  assert(bytes.length > 0, () => `ingest: "${name}" is empty (0 bytes); choose a file that holds text`);
  const format = await formatOf(bytes, name);
  const read = await READERS[format]();
  const { text, title = "", notes, ...rest } = withoutLicence(await read(bytes, name, options), name);
  const document = { ...makeDocument(name, text), title: title.trim() === "" ? name : title };
  return { document, format, notes: [...misnamed(format, name), ...notes], ...rest };
}

/** A book of Project Gutenberg without its licence: the text between the two lines that say where the book begins and ends. */
function withoutLicence(file: Extracted, name: string): Extracted {
  const start = GUTENBERG_START.exec(file.text);
  const from = start === null ? 0 : start.index + start[0].length;
  const to = file.text.slice(from).search(GUTENBERG_END);
  if (start === null && to < 0) return file;
  const text = file.text.slice(from, to < 0 ? undefined : from + to);
  const [lead, body] = [text.length - text.trimStart().length + from, text.trim()];
  if (body === "") return file;
  const moved = <T extends { readonly start: CharOffset }>(places: readonly T[]): T[] =>
    places.map((place) => ({
      ...place,
      start: charOffset(Math.min(Math.max(0, place.start - lead), body.length)),
    }));
  return {
    ...file,
    text: body,
    notes: [
      ...file.notes,
      ...listNote(`"${name}": what Project Gutenberg wrote around the book was left out`, [
        ...(from === 0 ? [] : [excerpt(file.text.slice(0, from))]),
        ...(to < 0 ? [] : [excerpt(file.text.slice(from + to))]),
      ]),
    ],
    ...(file.pages && { pages: moved(file.pages) }),
  };
}

const excerpt = (text: string): string => text.trim().slice(0, 300).replace(/\s+/g, " ");
const GUTENBERG_START = /\*{3} ?START OF (?:THE|THIS) PROJECT GUTENBERG EBOOK[^*]{0,300}\*{3}/i;
const GUTENBERG_END =
  /\*{3} ?END OF (?:THE|THIS) PROJECT GUTENBERG EBOOK|\bEnd of (?:the )?Project Gutenberg['’]s\b/i;

const READERS: { readonly [F in FileFormat]: () => Promise<Reader> } = {
  txt: () => Promise.resolve(readTxt),
  md: async () => (await import("./md.ts")).readMd,
  csv: async () => (await import("./csv.ts")).readCsv,
  html: async () => (await import("./html.ts")).readHtml,
  pdf: async () => (await import("./pdf.ts")).readPdf,
  epub: async () => (await import("./epub.ts")).readEpub,
  docx: async () => (await import("./docx.ts")).readDocx,
  eml: async () => (await import("./eml.ts")).readEml,
};

async function formatOf(bytes: Uint8Array, name: string): Promise<FileFormat> {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, HEAD)).replaceAll("\0", "");
  const byName = formatOfName(name);
  // Some writers put a few bytes before the mark; in a text file it would be a quotation.
  if (head.startsWith("%PDF-") || (byName === "pdf" && head.includes("%PDF-"))) return "pdf";
  if (head.startsWith("PK\x03\x04") || head.startsWith("PK\x05\x06")) return formatOfZip(bytes, name);
  if (startsAsPage(head)) return "html";
  return byName !== undefined && NAMED.has(byName) ? byName : "txt";
}

/** Formats that only their names tell from plain text. */
const NAMED: ReadonlySet<FileFormat> = new Set(["md", "csv", "html", "eml"]);

function startsAsPage(head: string): boolean {
  let rest = head.replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?\s*(?:<\?xml[^>]*>)?/i, "").trimStart();
  // Step by step: as one expression, with a choice of ends for each comment, it took for ever on a few dozen of them.
  while (rest.startsWith("<!--")) {
    const end = rest.indexOf("-->", "<!--".length);
    if (end < 0) return false;
    rest = rest.slice(end + "-->".length).trimStart();
  }
  return /^<(?:!doctype\s+html|html)[\s>]/i.test(rest);
}

function formatOfName(name: string): FileFormat | undefined {
  return EXTENSIONS.find(([extension]) => extension.test(name))?.[1];
}

async function formatOfZip(bytes: Uint8Array, name: string): Promise<FileFormat> {
  const files = [...(await readZip(bytes, name)).keys()];
  const held = ZIPPED.find(({ mark }) => files.some((file) => mark.test(file)));
  if (!(held !== undefined && held.format !== null))
    throw new Error(
      `ingest: "${name}" is ${held?.what ?? "a zip archive"}; ${held?.hint ?? "unpack it and choose the files in it"}`,
    );
  return held.format;
}

function misnamed(format: FileFormat, name: string): string[] {
  const promised = formatOfName(name);
  if (promised === undefined || promised === format) return [];
  return [`"${name}" is named like ${KINDS[promised]}, but is ${KINDS[format]}; it was read as that.`];
}

const KINDS: { readonly [F in FileFormat]: string } = {
  txt: "plain text",
  md: "Markdown",
  csv: "a table",
  html: "a web page",
  pdf: "a PDF",
  epub: "an EPUB book",
  docx: "a Word document",
  eml: "an e-mail",
};

const EXTENSIONS: readonly (readonly [RegExp, FileFormat])[] = [
  [/\.(?:txt|text)$/i, "txt"],
  [/\.(?:md|markdown|mdown|mkd)$/i, "md"],
  [/\.(?:csv|tsv)$/i, "csv"],
  [/\.(?:html?|xhtml|xht)$/i, "html"],
  [/\.pdf$/i, "pdf"],
  [/\.epub$/i, "epub"],
  [/\.(?:docx|docm|dotx)$/i, "docx"],
  [/\.eml$/i, "eml"],
];

interface Zipped {
  readonly mark: RegExp;
  readonly format: FileFormat | null;
  readonly what?: string;
  readonly hint?: string;
}

const ZIPPED: readonly Zipped[] = [
  { mark: /^META-INF\/container\.xml$/, format: "epub" },
  { mark: /^word\//, format: "docx" },
  { mark: /^xl\//, format: null, what: "a spreadsheet", hint: "export it as .csv and choose that" },
  { mark: /^ppt\//, format: null, what: "a presentation", hint: "export it as .pdf and choose that" },
  { mark: /^content\.xml$/, format: null, what: "an OpenDocument file", hint: "save it as .docx or .pdf" },
  { mark: /^Index\//, format: null, what: "an Apple iWork file", hint: "export it as .docx or .pdf" },
];

const HEAD = 4096;

const readTxt: Reader = async (bytes, name, { encoding }) => {
  const { text, ...rest } = await decodeText(bytes, name, { chosen: encoding });
  return { text: tidyText(text), ...rest };
};
