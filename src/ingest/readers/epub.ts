/** @file EPUB books -> text: their chapters in reading order, each read by the HTML reader. */

import { assert, throwIfCancelled } from "../../lib/assert.ts";
import { charOffset } from "../../records/ids.ts";
import { readZip } from "../../lib/zip.ts";
import { readPlan, sourceOf } from "./epubPackage.ts";
import { htmlToText } from "./html.ts";
import { TextBuilder } from "./textBuilder.ts";
import type { Extracted, Reader } from "./types.ts";

/**
 * @throws {Error} naming the book when it is locked by DRM, damaged, or without text.
 * @throws {Cancelled} when the signal fired.
 */
export const readEpub: Reader = async (bytes, name, options) => {
  const entries = await readZip(bytes, name);
  const { title, chapters, titles } = await readPlan(entries, name);
  const book = new TextBuilder();
  const lost: string[] = [];
  for (const [i, path] of chapters.entries()) {
    throwIfCancelled(options.signal, `ingest: reading "${name}"`);
    const entry = entries.get(path);
    const source = entry ? await sourceOf(entry, name) : null;
    if (source === null) lost.push(path);
    else book.append(await chapter(source, titles.get(path)));
    options.onProgress?.(i + 1, chapters.length);
  }
  const { text, sections } = book.finish();
  assert(
    text !== "",
    () => `ingest: "${name}" has ${chapters.length} chapters, but no text in them; ${PICTURES}`,
  );
  const note = `"${name}" lists ${lost.length} chapters that it does not hold (first: "${lost[0] ?? ""}"); they are left out.`;
  return { text, title, sections, notes: lost.length > 0 ? [note] : [] };
};

/** A chapter without a heading takes its title from the table of contents. */
async function chapter(
  source: string,
  title: string | undefined,
): Promise<Pick<Extracted, "text"> & Sections> {
  const { text, sections } = await htmlToText(source, { xhtml: true });
  if (sections.length > 0 || title === undefined) return { text, sections };
  return { text, sections: [{ title, level: 1, start: charOffset(0) }] };
}

type Sections = Required<Pick<Extracted, "sections">>;

const PICTURES = "a book of pictures needs text recognition first";
