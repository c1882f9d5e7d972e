/**
 * @file Document -> Sentence[], one paragraph at a time, so that a long text is never copied.
 * Intl.Segmenter proposes boundaries; `joins` takes back those it gets wrong (abbreviations, initials,
 * speech tags); sentences too long for one fact are cut at clause marks.
 */

import { charOffset } from "../records/ids.ts";
import type { Document, Sentence } from "../records/source.ts";
import { endsWithin, joins } from "./joins.ts";
import { paragraphs, type Span } from "./paragraphs.ts";

export interface SentenceOptions {
  /** Longest sentence in UTF-16 units; longer ones are cut at clause marks. */
  readonly maxCharacters?: number;
  /** UTF-16 units segmented at once; bounds working memory within a paragraph of any length. */
  readonly window?: number;
}

/**
 * Yields the sentences of a document in order. For each `document.text.slice(start, end) === text`, sentences
 * do not overlap, carry no outer white space, and together hold every character that is not white space.
 */
export function* sentences(document: Document, options: SentenceOptions = {}): Generator<Sentence> {
  const { maxCharacters = MAX_CHARACTERS, window = WINDOW } = options;
  const { id, text } = document;
  let index = 0;
  for (const paragraph of paragraphs(text)) {
    for (const span of spansOf(text, paragraph, window)) {
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
  }
}

/** Sentence spans of one paragraph; the last, perhaps unfinished one of each window opens the next window. */
function* spansOf(text: string, paragraph: Span, window: number): Generator<Span> {
  let from = paragraph.start;
  while (from < paragraph.end) {
    const to = wholeCharacter(text, Math.min(from + window, paragraph.end));
    const spans = [...merged(text, { start: from, end: to })];
    // A window that is all one sentence is given out as it is: `cut` would cut it anyway.
    if (to < paragraph.end && spans.length > 1) spans.pop();
    yield* spans;
    from = spans.at(-1)?.end ?? to;
  }
}

/** Segmenter boundaries inside one window, with the wrong ones taken back. */
function* merged(text: string, { start, end }: Span): Generator<Span> {
  // A line end inside a paragraph is a wrap, but the segmenter would break there; an emphasis mark after a full stop
  // closes like a quote, but the segmenter would read on. Both are replaced one for one, so offsets hold.
  const flat = text
    .slice(start, end)
    .replace(/[\n\r\u2028]/g, " ")
    .replace(/(?<=[.!?…]["'”’)\]]{0,3})[_*]{1,3}(?=\s)/g, (marks) => '"'.repeat(marks.length));
  let open: { start: number; end: number } | null = null;
  for (const { segment, index } of SEGMENTER.segment(flat)) {
    let from = 0;
    for (const to of [...endsWithin(segment), segment.length]) {
      const next = { start: index + from, end: index + to };
      if (open && from === 0 && joins(flat.slice(Math.max(open.start, open.end - TAIL), open.end), segment))
        open.end = next.end;
      else {
        if (open) yield { start: start + open.start, end: start + open.end };
        open = next;
      }
      from = to;
    }
  }
  if (open) yield { start: start + open.start, end: start + open.end };
}

/** Trims the span and cuts it into pieces of at most `limit` units, each ending at the best mark there is. */
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

/** Where to end a piece: strong clause mark, else comma, else white space, else the limit itself. */
function cutPoint(text: string, start: number, limit: number): number {
  const piece = text.slice(start, start + limit);
  for (const mark of CLAUSE_MARKS) {
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

/** Moves a cut back by one where it would divide a surrogate pair. */
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
/** A cut leaves at least this share of the limit before it, so that no piece is a scrap. */
const SHORTEST_PIECE = 0.3;
/** Best first; each match ends where the piece may end. No dot: inside a sentence it ends an abbreviation. */
const CLAUSE_MARKS: readonly RegExp[] = [/[;:!?]["'”’)]*(?=\s)|--+|—/g, /,["'”’)]*(?=\s)/g, /\s/g];
