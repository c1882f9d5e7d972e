/** @file Small PDF files for tests, written by hand: one font, text at given places, nothing else. */

import { deflateSync } from "node:zlib";

/** A line of Latin-1 text; x and y in points from the lower left of a 595 x 842 page. */
export interface PlacedLine {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
}

export interface PdfOptions {
  /** Adds an encryption dictionary that no password opens, least of all the empty one. */
  readonly locked?: boolean;
  /** Deflates the content of the first page behind this many spaces, this many times over. */
  readonly padding?: { readonly spaces: number; readonly layers: number };
}

/** One PDF with a page for each list of lines; an empty list is a page without text. */
export function makePdf(
  pages: readonly (readonly PlacedLine[])[],
  { locked = false, padding }: PdfOptions = {},
): Uint8Array {
  const kids = pages.map((_, i) => `${FIRST_PAGE + 2 * i} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    `<< /Filter /Standard /V 1 /R 2 /P -1 /O <${"41".repeat(32)}> /U <${"42".repeat(32)}> >>`,
  ];
  pages.forEach((lines, i) => {
    const content = lines.map(operators).join("\n");
    const { filter, body } = i === 0 && padding ? packed(content, padding) : { filter: "", body: content };
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${FIRST_PAGE + 2 * i + 1} 0 R ` +
        "/Resources << /Font << /F1 3 0 R >> >> >>",
      `<< ${filter} /Length ${body.length} >>\nstream\n${body}\nendstream`,
    );
  });
  return assemble(objects, locked ? `/Encrypt 4 0 R /ID [<${"00".repeat(16)}> <${"00".repeat(16)}>]` : "");
}

function packed(content: string, { spaces, layers }: NonNullable<PdfOptions["padding"]>) {
  let body = Buffer.from(" ".repeat(spaces) + content, "latin1");
  for (let i = 0; i < layers; i += 1) body = deflateSync(body);
  return { filter: `/Filter [${"/FlateDecode ".repeat(layers)}]`, body: body.toString("latin1") };
}

/** A page of running text set in lines from the top, 12 points apart, at 10 points. */
export function typeset(lines: readonly string[], top = 780): PlacedLine[] {
  return lines
    .map((text, i) => ({ text, x: 72, y: top - 12 * i, size: 10 }))
    .filter(({ text }) => text !== "");
}

function operators({ text, x, y, size = 10 }: PlacedLine): string {
  const escaped = text.replace(/[\\()]/g, (c) => `\\${c}`);
  return `BT /F1 ${size} Tf ${x} ${y} Td (${escaped}) Tj ET`;
}

/** Numbers the objects from 1 and adds the table of their places. */
function assemble(objects: readonly string[], trailer: string): Uint8Array {
  let file = "%PDF-1.4\n";
  const places = objects.map((object, i) => {
    const at = file.length;
    file += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(at).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join("")}`;
  const end = `trailer\n<< /Size ${size} /Root 1 0 R ${trailer} >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Uint8Array.from(file + table + end, (c) => c.charCodeAt(0));
}

const FIRST_PAGE = 5;
