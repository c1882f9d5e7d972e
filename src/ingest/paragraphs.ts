/** @file Text -> paragraph spans, line by line. Decides which line ends are wraps and which are breaks. */

/** Half-open range of UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Yields the paragraphs of a text as spans (white space at the ends not trimmed), blank ones left out.
 * A blank line always breaks. A single line end is a wrap, unless a line beside it is too long to be wrapped
 * text, the next line opens a list item or heading, the line before is a heading ("CHAPTER IV"), or both are entries of a
 * list that has no marks ("Compost, 40 litres: £6.75").
 */
export function* paragraphs(text: string): Generator<Span> {
  let start = -1;
  let end = 0;
  let previous = "";
  for (const line of lines(text)) {
    const words = text.slice(line.start, line.end);
    const blank = words.trim() === "";
    if (start >= 0 && (blank || breaksBetween(previous, words))) {
      yield { start, end };
      start = -1;
    }
    if (!blank && start < 0) start = line.start;
    end = line.end;
    previous = words;
  }
  if (start >= 0) yield { start, end };
}

/** Lines without their line ends; form feed and the Unicode paragraph mark end a line and leave a blank one. */
function* lines(text: string): Generator<Span> {
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(LINE_END)) {
    yield { start, end: index };
    start = index + mark.length;
    if (mark === "\f" || mark === "\u2029") yield { start: index, end: index };
  }
  if (start < text.length) yield { start, end: text.length };
}

function breaksBetween(line: string, next: string): boolean {
  if (line.length > LONGEST_WRAPPED_LINE || next.length > LONGEST_WRAPPED_LINE) return true;
  return ITEM.test(next) || HEADING_LINE.test(line) || (isEntry(line) && isEntry(next) && opens(next));
}

/** Shorter than anybody wraps a text, with a number or a colon, and not in the middle of a sentence. */
const isEntry = (line: string): boolean => line.length < SHORTEST_WRAPPED_LINE && ENTRY.test(line);
const opens = (line: string): boolean => !/^\s*\p{Ll}/u.test(line);

const LINE_END = /\r\n|[\n\r\f\u2029]/g;
/** Wrapped text keeps its lines shorter than this; a longer line is a whole paragraph. */
const LONGEST_WRAPPED_LINE = 160;
const SHORTEST_WRAPPED_LINE = 45;
const ENTRY = /(?:\d|:\s)[^\n]*[^\s,;:\-–—]\s*$/;
const ITEM = /^\s*(?:[-*•]\s|\(?\d{1,3}[.)]\s|#{1,6}\s)/;
const HEADING_LINE = /^\s*(?:#{1,6}\s|(?:chapter|book|part|volume|letter|section)\s+(?:[ivxlc]+|\d+)\s*$)/i;
