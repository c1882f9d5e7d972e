import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { blockAt, blockSpan, outlineBuilder } from "./outline.ts";
import { nearestHit, searchText } from "./search.ts";
import { CHUNK, openWindow } from "./useText.ts";

function outlineOf(pieces: readonly string[]) {
  const builder = outlineBuilder();
  for (const piece of pieces) builder.push(piece);
  builder.finish();
  return builder.outline();
}

/** Texts with words, lines, blank lines and runs without any space. */
const texts = fc
  .array(fc.tuple(fc.constantFrom(" ", "\n", "\n\n", "\n \n\n", ""), fc.integer({ min: 1, max: 700 })), {
    maxLength: 40,
  })
  .map((parts) => parts.map(([gap, length]) => `${gap}${"ab𐍈".repeat(Math.ceil(length / 4))}`).join(""));

test("the blocks of an outline hold every character once, none is long, and no character pair is cut", () =>
  fc.assert(
    fc.property(texts, (text) => {
      const outline = outlineOf([text]);
      expect(outline.characters).toBe(text.length);
      const blocks = outline.starts.map((_, i) => blockSpan(outline, i));
      expect(blocks.map(({ start, end }) => text.slice(start, end)).join("")).toBe(text);
      for (const { start, end } of blocks) {
        expect(end - start).toBeLessThanOrEqual(2700);
        expect(end).toBeGreaterThan(start);
        expect(text.slice(start, end).isWellFormed()).toBe(true);
      }
    }),
  ));

test("an outline does not depend on the pieces the text came in", () =>
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 5000 }), (text, size) => {
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, i) =>
        text.slice(i * size, (i + 1) * size),
      );
      expect(outlineOf(pieces)).toEqual(outlineOf([text]));
    }),
  ));

test("blocks end at paragraphs where the text has any", () => {
  const paragraph = `${"A sentence of some words. ".repeat(20)}\n\n`;
  const { starts } = outlineOf([paragraph.repeat(30)]);
  expect(starts.length).toBeGreaterThan(10);
  expect(starts.every((start) => start % paragraph.length === 0)).toBe(true);
});

test("a page without a blank line is one block: its last word is not cut off", () => {
  const page = `${"A line of notes with some words in it.\n".repeat(26)}Send the list by 1 April.\n`;
  expect(page.length).toBeGreaterThan(900);
  expect(outlineOf([page]).starts).toEqual([0]);
});

test("blockAt agrees with a look through all blocks", () =>
  fc.assert(
    fc.property(texts, fc.nat(20_000), (text, offset) => {
      const outline = outlineOf([`${text}.`]);
      const slow = outline.starts.findLastIndex((start) => start <= offset);
      expect(blockAt(outline.starts, offset)).toBe(slow);
    }),
  ));

const longText = Array.from({ length: 60_000 }, (_, i) => `word${i}`).join(" ");
const range = (text: string) => (start: number, end: number) => Promise.resolve(text.slice(start, end));

test("a text window gives what is here, fetches what is not, and tells when it came", async () => {
  const fetch = vi.fn(range(longText));
  const window = openWindow(longText.length, fetch);
  const told = vi.fn();
  window.subscribe(told);
  expect(window.slice(CHUNK - 10, CHUNK + 10)).toBeNull();
  await expect.poll(() => told.mock.calls.length).toBe(2);
  expect(window.slice(CHUNK - 10, CHUNK + 10)).toBe(longText.slice(CHUNK - 10, CHUNK + 10));
  expect(fetch).toHaveBeenCalledTimes(2);
});

test("a text window keeps a bounded part of the text", async () => {
  const characters = 100 * CHUNK;
  const fetch = vi.fn((start: number, end: number) => Promise.resolve("x".repeat(end - start)));
  const window = openWindow(characters, fetch);
  for (let i = 0; i < 100; i++) {
    window.slice(i * CHUNK, i * CHUNK + 1);
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(window.slice(i * CHUNK, i * CHUNK + 1)).toBe("x");
  }
  expect(fetch).toHaveBeenCalledTimes(100);
  expect(window.slice(99 * CHUNK, 99 * CHUNK + 1)).toBe("x");
  expect(window.slice(0, 1)).toBeNull();
  await expect.poll(() => window.slice(0, 1)).toBe("x");
});

test("a failed fetch is said and not asked again in a loop", async () => {
  const fetch = vi.fn(() => Promise.reject(new Error("library: the text is gone")));
  const window = openWindow(10, fetch);
  window.slice(0, 5);
  await expect.poll(() => window.error()).toBe("The text is gone");
  window.slice(0, 5);
  expect(fetch).toHaveBeenCalledTimes(1);
});

test("search finds what a plain look through finds, over every border of pieces", async () => {
  const text = "Ab ab aab\nb ABBA ".repeat(50);
  for (const piece of [7, 64, 10_000]) {
    const hits = await searchText("ab", text.length, range(text), { piece });
    const expected = [...text.matchAll(/ab/gi)].map(({ index }) => ({ start: index, end: index + 2 }));
    expect(hits).toEqual(expected);
  }
});

test("a space in the query matches a line end; signs of patterns are plain characters", async () => {
  const text = "the old\n  bench (a+b) was";
  expect(await searchText("old bench", text.length, range(text))).toEqual([{ start: 4, end: 15 }]);
  expect(await searchText("(A+B)", text.length, range(text))).toEqual([{ start: 16, end: 21 }]);
  expect(await searchText("  ", text.length, range(text))).toEqual([]);
});

test("search stops at its limit, and when it is called off", async () => {
  const text = "a".repeat(1000);
  expect(await searchText("a", text.length, range(text), { limit: 10 })).toHaveLength(10);
  const controller = new AbortController();
  const onProgress = vi.fn(() => controller.abort());
  const hits = await searchText("a", text.length, range(text), {
    piece: 100,
    signal: controller.signal,
    onProgress,
  });
  expect(hits).toHaveLength(100);
});

test("the first hit shown is the next one from where the eye is", () => {
  const hits = [5, 50, 500].map((start) => ({ start, end: start + 1 }));
  expect([0, 6, 50, 501].map((offset) => nearestHit(hits, offset))).toEqual([0, 1, 1, 0]);
});
