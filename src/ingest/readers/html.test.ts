import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { utf8 } from "../testing/archives.ts";
import { declaredEncoding, htmlToText } from "./html.ts";
import { readFile } from "./readFile.ts";

const text = async (html: string, options?: { xhtml: boolean }): Promise<string> =>
  (await htmlToText(html, options)).text;

describe("htmlToText", () => {
  test.each([
    ["blocks are paragraphs", "<h1>A</h1><p>b<p>c<div>d</div>e", "A\n\nb\n\nc\n\nd\n\ne"],
    ["white space collapses, also around inline tags", "<p> a\n\n <b> b</b>\t<i>c </i> d ", "a b c d"],
    ["words are not cut by inline tags", "<p>in<b>vis</b>i&shy;ble", "invisible"],
    ["one break is a line, two are a paragraph", "a<br>b<br><br>c", "a\nb\n\nc"],
    ["cells of a row", "<table><tr><td>a<td><p>b</p><tr><td>c<td>d</table>e", "a\tb\n\nc\td\n\ne"],
    ["list items", "<ul><li>a<li>b</ul>", "a\n\nb"],
    ["preformatted", "<pre>\n a\n   b\n</pre>c", " a\n   b\n\nc"],
    ["entities", "<p>&lt;b&gt; &eacute;&#233;&#xe9; &amp;amp; &unknown;", "<b> ééé &amp; &unknown;"],
    ["no-break spaces", "a&nbsp;&nbsp;b", "a b"],
    ["comments", "a<!-- <p>x</p> -->b", "ab"],
    ["an unclosed tag at the end", "<p>a</p><p class='", "a"],
    ["a lone less-than", "a < b and b <3 c", "a < b and b <3 c"],
    ["no markup at all", "plain", "plain"],
    ["nothing", "", ""],
    [
      "an infobox named like its page is not named again",
      "<h1>Port Ellis Light</h1><table><caption>Port Ellis Light</caption><tr><th>Height</th><td>38 m</td></tr><tr><th>Lit</th><td>1871</td></tr></table>",
      "Port Ellis Light\n\nPort Ellis Light – Height: 38 m.\n\nPort Ellis Light – Lit: 1871.",
    ],
    ["ruby", "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>字", "漢字"],
    ["the arrow back from a footnote", '<p>Note. <a href="#r">↩</a></p>', "Note."],
  ])("%s", async (_, html, expected) => {
    expect(await text(html)).toBe(expected);
  });

  test.each([
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//x></SCRIPT>",
    "<script><!--<script></script>alert(1)--></script>",
    "<style>p{content:'x'}</style>",
    "<template><p>x</p></template>",
    "<noscript><img src=x onerror=alert(1)></noscript>",
    "<p hidden>x</p>",
    "<div style='color:red; display : none'>x<p>y</div>",
    "<span style=visibility:hidden>x</span>",
    "<svg><title>x</title><script>alert(1)</script></svg>",
    "<iframe srcdoc='<p>x'>x</iframe>",
    "<img src=x onerror=alert(1) alt=x>",
    "<textarea><p>x</textarea>",
    "<select><option>x</select>",
    "<title>x</title>",
  ])("drops %s", async (html) => {
    expect(await text(`<body>a ${html} b`)).toMatch(/^a\s+b$/);
  });

  test("hidden=until-found waits to be searched for, so it is text", async () => {
    expect(await text('<p hidden="until-found">a</p>')).toBe("a");
  });

  test("headings are paragraphs", async () => {
    const html = "<p>Before.<h1>One <em>and</em>\nonly</h1><p>x<h3>Part</h3><p>y<h2 hidden>no</h2><h2></h2>";
    expect(await text(html)).toBe("Before.\n\nOne and only\n\nx\n\nPart\n\ny");
  });

  test("xhtml: self-closed elements end, CDATA is text, a DTD is nothing", async () => {
    const source =
      '<?xml version="1.0"?><!DOCTYPE html [<!ENTITY lol "lol"><!ENTITY b "&lol;&lol;">]>' +
      '<html><head><title/><script src="x"/></head><body><p>a<a id="x"/> b &b;<br/><![CDATA[c < d & e]]></p></body></html>';
    expect(await text(source, { xhtml: true })).toBe("a b &b;\nc < d & e");
  });
});

describe("hostile pages end soon and do not overflow the stack", () => {
  const times = (piece: string, count: number): string => piece.repeat(count);
  test.each([
    ["a million nested blocks", times("<div>", 1e6), true],
    ["nested tables", times("<table><tr><td>", 1e5), true],
    [
      "formatting that every paragraph opens again",
      `<p>${Array.from({ length: 1000 }, (_, i) => `<b a=${i}>`).join("")}` + times("<p>x", 1e4),
      true,
    ],
    ["nested lists, closed", times("<ul><li>", 1e5) + times("</ul>", 1e5), true],
    ["end tags of nothing", times("</p></b></div>", 1e5), false],
    ["many attributes", `<div ${Array.from({ length: 5e4 }, (_, i) => `a${i}=1`).join(" ")}>`, false],
    ["formatting closed out of order", times("<b><i><p></b></i>", 2e4), false],
    ["entities that name entities", times("&amp;lt;", 2e5), false],
  ])("%s", async (_, html, flattened) => {
    const read = await htmlToText(`${html}<p>Mary lives.</p><script>alert(1)</script>`);
    expect(read.text.endsWith("Mary lives.")).toBe(true);
    expect(read.flattened).toBe(flattened);
  });

  test("a page flattened for its depth says so and still drops scripts", async () => {
    const page = `<html><p>a<script>if (1 < 2) "<p>x"</script><style>b</style><title>t</title>${times("<div>", 1e4)}b`;
    const { document, notes } = await readFile(utf8(page), "deep.html");
    expect(document.text).toBe("a\n\nb");
    expect(notes.join()).toMatch(/"deep.html" nests its elements deeper than any page does/);
  });

  test("any string at all is read", async () => {
    const piece = fc.constantFrom(
      "<",
      ">",
      "</",
      "p",
      "td",
      "tr",
      "h1",
      "pre",
      "title",
      " hidden",
      "&",
      ";",
      "\0",
      "é",
      " ",
      "\n",
      "<!--",
      "-->",
      "]]>",
      "svg",
      "script",
      '"',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 60 }), fc.boolean(), async (pieces, xhtml) => {
        const { text: read } = await htmlToText(pieces.join(""), { xhtml });
        expect(read).toBe(read.trimEnd());
      }),
      { numRuns: 300 },
    );
  });
});

describe("encoding", () => {
  const windows1251 = Uint8Array.from([0xcc, 0xee, 0xf1, 0xea, 0xe2, 0xe0]);
  const page = (meta: string): Uint8Array =>
    Uint8Array.from([...utf8(`<html><head>${meta}</head><p>`), ...windows1251]);

  test.each([
    '<meta charset="windows-1251">',
    "<META http-equiv=Content-Type content='text/html; charset=windows-1251'>",
  ])("by %s", async (meta) => {
    const { document, encoding } = await readFile(page(meta), "a.html");
    expect(document.text).toBe("Москва");
    expect(encoding).toBe("windows-1251");
  });

  test("an XML declaration, and none", () => {
    expect(declaredEncoding(utf8('<?xml version="1.0" encoding="Shift_JIS"?>'))).toBe("Shift_JIS");
    expect(declaredEncoding(utf8("<p>charset=x"))).toBeUndefined();
  });

  test("what the user chose wins", async () => {
    const { document } = await readFile(page('<meta charset="koi8-r">'), "a.html", {
      encoding: "windows-1251",
    });
    expect(document.text).toBe("Москва");
  });
});
