/**
 * @file Word documents (.docx) -> text: mammoth makes HTML of the document's XML, the HTML reader text of that.
 * mammoth never sees the file itself: its XML is unpacked under our limits first, pictures are left behind.
 */

import { assert } from "../../lib/assert.ts";
import { readZip, writeZip, type ZipEntry, type ZipInput } from "../../lib/zip.ts";
import { htmlToText } from "./html.ts";
import type { Reader } from "./types.ts";

/** @throws {Error} naming the file when it is damaged, a zip bomb, or its XML is not a Word document's. */
export const readDocx: Reader = async (bytes, name) => {
  const clean = await writeZip(await xmlOnly(await readZip(bytes, name)));
  const { default: mammoth } = await import("mammoth");
  const { value: html } = await mammoth
    // Node's build reads `buffer`, the browser's `arrayBuffer`; both take the same bytes.
    .convertToHtml({ buffer: clean, arrayBuffer: clean.buffer } as unknown as { arrayBuffer: ArrayBuffer }, {
      includeEmbeddedStyleMap: false,
      // mammoth would write pictures into the HTML; its text needs none.
      convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: "" })),
    })
    .catch((error: unknown) => {
      throw new Error(
        `ingest: "${name}" is not a readable Word document (${reason(error)}); ` +
          "open it in a word processor and save it as .docx again",
        { cause: error },
      );
    });
  const { text, sections } = await htmlToText(html);
  const pictures = "holds no text, perhaps only pictures; images need text recognition first";
  assert(text !== "", () => `ingest: "${name}" ${pictures}`);
  return { text, sections, notes: [] };
};

function reason(error: unknown): string {
  if (error instanceof RangeError) return "its tables or boxes are nested too deep";
  return (error as Error).message.split("\n", 1)[0]!.replace(/\s+/g, " ");
}

/** The parts that can hold text, unpacked and stored plain. */
async function xmlOnly(entries: ReadonlyMap<string, ZipEntry>): Promise<ZipInput[]> {
  const parts: ZipInput[] = [];
  for (const entry of entries.values()) {
    if (/\.(?:xml|rels)$/i.test(entry.name))
      parts.push({ name: entry.name, bytes: await entry.read(), stored: true });
  }
  return parts;
}
