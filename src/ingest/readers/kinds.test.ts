/** @file Documents as people have them, by kind; the first case of each kind is from a public report. */

import { describe, expect, test } from "vitest";
import { makeDocx, utf8, wordParagraph } from "../testing/archives.ts";
import { tidyText } from "../tidy.ts";
import { htmlToText } from "./html.ts";
import { readFile } from "./readFile.ts";

const page = async (body: string): Promise<string> => (await htmlToText(body)).text;

describe("books: page numbers, breaks and notes", () => {
  test.each([
    ['<p>impor<span class="pagenum">[Pg xxxiii]</span>tant</p>', "important"],
    ['<p>sailed <span class="pagenum">[Pg 12]</span>away</p>', "sailed away"],
    ['<p>sailed 1<span epub:type="pagebreak" id="p12">12</span> mile</p>', "sailed 1 mile"],
    ['<p>beau-<span role="doc-pagebreak">13</span>tiful</p>', "beautiful"],
    ['<p>a<a class="pageno" id="x">p. 7</a>way</p>', "away"],
    ['<p><span epub:type="pagebreak">‘But</span> of course!</p>', "‘But of course!"],
    [
      '<p>He left.<a epub:type="noteref" href="#n">1</a> She stayed<a role="doc-noteref" href="#m"><sup>2</sup></a> there.</p><aside epub:type="footnote"><p>A note.</p></aside><p>Next.</p>',
      "He left. She stayed there.\n\nA note.\n\nNext.",
    ],
    ['<p>Text<sup><a href="#footnote-1">[1]</a></sup> goes.</p>', "Text goes."],
    ['<p>It fell.<sup class="reference"><a href="#c">[3]</a></sup> It rose.</p>', "It fell. It rose."],
    ["<p>Verse one,<br/>verse two.</p>", "Verse one,\nverse two."],
  ])("%s", async (html, expected) => {
    expect(await page(html)).toBe(expected);
  });

  test("what Project Gutenberg wrote around a book is out, and listed", async () => {
    const book = `The Project Gutenberg eBook of X\n\n*** START OF THE PROJECT GUTENBERG EBOOK X ***\n\nMary sailed.\n\n*** END OF THE PROJECT GUTENBERG EBOOK X ***\n\nSection 1. Terms`;
    const { document, notes } = await readFile(utf8(book), "x.txt");
    expect(document.text).toBe("Mary sailed.");
    expect(notes.join()).toMatch(/left out \(2\)\.\nThe Project Gutenberg eBook[^]*\n\*\*\* END OF/);
  });
});

test("what is struck out beside other words is no text, and a quoted mail is read without its marks", async () => {
  expect(await page("<p>Rent: <del>€2,000</del> <s>€2,200</s> €2,450</p>")).toBe("Rent: €2,450");
  expect(await page("<ul><li><s>buy milk</s></li><li>buy eggs</li></ul>")).toBe("buy milk\n\nbuy eggs");
  expect(await page("<p>one <s>two</p><p>three</p><p>four</p>")).toMatch(/three\n\nfour/);
  const { document } = await readFile(utf8("Rent: ~~€2,000~~ €2,450\n"), "x.md");
  expect(document.text).toBe("Rent: €2,450");
  expect(tidyText("Ann wrote:\n> The desks come\n>> on Tuesday.\n>\n> Fine.\n5 > 4")).toBe(
    "Ann wrote:\n\nThe desks come\non Tuesday.\n\nFine.\n\n5 > 4",
  );
  expect(tidyText("Yes, I can.\n> Can you come?\n\nAnn")).toBe("Yes, I can.\n\nCan you come?\n\nAnn");
  expect(tidyText(">> Is it late\n> Not yet\n> at all\nGood")).toBe("Is it late\n\nNot yet\nat all\n\nGood");
  expect(tidyText("heavier\n> 5 kg")).toBe("heavier\n> 5 kg");
  expect(tidyText("> Sir Launcelot met old King\nAgrivance of Ireland.")).toBe(
    "Sir Launcelot met old King\nAgrivance of Ireland.",
  );
});

describe("raised and lowered digits", () => {
  test.each([
    ["The area is 12 km<sup>2</sup>, 60 m<sup>3</sup>/s.", "The area is 12 km², 60 m³/s."],
    ["It covers 5&nbsp;mi<sup>2</sup> and 9 in<sup>2</sup>.", "It covers 5 mi² and 9 in²."],
    ["E = mc<sup>2</sup>, (a + b)<sup>2</sup>, sin<sup>2</sup> x", "E = mc², (a + b)², sin² x"],
    ["10<sup>6</sup> t, 10<sup>−3</sup> s, Ca<sup>2+</sup>", "10⁶ t, 10⁻³ s, Ca²⁺"],
    ["H<sub>2</sub>O, CO<sub>2</sub>, SO<sub>4</sub><sup>2−</sup>", "H₂O, CO₂, SO₄²⁻"],
    ["<sup>14</sup>C and <sup>238</sup>U decay.", "¹⁴C and ²³⁸U decay."],
    ["The 19<sup>th</sup> and x<sub>max</sub>", "The 19th and xmax"],
    ["He left.<sup>3</sup> She stayed<sup>4</sup> here <sup>5</sup>.", "He left. She stayed here ."],
    [
      "Born in 1990<sup>2</sup> (in Linz)<sup>3</sup>, he<sup>4, 5</sup> sang.",
      "Born in 1990 (in Linz), he sang.",
    ],
    [
      'It fell<a href="#fn1"><sup>1</sup></a>.<a href="#fn2" id="r2"><sup>[2]</sup></a> End<sup>*</sup>',
      "It fell. End",
    ],
    ["<sup>1</sup> The note itself.", "The note itself."],
  ])("%s", async (html, expected) => {
    expect(await page(`<p>${html}</p>`)).toBe(expected);
  });
});

test.each([
  [
    "<dl><dt>Mayor</dt> <dd><p>Anna Huber</p></dd><dd>Otto</dd><dt>Open?</dt><dd>Yes</dd></dl>",
    "Mayor: Anna Huber\n\nOtto\n\nOpen? Yes",
  ],
  ["<p>a</p><dl><dd>b</dd><dt></dt><dd>c</dd></dl>", "a\n\nb\n\nc"],
])("a term is in a line with its definition: %s", async (html, expected) => {
  expect(await page(html)).toBe(expected);
});

describe("formulas", () => {
  const math =
    '<math><semantics><mrow><mi>x</mi><mo>=</mo><mn>1</mn></mrow><annotation encoding="application/x-tex">x=1</annotation></semantics></math>';
  test.each([
    `<span class="katex"><span class="katex-mathml">${math}</span><span class="katex-html" aria-hidden="true">x=1</span></span>`,
    `<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;">${math}</span><img alt="x=1"></span>`,
    `<span class="MathJax_Preview">x=1</span>${math}`,
  ])("are there once: %s", async (html) => {
    expect(await page(`<p>So ${html} holds.</p>`)).toBe("So x=1 holds.");
  });
});

describe("tables", () => {
  const row = (tag: string, ...cells: string[]): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join("")}</tr>`;
  const head = row("th", "Item", "Planned", "Actual", "Owner");
  test.each([
    [
      `<table>${head}${row("td", "Furniture", "€12,000", "€13,480", "Tom")}</table>`,
      "Furniture: planned €12,000, actual €13,480, owner Tom.",
    ],
    [`<table>${head}${row("td", "Paint", "", "€90", "")}</table>`, "Paint: actual €90."],
    [
      `<table>${row("td", "Name", "Age")}${row("td", "Mary", "12")}${row("td", "Paul", "9")}</table>`,
      "Mary: age 12.\n\nPaul: age 9.",
    ],
    [
      `<table class="infobox"><tr><th colspan="2">Linz</th></tr>${"<tr><th>Country</th><td>Austria<sup>[1]</sup></td></tr>"}</table>`,
      "Linz\n\nLinz – Country: Austria.",
    ],
    [
      `<table><tr><th colspan="2">Linz</th></tr><tr><th colspan="2">Area<div>(2020)</div></th></tr><tr><th>• Total</th><td>12&nbsp;km<sup>2</sup></td></tr><tr><th>Code</th><td>4470</td></tr></table>`,
      "Linz\n\nLinz – Area (2020), total: 12 km².\n\nLinz – Code: 4470.",
    ],
    [
      `<table>${row("th", "Property", "Value")}${row("td", "Owner", "the town")}${row("td", "Lit in", "1871")}</table>`,
      "Owner: the town.\n\nLit in: 1871.",
    ],
    [`<table>${row("th", "Field", "Yield")}${row("td", "3", "5 t")}</table>`, "Field 3: yield 5 t."],
    [
      `<table><caption>Staff</caption>${row("th", "Name", "Role")}${row("td", "Ann", "cook")}</table>`,
      "Staff\n\nAnn: role cook.",
    ],
    [
      `<table>${row("th", "Year", "Team")}<tr><td rowspan="2">1990</td><td>A</td></tr><tr><td>B</td></tr></table>`,
      "Year 1990: team A.\n\nYear 1990: team B.",
    ],
    [
      `<table>${row("th", "Membership", "Old fee", "New fee")}${row("td", "Adult", "£60", "£66")}${row("td", "Family membership", "£90", "£99")}</table>`,
      "Adult (membership): old fee £60, new fee £66.\n\nFamily membership: old fee £90, new fee £99.",
    ],
    [
      `<html lang="de"><table>${row("th", "Mitgliedschaft", "Preis")}${row("td", "Kind", "5 €")}</table>`,
      "Kind (Mitgliedschaft): Preis 5 €.",
    ],
    [
      `<html lang="de"><table>${row("th", "Ding", "Preis")}${row("td", "Tisch", "5 €")}</table>`,
      "Tisch: Preis 5 €.",
    ],
    [`<table>${row("td", "a", "b")}</table>`, "a\tb"],
  ])("%s", async (html, expected) => {
    expect(await page(html)).toBe(expected);
  });
});

test("a table whose cells claim to span more places than it can have is soon read", async () => {
  const cell = (i: number): string => `<tr><td colspan="100" rowspan="5000">Cell ${i}</td></tr>`;
  const html = `<table><tr><th>A</th><th>B</th></tr>${Array.from({ length: 400 }, (_, i) => cell(i)).join("")}</table>`;
  expect(await page(html)).toContain("Cell 399");
});

test("a saved page keeps its article, and lists the rest", async () => {
  const html = `<!doctype html><html><head><title>Linz</title></head><body><a class="mw-jump-link" href="#c">Jump to content</a>
    <nav><a href="/">Main page</a></nav><div id="content"><h1>Linz</h1><div class="hatnote">For other uses, see Linz (ship).</div>
    <p>Linz is a town.<sup class="reference">[1]</sup> It<sup class="reference">[2]</sup> is old.</p>
    <div><h2>History</h2><span class="mw-editsection">[<a href="e">edit</a>]</span></div><p>It was founded in 799.</p>
    <div><h2>References</h2></div><ol class="references"><li>Smith 1990</li></ol><h2>External links</h2><ul><li><a href="x">Site</a></li></ul>
    <div class="navbox"><a href="1">Towns</a></div></div><footer>Last edited in 2024.</footer></body></html>`;
  const { document, notes } = await readFile(utf8(html), "linz.html");
  expect(document.text).toBe("Linz\n\nLinz is a town. It is old.\n\nHistory\n\nIt was founded in 799.");
  expect(notes.join()).toMatch(/not the article were left out \(\d+\)\.\n/);
  for (const part of ["Navigation: Main page", "Footer: Last edited", "References: Smith", "[edit]", "Towns"])
    expect(notes.join()).toContain(part);
});

test("the list of what was left out keeps the items of a menu apart", async () => {
  const menus =
    '<nav><a href="/">Home</a><a href="/a">About <b>us</b></a></nav><footer><ul><li>Terms</li><li>Privacy</li></ul><p>Made by <a href="/b">Ann</a> in May</p></footer>';
  const { notes } = await readFile(
    utf8(`<main><p>${"It was founded in 799. ".repeat(9)}</p></main>${menus}`),
    "a.html",
  );
  expect(notes.join()).toContain("Navigation: Home · About us");
  expect(notes.join()).toContain("Footer: Terms · Privacy · Made by Ann in May");
});

describe("plain text", () => {
  test.each([
    ["Po\u00ad\nlitik und Wert\u00adpapier", "Politik und Wertpapier"],
    ["The exam-\nple of a well-\nknown thing: well-known.", "The example of a well-known thing: well-known."],
    ["Nord-\nSüd", "Nord-\nSüd"],
    [
      "The milk was\n\n12\n\f\nin the box. He left.\n13\n\fThen",
      "The milk was\nin the box. He left.\n\nThen",
    ],
    ["It was[3] old.[4] Then[5][6], no.", "It was old. Then, no."],
    ["a[3] = b[4]", "a[3] = b[4]"],
    ["- [ ] Book a room\n[x] Buy tea\nif a [ ] b", "- To do: Book a room\nDone: Buy tea\nif a [ ] b"],
    [
      "Name\tPrice\tOwner\nChair\t€45.00\t\nDesk\t€145.00\tAnn\n\nEnd",
      "Chair: price €45.00.\nDesk: price €145.00, owner Ann.\n\nEnd",
    ],
    [
      "Item        Planned   Actual\nArm chair   €12,000   €13,480\nPaint       €400      €390",
      "Arm chair: planned €12,000, actual €13,480.\nPaint: planned €400, actual €390.",
    ],
    [
      "Workshops\n| Topic | Who |\n|---|:--|\n| Pruning apples | Dr. Amara Boateng |\n| Leaf mould | Hanna |\n\nEnd",
      "Workshops\nPruning apples (topic): who Dr. Amara Boateng.\nLeaf mould (topic): who Hanna.\n\nEnd",
    ],
    ["| a poem | of |\n| bars | here |", "| a poem | of |\n| bars | here |"],
    ["Roses  are  red\nViolets  are  blue", "Roses  are  red\nViolets  are  blue"],
    ["a\tb\nc\td\te", "a\tb\nc\td\te"],
  ])("%j", (text, expected) => {
    expect(tidyText(text)).toBe(expected);
  });

  test.each([
    ["gb18030", [0xc4, 0xe3, 0xba, 0xc3], "你好"],
    ["shift_jis", [0x82, 0xb1, 0x82, 0xf1, 0x82, 0xc9, 0x82, 0xbf, 0x82, 0xcd], "こんにちは"],
    ["windows-1252", [0x4d, 0xfc, 0x6c, 0x6c, 0x65, 0x72], "Müller"],
  ])("%s is guessed, and said", async (label, bytes, expected) => {
    const { document, encoding, notes } = await readFile(Uint8Array.from(bytes), "a.txt");
    expect([document.text, encoding]).toEqual([expected, label]);
    expect(notes.join()).toMatch(/a guess/);
  });
});

test("of a footer the lines with a telephone number, an e-mail address or a registered number are kept", async () => {
  const footer = (inner: string) =>
    `<main><h1>Rope Museum</h1><p>The shed is long. It was built in 1798.</p></main><footer>${inner}</footer>`;
  const kept = async (inner: string): Promise<string> =>
    (await htmlToText(footer(inner), { page: true })).text;
  const own = "Rope Museum\n\nThe shed is long. It was built in 1798.";
  expect(
    await kept(
      "<nav><a href='/'>Tel. 01632 960 188</a></nav><div><p>Tar Quay. Telephone <b>01632 960 188</b>.</p><p>© 2025 The Trust</p></div><address>ring@rope.org</address><ul><li>Registered charity 1099999</li><li>Imprint</li></ul>",
    ),
  ).toBe(`${own}\n\nTar Quay. Telephone 01632 960 188.\n\nring@rope.org\n\nRegistered charity 1099999`);
  for (const line of [
    "© 2019–2025 The Trust. Page 12 of 2024.",
    "Last updated 01/02/2024",
    "Version 01.02.2024",
    "Company founded in 1998",
  ])
    expect(await kept(`<p>${line}</p>`)).toBe(own);
  for (const line of ["(555) 123-4567", "+44 1632 960188", "Tel. 01632/960188"])
    expect(await kept(`<p>${line}</p>`)).toBe(`${own}\n\n${line}`);
  // Also below an article that ends in its references.
  const html = `<main><p>${"It was built in 1798. ".repeat(9)}</p><h2>References</h2><p>Smith</p></main><footer><p>Tel. 01632 960188</p></footer>`;
  expect((await htmlToText(html, { page: true })).text).toMatch(/1798\.\n\nTel\. 01632 960188$/);
});

test("Word: tracked changes, comments and headers are named", async () => {
  const edited =
    '<w:p><w:r><w:t>For </w:t></w:r><w:del w:author="Ann"><w:r><w:delText>twelve (12) months</w:delText></w:r></w:del><w:ins w:author="Ann"><w:r><w:t>two years</w:t></w:r></w:ins></w:p>';
  const part = (tag: string, inner: string): Uint8Array => utf8(`<w:${tag} xmlns:w="w">${inner}</w:${tag}>`);
  const bytes = await makeDocx(edited + wordParagraph("End."), [
    {
      name: "word/comments.xml",
      bytes: part(
        "comments",
        '<w:comment w:author="Bo"><w:p><w:r><w:t>Check this</w:t></w:r></w:p></w:comment>',
      ),
    },
    { name: "word/header1.xml", bytes: part("hdr", "<w:p><w:r><w:t>Draft 3</w:t></w:r></w:p>") },
  ]);
  const { document, notes } = await readFile(bytes, "a.docx");
  expect(document.text).toBe("For two years\n\nEnd.");
  expect(notes.join("\n")).toMatch(
    /tracked changes[^]*Deleted by Ann: twelve \(12\) months\nInserted by Ann: two years/,
  );
  expect(notes.join("\n")).toMatch(/Comment by Bo: Check this[^]*Header: Draft 3/);
});
