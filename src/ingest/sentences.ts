/** @file Document -> Sentence[]: Intl.Segmenter proposes boundaries, `joins` takes some back, long sentences are cut. */

import { charOffset } from "../records/ids.ts";
import type { Document, Sentence } from "../records/source.ts";
import { enclosed, endsWithin, joins } from "./joins.ts";
import { wordSet } from "../lib/format.ts";
import { BREAK, itemNumber, withoutMarks } from "./marginal.ts";

export interface SentenceOptions {
  readonly maxCharacters?: number;
  /** UTF-16 units segmented at once; bounds working memory within a paragraph of any length. */
  readonly window?: number;
}

/** Yields the sentences in order: `text.slice(start, end)`, without overlap or outer white space; no word is lost. */
export function* sentences(document: Document, options: SentenceOptions = {}): Generator<Sentence> {
  const { maxCharacters = MAX_CHARACTERS, window = WINDOW } = options;
  const { id, text } = document;
  let index = 0;
  for (const paragraph of paragraphs(text))
    for (const span of spansOf(text, paragraph, window))
      for (const { start, end } of cut(text, span, maxCharacters)) {
        yield {
          documentId: id,
          index,
          text: text.slice(start, end),
          start: charOffset(start),
          end: charOffset(end),
        };
        index += 1;
      }
}

function* spansOf(text: string, paragraph: Paragraph, window: number): Generator<Span> {
  let from = paragraph.start;
  while (from < paragraph.end) {
    const to = wholeCharacter(text, Math.min(from + window, paragraph.end));
    const piece = { start: from, end: to, listed: paragraph.listed };
    const spans = [...merged(text, piece, from === paragraph.start)];
    // A window that is all one sentence is given out as it is: `cut` would cut it anyway.
    const unfinished = to < paragraph.end && spans.length > 1 ? spans.pop() : undefined;
    yield* spans;
    from = unfinished?.start ?? to;
  }
}

function* merged(text: string, { start, end, listed }: Paragraph, opens: boolean): Generator<Span> {
  const flat = withoutMarks(text.slice(start, end), opens)
    .replace(/[\n\r\u2028]/g, " ")
    .replace(/(?<=[.!?…]["'”’)\]]{0,3})[_*]{1,3}(?=\s)/g, (marks) => '"'.repeat(marks.length));
  const inside = enclosed(flat);
  let open: { start: number; end: number } | null = null;
  for (const { segment, index } of SEGMENTER.segment(flat)) {
    let from = 0;
    for (const to of [...endsWithin(segment), segment.length]) {
      const next = { start: index + from, end: index + to };
      const before = open && flat.slice(Math.max(open.start, open.end - TAIL), open.end);
      if (
        open &&
        !before!.endsWith(BREAK) &&
        (inside[next.start]! > 0 || (from === 0 && joins(before!, segment, listed)))
      )
        open.end = next.end;
      else {
        if (open) yield trimmed(open);
        open = next;
      }
      from = to;
    }
  }
  if (open) yield trimmed(open);

  function trimmed(span: Span): Span {
    const inner = trim(flat, span);
    return { start: start + inner.start, end: start + inner.end };
  }
}

function* cut(text: string, span: Span, limit: number): Generator<Span> {
  let rest = trim(text, span);
  while (rest.end - rest.start > limit) {
    const at = cutPoint(text, rest.start, limit);
    const piece = trim(text, { start: rest.start, end: at });
    if (piece.end > piece.start) yield piece;
    rest = trim(text, { start: at, end: rest.end });
  }
  if (rest.end > rest.start) yield rest;
}

function cutPoint(text: string, start: number, limit: number): number {
  const piece = text.slice(start, start + limit);
  const lineStarts = piece.match(/(?<=\n\s*)\S/g) ?? [];
  const verse =
    lineStarts.length > 2 &&
    lineStarts.filter((first) => !/\p{Ll}/u.test(first)).length > 0.7 * lineStarts.length;
  for (const mark of verse ? [/\n/g, ...CLAUSE_MARKS] : CLAUSE_MARKS) {
    const last = lastMatchEnd(piece, mark);
    if (last > limit * SHORTEST_PIECE) return start + last;
  }
  return Math.max(wholeCharacter(text, start + limit), start + 1);
}

function lastMatchEnd(piece: string, mark: RegExp): number {
  let last = -1;
  for (const match of piece.matchAll(mark)) last = match.index + match[0].length;
  return last;
}

function trim(text: string, { start, end }: Span): Span {
  let a = start;
  let b = end;
  while (a < b && SPACE.test(text[a]!)) a += 1;
  while (b > a && SPACE.test(text[b - 1]!)) b -= 1;
  return { start: a, end: b };
}

function wholeCharacter(text: string, at: number): number {
  const low = text.charCodeAt(at);
  const high = text.charCodeAt(at - 1);
  return at > 1 && low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff ? at - 1 : at;
}

const SEGMENTER = new Intl.Segmenter("en", { granularity: "sentence" });
const SPACE = /\s/;
/** A sentence of this length is about 150 tokens: as long as one residual can be asked to hold. */
const MAX_CHARACTERS = 600;
const WINDOW = 16_384;
/** As much of an open sentence as its last two words take; to look through all of it at each end would cost its square. */
const TAIL = 200;
const SHORTEST_PIECE = 0.3;
/** Best first; each match ends where the piece may end. No dot: inside a sentence it ends an abbreviation. */
const CLAUSE_MARKS: readonly RegExp[] = [/[;:!?]["'”’)]*(?=\s)|--+|—/g, /,["'”’)]*(?=\s)/g, /\s/g];

export interface Span {
  readonly start: number;
  readonly end: number;
}

interface Paragraph extends Span {
  /** A line of notes is a separate fact, in which abbreviations seldom end a sentence. */
  readonly listed: boolean;
}

/**
 * Yields the paragraphs as spans. A blank line breaks; a single line end is a wrap, unless a line is too long to be wrapped,
 * opens a list item or follows a heading, or the lines are entries or notes.
 */
export function* paragraphs(text: string): Generator<Paragraph> {
  for (const block of blocks(text)) {
    const words = block.map(({ start, end }) => text.slice(start, end));
    const continues = continuations(words);
    const inLines = isListOfLines(words, continues);
    const glossary = isGlossary(words);
    const listed = inLines || glossary || isListed(words);
    const marks = words.map((line) => LETTERED.exec(line));
    /** Whether line `i` is an item that the line before or after it counts on from: "A. …", "B. …", but not "A. Smith". */
    const isLettered = (i: number): boolean =>
      [-1, 1].some((by) => follows(marks[i + Math.min(by, 0)], marks[i + Math.max(by, 0)]));
    const skipped = (i: number): number => (isLettered(i) ? marks[i]![0].length : 0);
    let first = 0;
    let inList = itemNumber(words[0]!) !== null;
    for (let i = 1; i <= block.length; i++) {
      const next = words[i];
      const begins =
        next === undefined ||
        (glossary ? isTerm(next) : inLines) ||
        (listed && opens(next)) ||
        isLettered(i) ||
        breaksBetween(words[i - 1]!, next, inList);
      if (!begins || (listed && continues[i])) continue;
      const end = block[i - 1]!.end - (inLines ? /[,;]?\s*$/.exec(words[i - 1]!)![0].length : 0);
      yield { start: block[first]!.start + skipped(first), end, listed };
      first = i;
      inList = next !== undefined && itemNumber(next) !== null;
    }
  }
}

/** For each line whether it is indented, alone among lines that are not: then it belongs to the line above. */
function continuations(block: readonly string[]): readonly boolean[] {
  const indents = block.map((line) => /^[ \t]*/.exec(line)![0].length);
  const inner = (i: number): boolean => (indents[i] ?? 0) > indents[0]!;
  return block.map((line, i) => inner(i) && !inner(i - 1) && !inner(i + 1) && itemNumber(line) === null);
}

/** Capital letters or Roman numerals that count on, with the same sign behind them. */
function follows(one: RegExpExecArray | null | undefined, next: RegExpExecArray | null | undefined): boolean {
  if (!one || !next || one[2] !== next[2]) return false;
  const [a, b] = [one[1]!, next[1]!];
  const roman = ROMAN.indexOf(a);
  const letters = a.length === 1 && b.length === 1;
  return (roman >= 0 && b === ROMAN[roman + 1]) || (letters && b.charCodeAt(0) === a.charCodeAt(0) + 1);
}

function* blocks(text: string): Generator<Span[]> {
  let block: Span[] = [];
  for (const line of lines(text))
    if (text.slice(line.start, line.end).trim() !== "") block.push(line);
    else if (block.length > 0) {
      yield block;
      block = [];
    }
  if (block.length > 0) yield block;
}

/** Notes: hardly a line goes on with a small letter, as a wrapped one does, and many have a number or a colon, unlike verse. */
function isListed(block: readonly string[]): boolean {
  const share = (is: (line: string) => boolean): number => block.filter(is).length / block.length;
  return (
    block.length >= 3 && share(opens) >= 0.8 && share((line) => isEntry(line, LONGEST_WRAPPED_LINE)) >= 0.4
  );
}

/**
 * Short lines without stops, most of which had room for the next word: so they were not wrapped ("milk 2 l", "eggs", "butter 250 g").
 * A few may be long, and none ends or begins in the middle of a phrase.
 */
function isListOfLines(block: readonly string[], continues: readonly boolean[]): boolean {
  const lines = block.map((line) => line.trim());
  // Among marked items a line without a mark continues one.
  if (lines.some((line) => line.length > LONGEST_WRAPPED_LINE || itemNumber(line) !== null)) return false;
  const lengths = lines.map((line) => line.length);
  const short = lengths.filter((length) => length < SHORTEST_WRAPPED_LINE);
  const long = lengths.length - short.length;
  if (short.length < 3 || long > 0.25 * lengths.length) return false;
  const widest = short.reduce((a, b) => Math.max(a, b), NARROWEST_COLUMN);
  const roomy = lengths.filter((_, i) => i > 0 && lengths[i - 1]! + 1 + wordOf(lines[i]!).length <= widest);
  const items = lines.filter((line, i) => !continues[i] && !(i === 0 && line.endsWith(":")));
  const stopped = items.filter((line) => /[\p{P}]$/u.test(line));
  const unstopped = stopped.length <= 0.2 * items.length || isEnumeration(items);
  return roomy.length + long >= 0.6 * (lines.length - 1) && unstopped && !isPhrase(items);
}

/** "milk,", "eggs,", "bread.": small letters, unlike an address. */
const isEnumeration = (items: readonly string[]): boolean =>
  items.every((item, i) => !opens(item) && (i === items.length - 1 || /^[^,;]*[,;]$/.test(item)));

/** Whether some line ends or begins as only the middle of a sentence does: "that were in", "the icebox". */
function isPhrase(lines: readonly string[]): boolean {
  const first = lines.map(wordOf);
  const alike = new Set(first.slice(1)).size === 1;
  return (
    lines.some((line) => UNFINISHED.test(line)) ||
    (!alike && first.some((word, i) => i > 0 && WITHIN.has(word))) ||
    (/^(?:I|He|She|It|We|They|You|There|This)$/.test(first[0]!) && !lines.slice(1).some(opens))
  );
}

/** Mostly terms with their meanings; each other line goes on with a small letter. */
function isGlossary(block: readonly string[]): boolean {
  const terms = block.filter(isTerm).length;
  const fewest = block.every((line) => isTerm(line) || !opens(line)) ? 0.6 : 0.8;
  return terms > 2 && terms >= fewest * block.length;
}
const isTerm = (line: string): boolean => line.length <= LONGEST_WRAPPED_LINE && TERM.test(line.trim());
const wordOf = (line: string): string => /^\s*(\S*)/.exec(line)![1]!;

function* lines(text: string): Generator<Span> {
  let start = 0;
  for (const { 0: mark, index } of text.matchAll(LINE_END)) {
    yield { start, end: index };
    start = index + mark.length;
    if (mark === "\f" || mark === "\u2029") yield { start: index, end: index };
  }
  if (start < text.length) yield { start, end: text.length };
}

/** @param inList whether the paragraph under way is a list item: a number there is not that of a wrapped sentence. */
function breaksBetween(line: string, next: string, inList: boolean): boolean {
  if (line.length > LONGEST_WRAPPED_LINE || next.length > LONGEST_WRAPPED_LINE) return true;
  const number = itemNumber(next);
  if (number !== null && (number < 2 || inList || !/[\p{L}\p{N},]\s*$/u.test(line))) return true;
  return (
    HEADING_LINE.test(line) ||
    (LABELLED.test(line) && LABELLED.test(next)) ||
    (isEntry(line) && isEntry(next) && opens(next))
  );
}

/** Shorter than anybody wraps a text, with a number or a colon, and not in the middle of a sentence. */
const isEntry = (line: string, shorterThan = SHORTEST_WRAPPED_LINE): boolean =>
  line.length < shorterThan && ENTRY.test(line);
const opens = (line: string): boolean => !/^\s*\p{Ll}/u.test(line);

const LETTERED = /^\s*\(?([A-Z]|[IVX]{2,4})([.)])\s+(?=\S)/;
const ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"];
const LINE_END = /\r\n|[\n\r\f\u2029]/g;
/** Wrapped text keeps its lines shorter than this; a longer line is a whole paragraph. */
const LONGEST_WRAPPED_LINE = 160;
const SHORTEST_WRAPPED_LINE = 45;
/** Characters per line of the narrowest text that is wrapped. */
const NARROWEST_COLUMN = 24;
/** A term and its meaning, or a speaker and the words: "bark: the skin of a tree". */
const TERM = /^[^\s:–][^:–\n]{0,40}(?::|\s[–-])\s\S/;
/** "Present: Anna, Tom", with "Absent: Miriam" below it. */
const LABELLED = /^\s*\p{Lu}[\p{L}\p{N} ]{0,25}:\s\S/u;
const UNFINISHED =
  /(?<!\p{L})(?:the|an?|of|to|in|on|at|by|for|from|with|into|over|and|or|but|that|which|who|than|as|is|are|was|were|his|her|my|your|their|its|our|und|oder|der|die|das|et|ou|de|le|la|y|el)$/u;
const WITHIN = wordSet(
  "the that which who and or but nor because although while when as than of in on at by from with into over to for so is " +
    "are was were had has have would should they he she it we und oder aber dass weil mit et ou mais que qui dans y pero",
);
const ENTRY = /(?:\d|:\s)[^\n]*[^\s,;:\-–—]\s*$/;
const HEADING_LINE = /^\s*(?:#{1,6}\s|(?:chapter|book|part|volume|letter|section)\s+(?:[ivxlc]+|\d+)\s*$)/i;
