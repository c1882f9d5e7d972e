import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../lib/testing/thorough.ts";
import { sentences } from "../sentences.ts";
import { makePdf, typeset, type PlacedLine } from "../testing/pdf.ts";
import { readFile } from "./readFile.ts";
import type { PageStart } from "./types.ts";

/** The page that an offset is printed on. */
const pageAt = (pages: readonly PageStart[], offset: number) =>
  pages.findLast(({ start }) => start <= offset)?.page;

const text = async (...pages: PlacedLine[][]): Promise<string> =>
  (await readFile(makePdf(pages), "a.pdf")).document.text;

describe("paragraphs", () => {
  test("wrapped lines are joined, gaps and indents are breaks", async () => {
    const page = typeset([
      "The wolf came down from the hill and it was a very wise creature that",
      "everyone in the village knew (and feared). It was called Grey, because",
      "of its coat.",
      "",
      "Nobody had seen it for many years, so that the younger people of the",
      "village did not believe in it.",
    ]);
    page.push({ text: "One evening it came back, and the dogs knew it at once and fell", x: 84, y: 696 });
    page.push({ text: "silent.", x: 72, y: 684 });
    expect(await text(page)).toBe(
      "The wolf came down from the hill and it was a very wise creature that everyone in the village knew (and feared). " +
        "It was called Grey, because of its coat.\n\nNobody had seen it for many years, so that the younger people of the " +
        "village did not believe in it.\n\nOne evening it came back, and the dogs knew it at once and fell silent.",
    );
  });

  test("a heading in larger type stands alone", async () => {
    const page = [
      { text: "The Return of the", x: 72, y: 790, size: 18 },
      { text: "Wolf", x: 72, y: 768, size: 18 },
      ...typeset(["it came down from the hill."], 750),
    ];
    expect(await text(page)).toBe("The Return of the Wolf\n\nit came down from the hill.");
  });

  test.each([
    [
      "joins the halves",
      ["It was a wise crea-", "ture of the woods."],
      "It was a wise creature of the woods.",
    ],
    ["keeps a hyphen before a capital", ["He met Jean-", "Paul there."], "He met Jean- Paul there."],
    [
      "keeps the hyphen of a word that has one elsewhere",
      ["A well-known wolf. He was well-", "known to all."],
      "A well-known wolf. He was well-known to all.",
    ],
    ["a dash is no hyphen", ["He came -", "and went."], "He came - and went."],
    ["numbers keep theirs", ["In 1914-", "and later."], "In 1914- and later."],
  ])("hyphen at a line end: %s", async (_, lines, expected) => {
    expect(await text(typeset(lines))).toBe(expected);
  });

  test("two columns are read one after the other", async () => {
    const left = typeset(["The left column starts here and goes on", "for two lines and then goes"]);
    const right = typeset(["on at the top of the right one until its", "end."]).map((line) => ({
      ...line,
      x: 320,
    }));
    expect(await text([...left, ...right])).toBe(
      "The left column starts here and goes on for two lines and then goes on at the top of the right one until its end.",
    );
  });

  test("words set apart on one line keep one space", async () => {
    const placed = ["Mary", "moved", "away."].map((word, i) => ({ text: word, x: 72 + 60 * i, y: 700 }));
    expect(await text(placed)).toBe("Mary moved away.");
  });
});

describe("pages", () => {
  const body = (i: number): string[] => [
    `Sentence ${"abcdefgh"[i]} of the book is here and it goes on until`,
    "the page ends.",
  ];

  test("each page starts where its text starts; one without text where the next does", async () => {
    const { document, pages, notes } = await readFile(
      makePdf([
        typeset(["The first page ends in the middle of a"]),
        [],
        typeset(["sentence. Then more."]),
        [],
      ]),
      "a.pdf",
    );
    expect(document.text).toBe("The first page ends in the middle of a sentence. Then more.");
    const third = document.text.indexOf("sentence");
    expect(pages).toEqual([
      { page: 1, start: 0 },
      { page: 2, start: third },
      { page: 3, start: third },
      { page: 4, start: document.text.length },
    ]);
    expect(notes).toEqual([expect.stringMatching(/no text on pages 2, 4; if scanned/)]);
    expect([0, third - 1, third, third + 5].map((offset) => pageAt(pages!, offset))).toEqual([1, 1, 3, 3]);
  });

  test("a word broken over two pages is one word", async () => {
    const { document, pages } = await readFile(
      makePdf([typeset(["a wise crea-"]), typeset(["ture."])]),
      "a.pdf",
    );
    expect(document.text).toBe("a wise creature.");
    expect(document.text.slice(pages![1]!.start)).toBe("ture.");
  });

  test("page numbers and running heads go, the first head stays", async () => {
    const pages = [0, 1, 2, 3].map((i) => [
      { text: "A History of Wolves", x: 200, y: 820 },
      ...typeset(body(i)),
      { text: `- ${i + 7} -`, x: 290, y: 20 },
    ]);
    const { document, notes } = await readFile(makePdf(pages), "a.pdf");
    expect(document.text).toBe(
      `A History of Wolves\n\n${[0, 1, 2, 3].map((i) => body(i).join(" ")).join("\n\n")}`,
    );
    expect(notes).toEqual([
      expect.stringMatching(/page numbers and repeated running heads were left out \(7\)\.\n- 7 -\n/),
    ]);
  });

  test("numbers and lines that do not count pages stay", async () => {
    const pages = [typeset(["1914", "was a year.", "12"]), typeset(["1915", "was one too.", "99"])];
    expect((await text(...pages)).match(/\d+/g)).toEqual(["1914", "12", "1915", "99"]);
  });

  test("every sentence is on the page that its words were set on", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 }),
        async (counts) => {
          const lines = counts.map((count, page) =>
            Array.from(
              { length: count },
              (_, i) => `Line ${"abcde"[i]} stands on sheet ${"stuvwxyz"[page]}.`,
            ),
          );
          if (counts.every((count) => count === 0)) return;
          const { document, pages } = await readFile(makePdf(lines.map((page) => typeset(page))), "p.pdf");
          expect(pages!.map(({ page }) => page)).toEqual(counts.map((_, i) => i + 1));
          const seen = [...sentences(document)].map(({ text: sentence, start }) => [
            sentence,
            pageAt(pages!, start),
          ]);
          expect(seen).toEqual(lines.flatMap((page, i) => page.map((line) => [line, i + 1])));
        },
      ),
      { numRuns: 25 },
    );
  });

  test("progress by page, and a cancel between pages", async () => {
    const bytes = makePdf([0, 1, 2].map((i) => typeset(body(i))));
    const done: string[] = [];
    const stop = new AbortController();
    await readFile(bytes, "a.pdf", { onProgress: (page, of) => done.push(`${page}/${of}`) });
    expect(done).toEqual(["1/3", "2/3", "3/3"]);
    const stopped = readFile(bytes, "a.pdf", { signal: stop.signal, onProgress: () => stop.abort() });
    await expect(stopped).rejects.toMatchObject({ name: "Cancelled" });
  });
});

describe("files that cannot be read say why", () => {
  const good = makePdf([typeset(["Mary moved to Lisbon."])]);

  test.each([
    [
      "a scan",
      makePdf([[], []]),
      /"x.pdf" has 2 pages, but no text in them: they are pictures.*text recognition/,
    ],
    [
      "a password",
      makePdf([typeset(["x"])], { locked: true }),
      /"x.pdf" .* protected by a password; save a copy/,
    ],
    ["only a head", good.slice(0, 40), /"x.pdf" \(40 bytes\) is damaged or cut short/],
    ["cut in the middle", good.slice(0, 200), /"x.pdf" \(200 bytes\) is damaged or cut short/],
    [
      "noise behind the mark",
      Uint8Array.from([...good.slice(0, 9), ...new Uint8Array(5000).fill(7)]),
      /"x.pdf".* damaged/,
    ],
  ])("%s", async (_, bytes, message) => {
    await expect(readFile(bytes, "x.pdf")).rejects.toThrow(message);
  });

  test.each(rounds([2], [1, 2]))("a stream that unpacks to 210 MB, packed %i times", async (layers) => {
    const bomb = makePdf([typeset(["x"])], { padding: { spaces: 210e6, layers } });
    await expect(readFile(bomb, "x.pdf")).rejects.toThrow(
      /"x.pdf" \(\d{3,6} bytes\) unpacks to over 200000000 bytes.*it was not read/,
    );
  });

  test("packed content of an ordinary size is read", async () => {
    const { document } = await readFile(
      makePdf([typeset(["It rained."])], { padding: { spaces: 5, layers: 2 } }),
      "x.pdf",
    );
    expect(document.text).toBe("It rained.");
  });

  test("a file whose table of objects is wrong is repaired", async () => {
    const file = new TextDecoder().decode(good).replace(/startxref\n\d+/, "startxref\n7");
    expect((await readFile(new TextEncoder().encode(file), "x.pdf")).document.text).toBe(
      "Mary moved to Lisbon.",
    );
  });

  test("the caller's bytes are left alone", async () => {
    const copy = good.slice();
    await readFile(copy, "x.pdf");
    expect(copy).toEqual(good);
  });
});
