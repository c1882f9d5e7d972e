/** @file Texts made to harm: every reader on files that would hang it, fill the memory, or smuggle something in. */

import { expect } from "vitest";
import { rounds } from "../../lib/testing/thorough.ts";
import { makeDocument } from "../text.ts";
import { attacks, refused } from "../../lib/testing/attacks.ts";
import { writeZip } from "../../lib/zip.ts";
import type { Document } from "../../records/source.ts";
import { candidates } from "../candidates.ts";
import { sentences } from "../sentences.ts";
import { makeDocx, makeEpub, utf8, wordParagraph, xhtml } from "../testing/archives.ts";
import { makePdf, typeset } from "../testing/pdf.ts";
import { readFile } from "./readFile.ts";

const SEEN = "Mary lives in Lisbon.";

const read = async (source: string | Uint8Array | Promise<Uint8Array>, name: string) =>
  readFile(typeof source === "string" ? utf8(source) : await source, name);
const textOf = async (source: Parameters<typeof read>[0], name: string): Promise<string> =>
  (await read(source, name)).document.text;

/** As many sentences as a document gives, all the way through the filter. */
function filtered(document: Document): number {
  const found = [...sentences(document)];
  expect(found.filter(({ start, end, text }) => document.text.slice(start, end) !== text)).toEqual([]);
  const kept = [...candidates(found, "wide")];
  expect(kept.filter(({ reasons }) => reasons.length === 0)).toEqual([]);
  return found.length;
}
const sentencesOf = async (text: string): Promise<number> => filtered((await read(text, "a.txt")).document);

/** A text whose sentences are all found: what was hidden in it changed nothing of the rest. */
async function stays(text: string, name = "a.txt"): Promise<void> {
  const { document } = await read(text, name);
  expect(document.text).toContain(SEEN);
  filtered(document);
}

const wide = (text: string, littleEndian: boolean): Uint8Array => {
  const bytes = Buffer.from(text, "utf16le");
  return new Uint8Array(littleEndian ? bytes : bytes.swap16());
};

attacks("text files", {
  "an empty file": () => refused(read("", "a.txt"), /"a.txt" is empty \(0 bytes\)/),
  "white space of a megabyte": () => refused(read(" \n".repeat(500_000), "a.txt"), /holds no text/),
  "one line of 5 MB without an end": async () =>
    expect(await sentencesOf("the lamp stands by the door ".repeat(180_000))).toBeGreaterThan(8000),
  "one word of 2 MB": async () => expect(await sentencesOf("a".repeat(2_000_000))).toBeGreaterThan(3000),
  "40 MB": async () => {
    const { document } = await read(`${SEEN}\n`.repeat(1_820_000), "a.txt");
    expect(document.text.length).toBeGreaterThan(40_000_000);
  },
  "NUL bytes": () => refused(read(`${SEEN}\0${SEEN}`, "a.txt"), /is not plain text/),
  "UTF-16 without a mark": async () => {
    expect(await textOf(wide(SEEN, true), "a.txt")).toBe(SEEN);
    expect(await textOf(wide(SEEN, false), "a.txt")).toBe(SEEN);
  },
  "UTF-16 that is cut in the middle of a character": async () =>
    expect(await textOf(wide(SEEN.repeat(9), true).subarray(0, -1), "a.txt")).toContain(SEEN),
  "lone surrogates in UTF-8": async () => {
    const bytes = Uint8Array.from([...utf8(SEEN), 0x20, 0xed, 0xa0, 0x80, 0x20, ...utf8(SEEN)]);
    const { document, notes } = await read(bytes, "a.txt");
    expect(filtered(document)).toBeGreaterThan(0);
    expect(notes.join()).toMatch(/is not valid UTF-8/);
  },
  "lone surrogates in UTF-16": () =>
    stays(new TextDecoder("utf-16le").decode(wide(`${SEEN.repeat(5)} \ud800 ${SEEN}`, true))),
  "lone surrogates that are pasted": {
    fault: "the text kept them, the model said U+FFFD, and the fact was reported exact",
    attack: () => {
      const { text } = makeDocument("pasted", `\udc00 ${SEEN} \ud800`);
      expect(text).toBe(`\ufffd ${SEEN} \ufffd`);
    },
  },
  "right-to-left text with marks that turn it around": () =>
    stays(`\u202e\u2066مريم تعيش في لشبونة.\u2069 ${SEEN} \u202c שלום.`),
  "Chinese without a space": () => stays(`${"玛丽住在里斯本。".repeat(20_000)}\n\n${SEEN}`),
  "combining marks without end": () => stays(`${SEEN} z${"\u0301".repeat(300_000)} ${SEEN}`),
  "joined emoji without end": () => stays(`${SEEN} ${"👩‍👩‍👧‍👦\u200d".repeat(20_000)} ${SEEN}`),
  "a zip named .txt": async () =>
    refused(read(writeZip([{ name: "a/b", bytes: utf8("x") }]), "a.txt"), /"a.txt" is a zip archive/),
  "a program named .txt": () =>
    refused(read(Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), "a.txt"), /a program/),
  "control characters": () => refused(read("\x01\x02".repeat(5000), "a.txt"), /is not plain text/),
  "a name of 100,000 characters that leads elsewhere": async () => {
    const { document } = await read(SEEN, `${"../".repeat(30_000)}etc/passwd.txt`);
    expect(document.text).toBe(SEEN);
  },
  "comments before what might be a page": {
    fault: "forty empty comments took the library worker for ever, whatever the file's name",
    attack: async () => {
      const text = `${"<!---->".repeat(200_000)}${SEEN}`;
      expect(await textOf(text, "a.txt")).toBe(text);
      expect((await read(`${"<!-- x -->\n".repeat(300)}<html><p>${SEEN}`, "a.txt")).format).toBe("html");
    },
  },
  "abbreviations that join a long text to one sentence": {
    fault: "each end looked through all of the sentence before it: 160 KB took 5 s, 5 MB minutes",
    attack: async () => expect(await sentencesOf("Mr. ".repeat(50_000))).toBeGreaterThan(100),
  },
  "initials and numbers without end": () => stays(`${"J. 1.".repeat(10_000)}\n\n${SEEN}`),
  "quotes that never close": () => stays(`${'a." “'.repeat(20_000)}\n\n${SEEN}`),
});

attacks("web pages", {
  "scripts of every kind": async () => {
    const page = `<html><body onload="steal()"><script>steal()</script><svg onload=steal()><script>steal()</script></svg>
      <img src=x onerror=steal()><iframe src="javascript:steal()">steal()</iframe><object data="data:text/html,steal()">steal()</object>
      <style>@import "https://evil.example/a.css"; steal</style><template>steal()</template><noscript>steal()</noscript><p>${SEEN}`;
    expect(await textOf(page, "a.html")).toBe(SEEN);
  },
  "text that is hidden from the reader": async () =>
    expect(
      await textOf(`<html><p hidden>secret</p><p style="display:none">secret</p><p>${SEEN}`, "a.html"),
    ).toBe(SEEN),
  "a script behind a broken tag is text": async () =>
    expect(await textOf(`<html><p>${SEEN} <scr<script>ipt>steal()</script>`, "a.html")).toBe(
      `${SEEN} ipt>steal()`,
    ),
  "entities that spell a script are text": async () =>
    expect(await textOf(`<html><p>&lt;script&gt;steal()&lt;/script&gt;`, "a.html")).toBe(
      "<script>steal()</script>",
    ),
  "white space in a block that keeps it": {
    fault: "from every space the rest was searched for its end: 200 KB took minutes",
    attack: async () =>
      expect(await textOf(`<html><pre>x${" ".repeat(2_000_000)}y</pre>`, "a.html")).toHaveLength(2_000_002),
  },
  "five million elements": {
    fault: "the tree of 30 MB took 1.8 GB and 12 s",
    attack: async () => {
      const { document, notes } = await read(`<html>${"<p>".repeat(2_000_000)}${SEEN}`, "a.html");
      expect(document.text).toBe(SEEN);
      expect(notes.join()).toMatch(/has over 1000000 of them/);
    },
  },
  "elements 100,000 deep": async () =>
    expect(await textOf(`<html>${"<div>".repeat(100_000)}${SEEN}`, "a.html")).toBe(SEEN),
  "a tag of 50,000 attributes": async () => {
    const attributes = Array.from({ length: 50_000 }, (_, i) => `a${i}=1`).join(" ");
    expect(await textOf(`<html><p ${attributes}>${SEEN}`, "a.html")).toBe(SEEN);
  },
  "a comment that never ends": () => refused(read(`<html><!--${"-".repeat(1_000_000)}`, "a.html"), /no text/),
  "formatting that opens again and again": async () =>
    expect(await textOf(`<html>${"<b><i><p></b></i>".repeat(20_000)}${SEEN}`, "a.html")).toContain(SEEN),
  "an encoding that there is not": async () =>
    expect(await textOf(`<html><meta charset="evil-8"><p>${SEEN}`, "a.html")).toBe(SEEN),
});

attacks("Markdown", {
  "scripts and addresses in raw HTML": async () => {
    const source = `# ${SEEN}\n\n<script>steal()</script>\n\n<img src="https://evil.example/x.png" onerror=steal()>\n\n[a](javascript:steal())`;
    expect(await textOf(source, "a.md")).toBe(`${SEEN}\n\na`);
  },
  "5 MB in one line": {
    fault: "a file without headings was parsed as one: 5 MB never came to an end",
    attack: async () => {
      const source = `${"The lamp *burns* at night. ".repeat(190_000)}\n\n${SEEN}`;
      expect(await textOf(source, "a.md")).toContain(`\n\n${SEEN}`);
    },
  },
  "paragraphs without end and without a heading": {
    fault: "it was parsed as one, with a memory of hundreds of times its size",
    attack: () => stays(`${"The lamp burns.\n\n".repeat(rounds(4000, 12_000))}${SEEN}`, "a.md"),
  },
  "emphasis that opens and never closes": {
    fault: "200 KB took minutes: the parser looks back for every mark",
    attack: () => stays(`${"*a_ ".repeat(50_000)}\n\n${SEEN}`, "a.md"),
  },
  "the same in small paragraphs": {
    fault: "200 KB took minutes",
    attack: () => stays(`${`${"*a_ ".repeat(240)}\n\n`.repeat(200)}${SEEN}`, "a.md"),
  },
  "tables of thousands of columns": {
    fault: "every short row is filled up to the widest: 16 KB took seconds and 300 MB",
    attack: () =>
      stays(`${"|a".repeat(8000)}|\n${"|-".repeat(8000)}|\n${"|x|\n".repeat(8000)}\n${SEEN}`, "a.md"),
  },
  "lists 2,000 deep": {
    fault: "a file of 4 MB never came to an end",
    attack: () =>
      stays(
        `${Array.from({ length: 2000 }, (_, i) => `${" ".repeat(2 * i)}- a`).join("\n")}\n\n${SEEN}`,
        "a.md",
      ),
  },
  "quotes 20,000 deep": () => stays(`${">".repeat(20_000)} a\n\n${SEEN}`, "a.md"),
  "brackets, pictures and links left open": () =>
    stays(
      ["[", "![", "[a](", "[a][", "<a ", "`"].map((s) => s.repeat(10_000)).join("\n\n") + `\n\n${SEEN}`,
      "a.md",
    ),
  "a fence that never closes": () => stays(`\`\`\`\n${"code\n".repeat(100_000)}${SEEN}`, "a.md"),
  "30,000 definitions of one link": () =>
    stays(`${"[a]: b\n".repeat(30_000)}\n\n${"[a] ".repeat(3000)}\n\n${SEEN}`, "a.md"),
  "front matter that never closes": () => stays(`---\n${"a: b\n".repeat(100_000)}\n\n${SEEN}`, "a.md"),
});

const epub = (body: string) =>
  makeEpub({ chapters: { "1.xhtml": body, "2.xhtml": xhtml(`<p>${SEEN}</p>`) } });
const replaced = (bytes: Uint8Array, from: string | RegExp, to: string): Uint8Array =>
  Uint8Array.from(Buffer.from(bytes).toString("latin1").replace(from, to), (c) => c.charCodeAt(0));

attacks("books and documents", {
  "an EPUB of CDATA that never ends": {
    fault: "from every start the rest was searched: 900 KB took for ever",
    attack: async () => expect(await textOf(epub("<![CDATA[".repeat(100_000)), "a.epub")).toContain(SEEN),
  },
  "an EPUB of document types that never end": async () =>
    expect(await textOf(epub("<!DOCTYPE [".repeat(100_000)), "a.epub")).toContain(SEEN),
  "an EPUB whose contents are links left open": {
    fault: "the title of each was the rest of the file: 300 KB took for ever",
    attack: async () => {
      const nav = '<a href="1.xhtml">y '.repeat(20_000);
      const book = makeEpub({ chapters: { "1.xhtml": xhtml(`<p>${SEEN}</p>`) }, nav });
      expect(await textOf(book, "a.epub")).toBe(SEEN);
    },
  },
  "an EPUB whose chapters lie outside": async () => {
    const chapters = { "../../../etc/passwd": xhtml("<p>x</p>"), "2.xhtml": xhtml(`<p>${SEEN}</p>`) };
    await refused(read(makeEpub({ chapters }), "a.epub"), /leads out of the archive/);
  },
  "an EPUB with external entities": async () => {
    const body = `<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><html><p>&x; ${SEEN}</p></html>`;
    expect(await textOf(epub(body), "a.epub")).not.toMatch(/root:/);
  },
  "an EPUB of the billion laughs": async () => {
    const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join(
      "",
    );
    const body = `<!DOCTYPE html [<!ENTITY l0 "ha">${laughs}]><html><p>&l9; x</p></html>`;
    expect((await textOf(epub(body), "a.epub")).length).toBeLessThan(10_000);
  },
  "an EPUB that is a bomb": async () =>
    refused(read(epub(xhtml(" ".repeat(30_000_000))), "a.epub"), /zip bomb/),
  "a DOCX that is a bomb": async () =>
    refused(read(makeDocx(wordParagraph(" ".repeat(30_000_000))), "a.docx"), /zip bomb/),
  "a DOCX of the billion laughs": async () => {
    const laughs = `<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "${"&a;".repeat(1000)}"><!ENTITY c "${"&b;".repeat(1000)}">]>`;
    const styles = { name: "word/styles.xml", bytes: utf8(`${laughs}<w:styles xmlns:w="w">&c;</w:styles>`) };
    const result = await textOf(makeDocx(wordParagraph(SEEN), [styles]), "a.docx").catch(
      (error: unknown) => (error as Error).message,
    );
    expect(result).toMatch(/^Mary lives|^ingest: "a.docx" is not a readable Word document/);
  },
  "a DOCX with external entities and pictures from elsewhere": async () => {
    const relations = {
      name: "word/_rels/document.xml.rels",
      bytes: utf8(
        `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink" Target="javascript:steal()" TargetMode="External"/></Relationships>`,
      ),
    };
    expect(await textOf(makeDocx(wordParagraph(SEEN), [relations]), "a.docx")).toBe(SEEN);
  },
  "a DOCX of tables without end": async () =>
    refused(
      read(makeDocx("<w:tbl><w:tr><w:tc>".repeat(20_000) + wordParagraph("x")), "a.docx"),
      /is not a readable Word document/,
    ),
  "a DOCX with a password": () =>
    refused(read(Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), "a.docx"), /with a password/),
  "a zip cut off in the middle": async () =>
    refused(
      read((await makeDocx(wordParagraph(SEEN))).subarray(0, 300), "a.docx"),
      /is not a zip archive|damaged/,
    ),
  "a PDF with a password": () =>
    refused(read(makePdf([typeset(["x"])], { locked: true }), "a.pdf"), /protected by a password/),
  "a PDF of one word of 300,000 letters": {
    fault:
      "each line end was searched for the start of its word: 40,000 letters took 1 s, a million would 10 minutes",
    attack: async () => {
      const line = (text: string, y: number) => ({ text, x: 72, y, size: 0.001 });
      const pdf = makePdf([[line("a".repeat(300_000), 700), line("and so on.", 690)]]);
      expect((await textOf(pdf, "a.pdf")).length).toBeGreaterThan(300_000);
    },
  },
  "a PDF that claims two billion pages": async () => {
    const bytes = replaced(makePdf([typeset([SEEN])]), "/Count 1", "/Count 2000000000");
    const result = await textOf(bytes, "a.pdf").catch((error: unknown) => (error as Error).message);
    expect(result).toMatch(/Mary lives|^ingest: /);
  },
  "a PDF whose page tree holds itself": async () => {
    const bytes = replaced(makePdf([typeset([SEEN])]), "/Kids [5 0 R]", "/Kids [2 0 R]");
    await refused(read(bytes, "a.pdf"), /"a.pdf"/);
  },
  "a PDF with a script that runs when it opens": async () => {
    const bytes = replaced(
      makePdf([typeset([SEEN])]),
      "/Type /Catalog",
      "/Type /Catalog /OpenAction << /S /JavaScript /JS (globalThis.stolen = 1) >>",
    );
    expect(await textOf(bytes, "a.pdf")).toBe(SEEN);
    expect(globalThis).not.toHaveProperty("stolen");
  },
});
