/** @file Bytes or a string -> the text of a Document, decoded and checked; no offset moves. */

import { assert } from "../lib/assert.ts";
import { sha256Hex } from "../lib/hash.ts";
import { documentId } from "../records/ids.ts";
import type { Document } from "../records/source.ts";
import { bareUtf16, likelyEncodings } from "./encodings.ts";

interface DecodedText {
  readonly text: string;
  /** Label of the WHATWG Encoding Standard, in lower case: "utf-8", "utf-16le", "windows-1252", "shift_jis", ... */
  readonly encoding: string;
  readonly notes: readonly string[];
}

interface EncodingHints {
  readonly chosen?: string | undefined;
  readonly declared?: string | undefined;
}

/**
 * Decodes a plain-text file: UTF-16 by mark or bytes, UTF-8, the declared encoding, or a guess with a note. @throws {Error}
 * naming the file if it is empty or binary
 */
export async function decodeText(
  bytes: Uint8Array,
  name: string,
  hints: EncodingHints = {},
): Promise<DecodedText> {
  assert(bytes.length > 0, () => `ingest: "${name}" is empty (0 bytes); choose a file that holds text`);
  if (hints.chosen !== undefined) return decodeChosen(bytes, hints.chosen, name);
  const wide = wideEncoding(bytes);
  if (wide !== null) return checked(new TextDecoder(wide).decode(bytes), wide, [], name);
  const utf8 = decodeUtf8(bytes, name);
  const bare = utf8 === null || bytes.includes(4) ? bareUtf16(bytes) : null;
  if (bare !== null)
    return checked(new TextDecoder(bare).decode(bytes), bare, [guessNote(name, [bare])], name);
  refuseBinary(bytes, name);
  const sevenBit = /^iso-2022-/i.test(hints.declared ?? "") ? decodeAs(bytes, hints.declared!) : null;
  if (sevenBit !== null) return checked(sevenBit, hints.declared!.toLowerCase(), [], name);
  if (utf8 !== null) return checked(utf8, "utf-8", [], name);
  const declared = hints.declared === undefined ? null : decodeAs(bytes, hints.declared);
  if (declared !== null) return checked(declared, hints.declared!.toLowerCase(), [], name);
  const likely = await likelyEncodings(bytes);
  const guess = likely[0] ?? "windows-1252";
  return checked(decodeAs(bytes, guess) ?? decodeWindows1252(bytes), guess, [guessNote(name, likely)], name);
}

function guessNote(name: string, [guess = "windows-1252", ...others]: readonly string[]): string {
  const also = others.length > 0 ? ` ${others.join(", ")} would also fit.` : "";
  return `"${name}" is not valid UTF-8; it was read as ${guess}, a guess.${also} If letters are wrong, choose another encoding.`;
}

function decodeChosen(bytes: Uint8Array, label: string, name: string): DecodedText {
  const text = decodeAs(bytes, label);
  if (text === null)
    throw new Error(
      `ingest: "${label}" is not an encoding that this browser knows; choose e.g. utf-8, windows-1251, shift_jis`,
    );
  return checked(text, label.toLowerCase(), [], name);
}

function decodeAs(bytes: Uint8Array, label: string): string | null {
  if (WINDOWS_1252_LABELS.test(label)) return decodeWindows1252(bytes);
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return null;
  }
}

/** Returns `text`. @throws {Error} if it is blank, or has the control characters of a binary file */
export function checkText(text: string, name: string): string {
  assert(/\S/.test(text), () => `ingest: "${name}" holds no text (${text.length} characters of white space)`);
  // Text may reach us already decoded (pasted, or read by other code), with a binary file in it.
  const sample = text.slice(0, SAMPLE);
  const odd = sample.match(ODD_CHARACTERS)?.length ?? 0;
  assert(!sample.includes("\0") && odd <= sample.length * MAX_CONTROL_SHARE, () =>
    notText(name, odd, sample.length),
  );
  return text;
}

export function makeDocument(title: string, given: string): Document {
  const text = checkText(given, title).toWellFormed();
  return { id: documentId(sha256Hex(text)), title, text };
}

function checked(text: string, encoding: string, notes: string[], name: string): DecodedText {
  return { text: checkText(text, name), encoding, notes };
}

/** UTF-16 by its byte order mark, or without one by the NUL in nearly every second byte of Latin text. */
function wideEncoding(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  if (startsWith(bytes, [0xff, 0xfe])) return "utf-16le";
  if (startsWith(bytes, [0xfe, 0xff])) return "utf-16be";
  const sample = bytes.subarray(0, SAMPLE);
  const nuls = [0, 0];
  sample.forEach((byte, i) => {
    if (byte === 0) nuls[i & 1]! += 1;
  });
  const half = sample.length / 2;
  if (half < 4 || Math.max(...nuls) < 0.7 * half || Math.min(...nuls) > 0.05 * half) return null;
  return nuls[0]! > nuls[1]! ? "utf-16be" : "utf-16le";
}

/** Null if the bytes are not UTF-8. @throws if they do not fit into one string */
export function decodeUtf8(bytes: Uint8Array, name: string): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (bytes.length < LONGEST_STRING) return null;
    throw new Error(
      `ingest: "${name}" (${bytes.length} bytes) does not fit into one string; split the file`,
      {
        cause: error,
      },
    );
  }
}

/** TextDecoder("windows-1252") of Node 20 decodes 0x80-0x9f as control characters. */
function decodeWindows1252(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length; start += CHUNK) {
    const codes = Array.from(bytes.subarray(start, start + CHUNK), (byte) =>
      byte >= 0x80 && byte < 0xa0 ? WINDOWS_1252_C1.charCodeAt(byte - 0x80) : byte,
    );
    pieces.push(String.fromCharCode(...codes));
  }
  return pieces.join("");
}

function refuseBinary(bytes: Uint8Array, name: string): void {
  const format = MAGIC.find(({ magic, at = 0 }) => startsWith(bytes.subarray(at), magic));
  assert(format === undefined, () => `ingest: "${name}" is ${format?.what}, not plain text; ${format?.hint}`);
  const sample = bytes.subarray(0, SAMPLE);
  const controls = sample.reduce((count, byte) => count + (isControl(byte) ? 1 : 0), 0);
  const refuse = sample.includes(0) || controls > sample.length * MAX_CONTROL_SHARE;
  assert(!refuse, () => notText(name, controls, sample.length));
}

function notText(name: string, controls: number, length: number): string {
  return (
    `ingest: "${name}" is not plain text: ${controls} control characters in the first ${length}; ` +
    "choose a text file, or convert it first"
  );
}

/** Control bytes that plain text does not use: all below space except tab, line feed, form feed, return, escape. */
function isControl(byte: number): boolean {
  return (byte < 0x20 && ![0x09, 0x0a, 0x0c, 0x0d, 0x1b].includes(byte)) || byte === 0x7f;
}

function startsWith(bytes: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, i) => bytes[i] === byte);
}

const ascii = (text: string): number[] => Array.from(text, (c) => c.charCodeAt(0));

const MAGIC: readonly { magic: readonly number[]; at?: number; what: string; hint: string }[] = [
  { magic: [0x89, ...ascii("PNG")], what: "a PNG image", hint: "images need text recognition first" },
  { magic: [0xff, 0xd8, 0xff], what: "a JPEG image", hint: "images need text recognition first" },
  { magic: ascii("GIF8"), what: "a GIF image", hint: "images need text recognition first" },
  { magic: ascii("%PDF"), what: "a PDF file", hint: "export its text; the page itself reads PDF files" },
  {
    magic: ascii("PK\x03\x04"),
    what: "a zip archive (also docx, epub, xlsx)",
    hint: "unpack it, or save it as text; the page itself reads .docx and .epub",
  },
  {
    magic: [0xd0, 0xcf, 0x11, 0xe0],
    what: "an old Office file (.doc, .xls) or one with a password",
    hint: "open it, save it as .docx without a password, and choose that",
  },
  { magic: ascii("{\\rtf"), what: "an RTF file", hint: "open it and save it as .docx or .txt" },
  {
    magic: ascii("BOOKMOBI"),
    at: 60,
    what: "a Mobipocket or Kindle book",
    hint: "convert it to .epub first",
  },
  { magic: [0x1f, 0x8b], what: "a gzip archive", hint: "unpack it first" },
  { magic: ascii("7z\xbc\xaf"), what: "a 7-Zip archive", hint: "unpack it first" },
  { magic: ascii("Rar!"), what: "a RAR archive", hint: "unpack it first" },
  { magic: [0x7f, ...ascii("ELF")], what: "a program (ELF)", hint: "choose a text file" },
  { magic: ascii("SQLite format 3"), what: "an SQLite database", hint: "export the text first" },
];

/** Labels that the web reads as windows-1252, among them Latin-1 and ASCII. */
const WINDOWS_1252_LABELS = /^(?:windows-1252|cp1252|iso-?8859-1|latin-?1|us-ascii|ascii)$/i;

/** Characters 0x80-0x9f of windows-1252; the five undefined bytes map to their C1 code, as in the WHATWG table. */
const WINDOWS_1252_C1 =
  "\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f" +
  "\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178";

/** The same characters in a decoded string; U+FFFD is what a wrong decoding leaves behind. */
// oxlint-disable-next-line eslint/no-control-regex -- control characters are what is looked for
const ODD_CHARACTERS = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f\ufffd]/g;

const SAMPLE = 65_536;
/** A text file may hold a stray control character; a binary one holds far more than this share. */
const MAX_CONTROL_SHARE = 0.02;
/** V8's limit on string length in UTF-16 units (2^29 - 24). */
const LONGEST_STRING = 2 ** 29 - 24;
/** Bytes per String.fromCharCode call, below the argument limit of every engine. */
const CHUNK = 8192;
