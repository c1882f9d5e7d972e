/** @file Texts whose sentences take the cutter longer than anybody waits. */

import { expect } from "vitest";
import { attacks } from "../lib/testing/attacks.ts";
import { charOffset, documentId } from "../records/ids.ts";
import { paragraphs, sentences } from "./sentences.ts";

/** Cuts a text of one line; every unit that is no white space must come back in its place. */
function cut(unit: string, characters: number): void {
  const text = unit.repeat(characters / unit.length);
  let end = 0;
  for (const one of sentences({ id: documentId("0123456789abcdef"), title: "t", text })) {
    expect(text.slice(end, one.start).trim()).toBe("");
    expect(text.slice(one.start, one.end)).toBe(one.text);
    end = one.end;
  }
  expect(text.slice(end).trim()).toBe("");
  expect(charOffset(end)).toBeLessThanOrEqual(text.length);
}

const CHARACTERS = 1_000_000;

attacks("text files", {
  "a megabyte of hesitation": {
    fault:
      "each ellipsis looked through the whole window before it: 24 s for a megabyte, 130 s for five, and 10 to 16 s without a report",
    attack: () => cut("A… ", CHARACTERS),
  },
  "a megabyte of articles and dots": () => cut("The… ", CHARACTERS),
  "a megabyte of numbers in one line, among others": {
    fault:
      "whether lines are notes was looked for in lines of any length: 3 s for 80 KB, and the square of it for more",
    attack: () => expect([...paragraphs(`A\n${"1,".repeat(CHARACTERS / 2)}\nB`)]).toHaveLength(3),
  },
  "a megabyte of what is never last": () => cut("dept. a ", CHARACTERS),
});
