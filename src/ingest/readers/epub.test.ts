import { describe, expect, test } from "vitest";
import { readZip, writeZip } from "../../lib/zip.ts";
import { makeEpub, utf8, xhtml } from "../testing/archives.ts";
import { readFile } from "./readFile.ts";

const ONE = xhtml("<h1>Chapter One</h1><p>It was dark.</p>");
const TWO = xhtml("<p>It was cold.</p>");

/** An encryption.xml that names one file. */
const encryption = (uri: string, algorithm: string) => ({
  name: "META-INF/encryption.xml",
  bytes: utf8(
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">' +
      `<enc:EncryptedData><enc:EncryptionMethod Algorithm="${algorithm}"/><enc:CipherData>` +
      `<enc:CipherReference URI="${uri}"/></enc:CipherData></enc:EncryptedData></encryption>`,
  ),
});

describe("EPUB", () => {
  test("chapters in the order of the spine, and the title", async () => {
    const nav = xhtml(
      '<nav epub:type="toc"><ol><li><a href="text/two%20%26.xhtml#x"><span>The</span> Cold</a></li></ol></nav>',
    );
    const bytes = await makeEpub({
      title: "Night &amp; Day",
      chapters: { "z.xhtml": ONE, "two &.xhtml": TWO },
      nav,
    });
    const { document, format, notes } = await readFile(bytes, "book.epub");
    expect(format).toBe("epub");
    expect(document.title).toBe("Night & Day");
    expect(document.text).toBe("Chapter One\n\nIt was dark.\n\nIt was cold.");
    expect(notes).toEqual([]);
  });

  test("EPUB 2: prefixed names, text/html by a DTD with entities", async () => {
    const opf =
      '<opf:package xmlns:opf="http://www.idpf.org/2007/opf"><opf:metadata><dc:title>Old</dc:title></opf:metadata>' +
      '<opf:manifest><opf:item id="n" href="toc.ncx" media-type="application/x-dtbncx+xml"/>' +
      '<opf:item id="a" href="a.html" media-type="application/xhtml+xml"/></opf:manifest>' +
      '<opf:spine toc="n"><opf:itemref idref="a"/></opf:spine></opf:package>';
    const ncx =
      '<ncx><navMap><navPoint><navLabel><text>First\n Part</text></navLabel><content src="a.html#p1"/></navPoint></navMap></ncx>';
    const page =
      '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd" [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' +
      "<html><head><title/></head><body><p>Caf&eacute;&#160;&b;<img src='x'/></p></body></html>";
    const bytes = await writeZip([
      { name: "META-INF/container.xml", bytes: utf8('<container><rootfile full-path="b.opf"/></container>') },
      { name: "b.opf", bytes: utf8(opf) },
      { name: "toc.ncx", bytes: utf8(ncx) },
      { name: "a.html", bytes: utf8(page) },
    ]);
    const { document } = await readFile(bytes, "old.epub");
    expect(document).toMatchObject({ title: "Old", text: "Café &b;" });
  });

  test("chapters that are listed but missing are left out and said", async () => {
    const bytes = await makeEpub({ chapters: { "1.xhtml": ONE, "2.xhtml": TWO, "3.xhtml": "" } });
    const files = [...(await readZip(bytes, "x")).values()].filter(({ name }) => !name.endsWith("2.xhtml"));
    const without = await writeZip(
      await Promise.all(files.map(async ({ name, read }) => ({ name, bytes: await read() }))),
    );
    const { document, notes } = await readFile(without, "x.epub");
    expect(document.text).toBe("Chapter One\n\nIt was dark.");
    expect(notes).toEqual([
      expect.stringMatching(/"x.epub" lists 2 chapters that it does not hold \(first: "OEBPS\/text\/2/),
    ]);
  });

  test("scrambled fonts are no DRM, encrypted chapters are", async () => {
    const font = encryption("OEBPS/fonts/a.otf", "http://www.idpf.org/2008/embedding");
    const { document } = await readFile(
      await makeEpub({ chapters: { "1.xhtml": ONE }, more: [font] }),
      "x.epub",
    );
    expect(document.text).toMatch(/dark/);
    const drm = encryption("OEBPS/text/1.xhtml", "http://www.w3.org/2001/04/xmlenc#aes128-cbc");
    await expect(
      readFile(await makeEpub({ chapters: { "1.xhtml": ONE, "2.xhtml": TWO }, more: [drm] }), "x.epub"),
    ).rejects.toThrow(/"x.epub" is protected by DRM: 1 of its 2 chapters are encrypted/);
  });

  test.each([
    [
      "the container",
      [{ name: "META-INF/container.xml", bytes: utf8("<container/>") }],
      /path of the package in META-INF/,
    ],
    [
      "the package",
      [{ name: "META-INF/container.xml", bytes: utf8('<rootfile full-path="../../etc/passwd"/>') }],
      /"x.epub" is not a readable EPUB: ..\/..\/etc\/passwd is missing/,
    ],
  ])("without %s", async (_, files, message) => {
    await expect(readFile(await writeZip(files), "x.epub")).rejects.toThrow(message);
  });

  test("a book of pictures has no text", async () => {
    const bytes = await makeEpub({ chapters: { "1.xhtml": xhtml("<img src='a.jpg' alt='x'/>") } });
    await expect(readFile(bytes, "x.epub")).rejects.toThrow(/"x.epub" has 1 chapters?, but no text/);
  });

  test("a bomb among the chapters stops at its ratio", async () => {
    const bytes = await makeEpub({
      chapters: { "1.xhtml": ONE, "2.xhtml": xhtml(`<p>${" ".repeat(30e6)}</p>`) },
    });
    await expect(readFile(bytes, "x.epub")).rejects.toThrow(
      /"OEBPS\/text\/2.xhtml" in "x.epub" unpacks .* zip bomb/,
    );
  });

  test("a package of a million open tags does no harm", async () => {
    const more = [{ name: "META-INF/encryption.xml", bytes: utf8("<a>".repeat(3e5) + "</b>".repeat(3e5)) }];
    const { document } = await readFile(await makeEpub({ chapters: { "1.xhtml": ONE }, more }), "x.epub");
    expect(document.text).toMatch(/dark/);
  });
});
