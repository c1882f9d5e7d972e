/** @file Lines of pages -> text in paragraphs, with the place where each page starts. */

import { charOffset } from "../../records/ids.ts";
import { joinedHalves, WORD } from "../tidy.ts";
import { pitchOf, type PdfLine } from "./pdfLines.ts";
import type { PageStart } from "./types.ts";

export function textOfPages(pages: readonly (readonly PdfLine[])[]): { text: string; pages: PageStart[] } {
  const lines = pages.flatMap((page, index) => placed(page, index));
  const words = vocabulary(lines);
  const starts: number[] = [];
  const parts: string[] = [];
  let length = 0;
  lines.forEach((line, i) => {
    if (line.page !== lines[i - 1]?.page) starts[line.page] = length;
    const next = lines[i + 1];
    const { cut, gap } = next === undefined ? END : jointOf(line, next, words);
    const text = line.text.slice(0, line.text.length - cut) + gap;
    parts.push(text);
    length += text.length;
  });
  return { text: parts.join(""), pages: pageStarts(starts, pages.length, length) };
}

/** A page without text starts where the next one does. */
function pageStarts(starts: readonly (number | undefined)[], pages: number, length: number): PageStart[] {
  const all: PageStart[] = [];
  let next = length;
  for (let page = pages - 1; page >= 0; page -= 1) {
    next = starts[page] ?? next;
    all.push({ page: page + 1, start: charOffset(next) });
  }
  return all.reverse();
}

interface PlacedLine extends PdfLine {
  readonly page: number;
  /** Where the lines of its column reach at most. */
  readonly edge: number;
  readonly pitch: number;
}

function placed(lines: readonly PdfLine[], page: number): PlacedLine[] {
  const edges = new Map<number, number>();
  const column = (x: number): number => Math.round(x / COLUMN);
  for (const { x, right } of lines)
    for (const near of [-1, 0, 1]) {
      const key = column(x) + near;
      edges.set(key, Math.max(edges.get(key) ?? 0, right));
    }
  const pitch = pitchOf(lines);
  return lines.map((line) => ({
    ...line,
    page,
    edge: edges.get(column(line.x))!,
    pitch: pitch ?? 1.2 * line.size,
  }));
}

interface Joint {
  readonly cut: number;
  readonly gap: string;
}
const END: Joint = { cut: 0, gap: "" };
const PARAGRAPH: Joint = { cut: 0, gap: "\n\n" };
const SPACE: Joint = { cut: 0, gap: " " };

function jointOf(line: PlacedLine, next: PlacedLine, words: ReadonlySet<string>): Joint {
  const broken = HYPHENATED.exec(line.text.slice(-LONGEST_WORD))?.[1];
  const rest = /^\p{Ll}[\p{L}\p{M}]*/u.exec(next.text)?.[0];
  const halves = broken !== undefined && rest !== undefined;
  if (!halves && endsParagraph(line, next)) return PARAGRAPH;
  if (!halves) return SPACE;
  // A soft hyphen is never part of the word.
  const soft = line.text.endsWith("\u00ad");
  return { cut: !soft && joinedHalves(broken, rest, words).includes("-") ? 0 : 1, gap: "" };
}

function endsParagraph(line: PlacedLine, next: PlacedLine): boolean {
  if (Math.abs(line.size - next.size) > SAME_SIZE * Math.max(line.size, next.size)) return true;
  const ended = SENTENCE_END.test(line.text.slice(-LONGEST_WORD));
  const goesOn = /^\p{Ll}/u.test(next.text);
  const early = endsEarly(line, next);
  const down = line.page === next.page ? line.y - next.y : 0;
  if (down > LOOSE * line.pitch) return true;
  if (early && (ended || !goesOn)) return true;
  // The turn of a page or a column: between two sentences it may as well be a paragraph.
  if (down <= 0) return ended;
  return ended && next.x > line.x + INDENT * next.size;
}

/** Whether the next line's first word would have fitted, so that the line was meant to end here. */
function endsEarly(line: PlacedLine, next: PlacedLine): boolean {
  const first = next.text.split(" ", 1)[0]!.length + 1;
  const width = (next.right - next.x) / next.text.length;
  return line.right + first * width < line.edge - width;
}

function vocabulary(lines: readonly PdfLine[]): Set<string> {
  const words = new Set<string>();
  for (const { text } of lines) for (const [word] of text.matchAll(WORD)) words.add(word.toLowerCase());
  return words;
}

const HYPHENATED = /([\p{L}\p{M}]+)[-\u2010\u00ad]$/u;
/** Characters looked at from a line's end: a line that is all one word would otherwise cost its square. */
const LONGEST_WORD = 100;
const SENTENCE_END = /[.!?…:]["'”’)\]]*$/;
/** Points within which lines count as set on the same left margin, three steps of it together. */
const COLUMN = 36;
const SAME_SIZE = 0.15;
const LOOSE = 1.35;
const INDENT = 0.8;
