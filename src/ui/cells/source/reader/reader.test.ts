import fc from "fast-check";
import { expect, test } from "vitest";
import { blockAt, blocksOf, nearestHit, searchText } from "./Reader.tsx";

/** Texts with words, lines, blank lines and runs without any space. */
const texts = fc
  .array(fc.tuple(fc.constantFrom(" ", "\n", "\n\n", "\n \n\n", ""), fc.integer({ min: 1, max: 700 })), {
    maxLength: 40,
  })
  .map((parts) => parts.map(([gap, length]) => `${gap}${"ab𐍈".repeat(Math.ceil(length / 4))}`).join(""));

test("the blocks of an outline hold every character once, none is long, and no character pair is cut", () =>
  fc.assert(
    fc.property(texts, (text) => {
      const blocks = blocksOf(text);
      expect(blocks.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
      for (const { start, end } of blocks) {
        expect(end - start).toBeLessThanOrEqual(2700);
        expect(end).toBeGreaterThan(start);
        expect(text.slice(start, end).isWellFormed()).toBe(true);
      }
    }),
  ));

test("blocks end at paragraphs where the text has any", () => {
  const paragraph = `${"A sentence of some words. ".repeat(20)}\n\n`;
  const starts = blocksOf(paragraph.repeat(30)).map(({ start }) => start);
  expect(starts.length).toBeGreaterThan(10);
  expect(starts.every((start) => start % paragraph.length === 0)).toBe(true);
});

test("a page without a blank line is one block: its last word is not cut off", () => {
  const page = `${"A line of notes with some words in it.\n".repeat(26)}Send the list by 1 April.\n`;
  expect(page.length).toBeGreaterThan(900);
  expect(blocksOf(page)).toEqual([{ start: 0, end: page.length, breaks: 27 }]);
});

test("blockAt finds the block that holds the character", () =>
  fc.assert(
    fc.property(texts, fc.nat(20_000), (text, offset) => {
      const blocks = blocksOf(`${text}.`);
      const { start, end } = blocks[blockAt(blocks, offset)]!;
      expect(start).toBeLessThanOrEqual(offset);
      if (offset <= text.length) expect(end).toBeGreaterThan(offset);
    }),
  ));

test("search finds what a plain look through finds", () => {
  const text = "Ab ab aab\nb ABBA ".repeat(50);
  const expected = [...text.matchAll(/ab/gi)].map(({ index }) => ({ start: index, end: index + 2 }));
  expect(searchText("ab", text)).toEqual(expected);
});

test("a space in the query matches a line end; signs of patterns are plain characters", () => {
  const text = "the old\n  bench (a+b) was";
  expect(searchText("old bench", text)).toEqual([{ start: 4, end: 15 }]);
  expect(searchText("(A+B)", text)).toEqual([{ start: 16, end: 21 }]);
  expect(searchText("  ", text)).toEqual([]);
});

test("search stops at its limit", () => {
  expect(searchText("a", "a".repeat(1000), 10)).toHaveLength(10);
});

test("the first hit shown is the next one from where the eye is", () => {
  const hits = [5, 50, 500].map((start) => ({ start, end: start + 1 }));
  expect([0, 6, 50, 501].map((offset) => nearestHit(hits, offset))).toEqual([0, 1, 1, 0]);
});
