/**
 * @file Splits a text into blocks of about a thousand characters, at paragraphs if possible. The text streams through
 * once; only the start and the line count of each block are kept.
 */

/** Block i is the characters [starts[i], starts[i + 1]); the last one ends at `characters`. */
export interface Outline {
  readonly starts: readonly number[];
  /** Line ends per block, for a first guess at its height. */
  readonly breaks: readonly number[];
  /** Characters that have streamed through. */
  readonly characters: number;
}

export interface OutlineBuilder {
  /** Takes the next piece of the text. */
  push(text: string): void;
  /** Closes the last block. */
  finish(): void;
  /** The outline so far. */
  outline(): Outline;
}

/** Builds an outline; the result does not depend on how the text was cut into pieces. */
export function outlineBuilder(): OutlineBuilder {
  const starts: number[] = [];
  const breaks: number[] = [];
  let at = 0;
  let carry = "";

  function emit(length: number): void {
    starts.push(at);
    breaks.push(countBreaks(carry, length));
    at += length;
    carry = carry.slice(length);
  }

  return {
    push(text) {
      carry += text;
      while (carry.length >= LONGEST) emit(cutOf(carry));
    },
    finish() {
      while (carry.length > 0) emit(carry.length > TARGET ? cutOf(carry) : carry.length);
    },
    outline: () => ({ starts: [...starts], breaks: [...breaks], characters: at }),
  };
}

/** The block that holds the character at `offset`; the last one for an offset past the end. */
export function blockAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** [start, end) of block `index`. */
export function blockSpan({ starts, characters }: Outline, index: number): { start: number; end: number } {
  return { start: starts[index] ?? 0, end: starts[index + 1] ?? characters };
}

/** Height of a block in lines when a line takes `perLine` characters. */
export function estimatedLines(characters: number, breaks: number, perLine: number): number {
  return Math.max(1, Math.ceil(characters / Math.max(1, perLine)), breaks);
}

/**
 * Where the first block of `text` ends: at a blank line, otherwise a line end, otherwise a space, otherwise the limit.
 */
function cutOf(text: string): number {
  const window = text.slice(0, LONGEST);
  PARAGRAPH.lastIndex = TARGET;
  const paragraph = PARAGRAPH.exec(window);
  if (paragraph) return paragraph.index + paragraph[0].length;
  const line = window.indexOf("\n", 2 * TARGET);
  if (line >= 0) return line + 1;
  // A single remaining paragraph: cutting before its last word would create a separate paragraph.
  if (text.length < LONGEST) return text.length;
  const space = window.lastIndexOf(" ");
  if (space >= TARGET) return space + 1;
  return isHighSurrogate(window.charCodeAt(LONGEST - 1)) ? LONGEST - 1 : LONGEST;
}

function countBreaks(text: string, length: number): number {
  let count = 0;
  for (let i = text.indexOf("\n"); i >= 0 && i < length; i = text.indexOf("\n", i + 1)) count++;
  return count;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

const TARGET = 900;
const LONGEST = 3 * TARGET;
const PARAGRAPH = /\n[ \t]*\n\s*/g;
