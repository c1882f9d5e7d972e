/** @file Word documents (.docx) -> text. mammoth gets only the XML, unpacked under our limits, and makes HTML of it. */

import { assert } from "../../lib/assert.ts";
import { readZip, writeZip, type ZipEntry, type ZipInput } from "../../lib/zip.ts";
import { htmlToText } from "./html.ts";
import { xmlTags } from "./epubPackage.ts";
import { listNote, type Reader } from "./types.ts";

/** @throws {Error} naming the file when it is damaged, a zip bomb, or its XML is not a Word document's. */
export const readDocx: Reader = async (bytes, name) => {
  const parts = await xmlOnly(await readZip(bytes, name));
  const clean = await writeZip(parts);
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
  const { text } = await htmlToText(html);
  const pictures = "holds no text, perhaps only pictures; images need text recognition first";
  assert(text !== "", () => `ingest: "${name}" ${pictures}`);
  return { text, notes: (await Promise.all(parts.map((part) => aside(part, name)))).flat() };
};

async function aside({ name: part, bytes }: ZipInput, name: string): Promise<string[]> {
  const kind = ASIDES.find(({ file }) => file.test(part));
  const xml = kind === undefined ? "" : new TextDecoder().decode(bytes as Uint8Array);
  if (kind === undefined || !kind.mark.test(xml)) return [];
  const found = (await xmlTags(xml)).flatMap((tag) => {
    const label = kind.labels[tag.name];
    const author = tag.attributes.get("author");
    return label !== undefined && tag.text() !== ""
      ? [`${label}${author ? ` by ${author}` : ""}: ${tag.text()}`]
      : [];
  });
  return listNote(`"${name}" ${kind.head}`, found);
}

interface Aside {
  readonly file: RegExp;
  readonly mark: RegExp;
  readonly labels: Readonly<Record<string, string>>;
  readonly head: string;
}

const ASIDES: readonly Aside[] = [
  {
    file: /^word\/document\.xml$/i,
    mark: /<w:(?:ins|del|moveFrom|moveTo)[ >]/,
    labels: { ins: "Inserted", del: "Deleted", movefrom: "Moved from here", moveto: "Moved here" },
    head: "has tracked changes; the text was read as if all were accepted",
  },
  {
    file: /^word\/comments\.xml$/i,
    mark: /<w:comment /,
    labels: { comment: "Comment" },
    head: "has comments, which were left out",
  },
  {
    file: /^word\/header\d*\.xml$/i,
    mark: /<w:t[ >]/,
    labels: { hdr: "Header" },
    head: "has page headers, which were left out",
  },
  {
    file: /^word\/footer\d*\.xml$/i,
    mark: /<w:t[ >]/,
    labels: { ftr: "Footer" },
    head: "has page footers, which were left out",
  },
];

function reason(error: unknown): string {
  if (error instanceof RangeError) return "its tables or boxes are nested too deep";
  return (error as Error).message.split("\n", 1)[0]!.replace(/\s+/g, " ");
}

async function xmlOnly(entries: ReadonlyMap<string, ZipEntry>): Promise<ZipInput[]> {
  const parts: ZipInput[] = [];
  for (const { name, read } of entries.values())
    if (/\.(?:xml|rels)$/i.test(name)) parts.push({ name, bytes: await read(), stored: true });
  return parts;
}
