/** @file Splits a text into blocks of about a thousand characters, at paragraphs if possible. */

export interface TextBlock {
  readonly start: number;
  readonly end: number;
  /** Its line ends, for a first guess at its height. */
  readonly breaks: number;
}

export function blocksOf(text: string): readonly TextBlock[] {
  const blocks: TextBlock[] = [];
  for (let start = 0; start < text.length; start = blocks.at(-1)!.end) {
    const end = start + firstLength(text.slice(start, start + LONGEST));
    blocks.push({ start, end, breaks: text.slice(start, end).split("\n").length - 1 });
  }
  return blocks;
}

export const blockAt = (blocks: readonly TextBlock[], offset: number): number =>
  Math.max(
    0,
    blocks.findLastIndex(({ start }) => start <= offset),
  );

/** Length of the first block of `window`: up to a blank line, otherwise a line end, otherwise a space. */
function firstLength(window: string): number {
  PARAGRAPH.lastIndex = TARGET;
  if (window.length <= TARGET) return window.length;
  if (PARAGRAPH.test(window)) return PARAGRAPH.lastIndex;
  const line = window.indexOf("\n", 2 * TARGET);
  if (line >= 0) return line + 1;
  // A single remaining paragraph: cutting before its last word would create a separate paragraph.
  if (window.length < LONGEST) return window.length;
  const space = window.lastIndexOf(" ");
  if (space >= TARGET) return space + 1;
  // Not within a surrogate pair.
  return /[\ud800-\udbff]$/.test(window) ? LONGEST - 1 : LONGEST;
}

const TARGET = 900;
const LONGEST = 3 * TARGET;
const PARAGRAPH = /\n[ \t]*\n\s*/g;
