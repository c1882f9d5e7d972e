import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { writeZip } from "../../lib/zip.ts";
import { makeDocx, makeEpub, utf8, wordParagraph, xhtml } from "../testing/archives.ts";
import { makePdf, typeset } from "../testing/pdf.ts";
import { makeDocument } from "../text.ts";
import { readFile } from "./readFile.ts";
import type { FileFormat } from "./types.ts";

const TEXT = "Mary moved to Lisbon.";
const samples: { readonly [F in FileFormat]: () => Uint8Array | Promise<Uint8Array> } = {
  txt: () => utf8(TEXT),
  md: () => utf8(TEXT),
  csv: () => utf8(TEXT),
  html: () => utf8(`\ufeff<!-- saved --> <!DOCTYPE html><p>${TEXT}`),
  pdf: () => makePdf([typeset([TEXT])]),
  epub: () => makeEpub({ chapters: { "1.xhtml": xhtml(`<p>${TEXT}</p>`) } }),
  docx: () => makeDocx(wordParagraph(TEXT)),
  eml: () => utf8(`MIME-Version: 1.0\n\n${TEXT}`),
};
const formats = Object.keys(samples) as FileFormat[];
const told: readonly FileFormat[] = ["html", "pdf", "epub", "docx"];

describe("the format", () => {
  test.each(formats)("%s by its name", async (format) => {
    const {
      document,
      format: found,
      notes,
    } = await readFile(await samples[format](), `a.${format.toUpperCase()}`);
    expect(document.text).toBe(TEXT);
    expect(document.id).toBe(makeDocument("any", TEXT).id);
    expect(found).toBe(format);
    expect(notes).toEqual([]);
  });

  test.each(
    told.flatMap((format) =>
      formats.filter((other) => other !== format).map((other) => [format, other] as const),
    ),
  )("%s by its bytes when it is named .%s, with a note", async (format, other) => {
    const { document, format: found, notes } = await readFile(await samples[format](), `a.${other}`);
    expect(document.text).toBe(TEXT);
    expect(found).toBe(format);
    expect(notes[0]).toMatch(new RegExp(`^"a.${other}" is named like .*; it was read as that\\.$`));
  });

  test("a name without an extension, or an unknown one, is plain text", async () => {
    expect((await readFile(utf8("# x"), "README")).document.text).toBe("# x");
    expect((await readFile(utf8("<p>x"), "a.log")).format).toBe("txt");
    expect((await readFile(utf8("About %PDF-1.4 files"), "a.txt")).format).toBe("txt");
  });

  test("a PDF with bytes before its mark", async () => {
    const bytes = Uint8Array.from([...utf8("junk\n"), ...(await samples.pdf())]);
    expect((await readFile(bytes, "a.pdf")).document.text).toBe(TEXT);
  });
});

describe("refused with a reason and a next step", () => {
  const zipped = (name: string): Promise<Uint8Array> => writeZip([{ name, bytes: utf8("x") }]);
  test.each<readonly [string, Uint8Array | Promise<Uint8Array>, string, RegExp]>([
    ["an empty file", new Uint8Array(), "a.pdf", /"a.pdf" is empty \(0 bytes\)/],
    ["white space", utf8("<html> \n"), "a.html", /"a.html" holds no text/],
    [
      "a picture named .txt",
      Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 1, 2]),
      "a.txt",
      /"a.txt" is a PNG image/,
    ],
    [
      "a program named .md",
      Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]),
      "a.md",
      /a program \(ELF\)/,
    ],
    ["noise named .docx", new Uint8Array(100).fill(1), "a.docx", /"a.docx" is not plain text/],
    [
      "an old .doc",
      Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]),
      "a.doc",
      /an old Office file .*save it as .docx/,
    ],
    ["a spreadsheet", zipped("xl/workbook.xml"), "a.xlsx", /"a.xlsx" is a spreadsheet; export it as .csv/],
    ["slides", zipped("ppt/presentation.xml"), "a.pptx", /a presentation; export it as .pdf/],
    ["OpenDocument", zipped("content.xml"), "a.odt", /an OpenDocument file; save it as .docx or .pdf/],
    ["any zip", zipped("notes.txt"), "a.zip", /"a.zip" is a zip archive; unpack it/],
    [
      "a zip cut short",
      utf8("PK\u0003\u0004 rest"),
      "a.epub",
      /"a.epub" \(9 bytes\) is not a zip archive or is truncated/,
    ],
  ])("%s", async (_, bytes, name, message) => {
    await expect(Promise.resolve(bytes).then((file) => readFile(file, name))).rejects.toThrow(message);
  });
});

test.each(told)(
  "%s cut anywhere or with a byte changed: read, or refused in a sentence that names it",
  async (format) => {
    const whole = await samples[format]();
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), async (at, byte, cut) => {
        const bytes = cut ? whole.slice(0, at) : Uint8Array.from(whole, (b, i) => (i === at ? byte : b));
        const result = await readFile(bytes, `a.${format}`).then(
          ({ document }) => typeof document.text,
          (error: unknown) => (error as Error).message,
        );
        expect(result).toMatch(/^string$|^(?:ingest|zip): .*"a\.\w+"/);
      }),
      { numRuns: 60 },
    );
  },
);
