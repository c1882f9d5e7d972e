/** @file Word and EPUB files for tests, with the parts that their standards ask for and no more. */

import { writeZip, type ZipInput } from "../../lib/zip.ts";

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const part = (name: string, text: string): ZipInput => ({ name, bytes: utf8(text) });

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n';

/**
 * A .docx whose body is the given WordprocessingML (`<w:p>…</w:p>`); see {@link wordParagraph}.
 * @param more further parts, e.g. pictures, footnotes or a hostile one.
 */
export function makeDocx(body: string, more: readonly ZipInput[] = []): Promise<Uint8Array> {
  const word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
  const types = "http://schemas.openxmlformats.org/package/2006/content-types";
  const relations = "http://schemas.openxmlformats.org/package/2006/relationships";
  const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";
  return writeZip([
    part(
      "[Content_Types].xml",
      `${XML}<Types xmlns="${types}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
        '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
    ),
    part(
      "_rels/.rels",
      `${XML}<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${office}" Target="word/document.xml"/></Relationships>`,
    ),
    part("word/document.xml", `${XML}<w:document xmlns:w="${word}"><w:body>${body}</w:body></w:document>`),
    ...more,
  ]);
}

/** A paragraph of one run; `style` is a style id such as Heading1. */
export function wordParagraph(text: string, style?: string): string {
  const properties = style === undefined ? "" : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

export interface EpubParts {
  readonly title?: string;
  /** File name inside OEBPS/text -> the whole XHTML file; the spine has them in this order. */
  readonly chapters: Readonly<Record<string, string>>;
  /** Goes into the manifest as EPUB 3 navigation. */
  readonly nav?: string;
  /** Further files, e.g. META-INF/encryption.xml. */
  readonly more?: readonly ZipInput[];
}

/** An EPUB 3 book. Its spine order is the order given; its manifest is in reverse, which must not matter. */
export function makeEpub({ title = "A Book", chapters, nav, more = [] }: EpubParts): Promise<Uint8Array> {
  const files = Object.keys(chapters);
  const item = (file: string, i: number): string =>
    `<item id="c${i}" href="text/${encodeURIComponent(file)}" media-type="application/xhtml+xml"/>`;
  const navItem = '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>';
  return writeZip([
    { name: "mimetype", bytes: utf8("application/epub+zip"), stored: true },
    part(
      "META-INF/container.xml",
      `${XML}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>` +
        '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
    ),
    part(
      "OEBPS/book.opf",
      `${XML}<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" version="3.0">` +
        `<metadata><dc:title id="t">${title}</dc:title><dc:language>en</dc:language></metadata>` +
        `<manifest>${files.map(item).reverse().join("")}${nav === undefined ? "" : navItem}</manifest>` +
        `<spine>${files.map((_, i) => `<itemref idref="c${i}"/>`).join("")}</spine></package>`,
    ),
    ...(nav === undefined ? [] : [part("OEBPS/nav.xhtml", nav)]),
    ...files.map((file) => part(`OEBPS/text/${file}`, chapters[file]!)),
    ...more,
  ]);
}

/** A chapter file in XHTML. */
export function xhtml(body: string, head = ""): string {
  return `${XML}<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml"><head><title/>${head}</head><body>${body}</body></html>`;
}
