/** @file EPUB books -> text: their chapters in reading order, each read by the HTML reader. */

import { throwIfCancelled } from "../../lib/assert.ts";
import { readZip } from "../../lib/zip.ts";
import { readPlan, sourceOf } from "./epubPackage.ts";
import { htmlToText } from "./html.ts";
import { TextBuilder } from "./textBuilder.ts";
import { listNote, type Reader } from "./types.ts";

/** @throws {Error} naming the book if it is locked by DRM, damaged, or without text @throws {Cancelled} */
export const readEpub: Reader = async (bytes, name, options) => {
  const entries = await readZip(bytes, name);
  const { title, chapters } = await readPlan(entries, name);
  const book = new TextBuilder();
  const [lost, copyright]: [string[], string[]] = [[], []];
  for (const [i, path] of chapters.entries()) {
    throwIfCancelled(options.signal, `ingest: reading "${name}"`);
    const entry = entries.get(path);
    const source = entry ? await sourceOf(entry, name) : null;
    const read = source === null ? null : (await htmlToText(source, { xhtml: true })).text;
    const rights = read !== null && isCopyrightPage(source!, read);
    if (rights) copyright.push(read.slice(0, 300).replace(/\s+/g, " "));
    if (read === null) lost.push(path);
    else if (!rights || !options.withoutCopyright) book.append(read);
    options.onProgress?.(i + 1, chapters.length);
  }
  const { text } = book;
  if (text === "")
    throw new Error(`ingest: "${name}" has ${chapters.length} chapters, but no text in them; ${PICTURES}`);
  const done = options.withoutCopyright ? "was left out" : "is part of the text";
  const pages = listNote(`"${name}" ${COPYRIGHT}, which ${done}`, copyright);
  const note = `"${name}" lists ${lost.length} chapters that it does not hold (first: "${lost[0] ?? ""}"); they are left out.`;
  return { text, title, notes: [...(lost.length > 0 ? [note] : []), ...pages] };
};

function isCopyrightPage(source: string, text: string): boolean {
  if (/epub:type\s*=\s*["'][^"']*copyright-page/i.test(source)) return true;
  const signs = [
    /\ball rights reserved\b|alle rechte vorbehalten|tous droits réservés|todos los derechos/i,
    /©|\bcopyright\b/i,
    /\bISBN\b/,
  ];
  return text.length < LONGEST_COPYRIGHT && signs.filter((sign) => sign.test(text)).length > 1;
}

const LONGEST_COPYRIGHT = 5000;
const COPYRIGHT = "has a copyright page";
const PICTURES = "a book of pictures needs text recognition first";
