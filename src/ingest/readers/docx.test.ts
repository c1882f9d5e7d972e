import { describe, expect, test } from "vitest";
import { makeDocx, utf8, wordParagraph as p } from "../testing/archives.ts";
import { readFile } from "./readFile.ts";

const text = async (body: string): Promise<string> =>
  (await readFile(await makeDocx(body), "a.docx")).document.text;

describe("Word documents", () => {
  test("paragraphs, runs, tabs and breaks", async () => {
    const runs =
      "<w:p><w:r><w:t>Mary </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>moved</w:t><w:br/><w:t>away</w:t></w:r></w:p>";
    expect(await text(p("A &amp; B") + runs + p("") + p("Zoë."))).toBe("A & B\n\nMary moved\naway\n\nZoë.");
  });

  test("headings are paragraphs", async () => {
    const bytes = await makeDocx(p("Letters", "Heading1") + p("x") + p("More", "Heading2") + p("y"));
    const { document, format } = await readFile(bytes, "a.docx");
    expect(format).toBe("docx");
    expect(document.text).toBe("Letters\n\nx\n\nMore\n\ny");
  });

  test("rows of a table carry their headings, deleted text is gone, inserted text is there", async () => {
    const cell = (words: string): string => `<w:tc>${p(words)}</w:tc>`;
    const table = `<w:tbl><w:tr>${cell("Name")}${cell("Age")}</w:tr><w:tr>${cell("Mary")}${cell("12")}</w:tr></w:tbl>`;
    const edited =
      "<w:p><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>";
    expect(await text(table + edited)).toBe("Mary: age 12.\n\nnew");
  });

  test("pictures are left in the file, whatever their size", async () => {
    const media = { name: "word/media/image1.png", bytes: new Uint8Array(30e6) };
    const { document } = await readFile(await makeDocx(p("Text."), [media]), "a.docx");
    expect(document.text).toBe("Text.");
  });

  test.each([
    ["broken XML", "<w:p><", /"x.docx" is not a readable Word document \(.*\); open it in a word processor/],
    ["no text", p(" "), /"x.docx" holds no text, perhaps only pictures/],
    [
      "tables nested without end",
      "<w:tbl><w:tr><w:tc>".repeat(20_000) + p("x") + "</w:tc></w:tr></w:tbl>".repeat(20_000),
      /"x.docx" is not a readable Word document \(its tables or boxes are nested too deep\)/,
    ],
  ])("%s", async (_, body, message) => {
    await expect(makeDocx(body).then((bytes) => readFile(bytes, "x.docx"))).rejects.toThrow(message);
  });

  test("a bomb in a part of the document is stopped before mammoth sees it", async () => {
    const bomb = { name: "word/styles.xml", bytes: new Uint8Array(30e6).fill(32) };
    await expect(makeDocx(p("x"), [bomb]).then((bytes) => readFile(bytes, "x.docx"))).rejects.toThrow(
      /"word\/styles.xml" in "x.docx" unpacks .* zip bomb/,
    );
  });

  test("entities of a DTD are not expanded", async () => {
    const styles =
      '<!DOCTYPE s [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><w:styles xmlns:w="w">&b;</w:styles>';
    const made = await makeDocx(p("x"), [{ name: "word/styles.xml", bytes: utf8(styles) }]);
    const result = await readFile(made, "x.docx").then(
      ({ document }) => document.text,
      (error: unknown) => (error as Error).message,
    );
    expect(result).toMatch(/^x$|^ingest: "x.docx" is not a readable Word document/);
  });
});
