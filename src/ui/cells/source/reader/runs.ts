/**
 * @file Splits a block of text into paragraphs of runs: stretches of equal look. Marks, anchors and search hits may
 * overlap; a run lists all marks that cover it.
 */

import type { TextMarks } from "../../../../records/source.ts";
import type { FactRow } from "../../../../records/notebook.ts";
import { extentOf } from "../palimpsest/segments.ts";
import type { Hit } from "./search.ts";

export interface TextRun {
  readonly text: string;
  /** Offset in the document. */
  readonly start: number;
  /** A sentence with marks starts here. */
  readonly opens: boolean;
  /** Reasons of the sentence it belongs to; 0 outside of candidates. */
  readonly kinds: number;
  /** The stored fact whose anchor it is. */
  readonly anchorOf: FactRow | null;
  /** Number of the search hit it belongs to; null outside. */
  readonly hit: number | null;
}

export interface Paragraph {
  readonly start: number;
  /** It may flow: it has no line ends, or they are those of a page, for sentences run over them. */
  readonly wrapped: boolean;
  readonly runs: readonly TextRun[];
}

/** Marks over a text, in ascending order of their starts. */
export interface Overlays {
  readonly marks: TextMarks | null;
  /** Facts of this document by offset. */
  readonly facts: readonly FactRow[];
  readonly hits: readonly Hit[];
}

/** The paragraphs of the block `text` that starts at `start` of its document. */
export function paragraphsOf(text: string, start: number, overlays: Overlays): Paragraph[] {
  const anchors = anchorsIn(text, start, overlays.facts);
  return spansOf(text).map(([from, to]) => {
    const span: Span = { start: start + from, end: start + to };
    const body = text.slice(from, to);
    return {
      start: span.start,
      wrapped: isWrapped(body, span, overlays.marks),
      runs: cutRuns(body, span, overlays, anchors),
    };
  });
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Index of the first element from which on `isPast` holds; elements before it do not. */
export function firstIndex(length: number, isPast: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isPast(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Paragraphs of a block: what blank lines part, without the white space between. */
function spansOf(text: string): [number, number][] {
  const spans: [number, number][] = [];
  let from = 0;
  const push = (to: number): void => {
    const body = text.slice(from, to).trimEnd();
    if (body.trim()) spans.push([from, from + body.length]);
  };
  for (const { index, 0: gap } of text.matchAll(/\n[ \t\r]*\n\s*/g)) {
    push(index);
    from = index + gap.length;
  }
  push(text.length);
  return spans;
}

/** Whether the white space of a paragraph means nothing: no line ends, or a sentence that runs over one. */
function isWrapped(body: string, span: Span, marks: TextMarks | null): boolean {
  if (!/\n|\t| {2}/.test(body)) return true;
  if (!marks) return false;
  for (let at = body.indexOf("\n"); at >= 0; at = body.indexOf("\n", at + 1)) {
    const offset = span.start + at;
    const index = firstIndex(marks.starts.length, (i) => marks.starts[i]! > offset) - 1;
    if (index >= 0 && marks.ends[index]! > offset) return true;
  }
  return false;
}

interface Anchor extends Span {
  readonly fact: FactRow;
}

/** Where the anchors of facts stand in the block; an anchor spelt otherwise than in the text is not drawn. */
function anchorsIn(text: string, start: number, facts: readonly FactRow[]): Anchor[] {
  const end = start + text.length;
  const from = firstIndex(facts.length, (i) => facts[i]!.offset >= start - LONGEST_SENTENCE);
  const anchors: Anchor[] = [];
  for (let i = from; i < facts.length && facts[i]!.offset < end; i++) {
    const fact = facts[i]!;
    const last = fact.offset + extentOf(fact) - start;
    if (last <= 0) continue;
    const sentence = text.slice(Math.max(0, fact.offset - start), last);
    const within = sentence.toLowerCase().indexOf(fact.anchor.toLowerCase());
    if (within < 0) continue;
    const at = Math.max(start, fact.offset) + within;
    anchors.push({ fact, start: at, end: at + fact.anchor.length });
  }
  return anchors;
}

/** Cuts a paragraph wherever one of the overlays starts or ends. */
function cutRuns(body: string, span: Span, { marks, hits }: Overlays, anchors: readonly Anchor[]): TextRun[] {
  const sentences = marks ? sentencesIn(marks, span) : [];
  const firstHit = firstIndex(hits.length, (i) => hits[i]!.end > span.start);
  const lastHit = firstIndex(hits.length, (i) => hits[i]!.start >= span.end);
  const found = hits.slice(firstHit, lastHit);
  const cuts = new Set([span.start, span.end]);
  for (const { start, end } of [...sentences, ...anchors, ...found])
    for (const at of [start, end]) if (at > span.start && at < span.end) cuts.add(at);
  const edges = [...cuts].sort((a, b) => a - b);
  const runs: TextRun[] = [];
  for (let i = 0; i + 1 < edges.length; i++) {
    const at = edges[i]!;
    const over = <T extends Span>(list: readonly T[]): T | undefined =>
      list.find(({ start, end }) => start <= at && at < end);
    const hit = over(found);
    runs.push({
      text: body.slice(at - span.start, edges[i + 1]! - span.start),
      start: at,
      opens: sentences.some(({ start }) => start === at),
      kinds: over(sentences)?.kinds ?? 0,
      anchorOf: over(anchors)?.fact ?? null,
      hit: hit ? firstHit + found.indexOf(hit) : null,
    });
  }
  return runs;
}

function sentencesIn({ starts, ends, kinds }: TextMarks, span: Span): (Span & { kinds: number })[] {
  const found = [];
  for (let i = firstIndex(starts.length, (j) => ends[j]! > span.start); i < starts.length; i++) {
    if (starts[i]! >= span.end) break;
    found.push({ start: starts[i]!, end: ends[i]!, kinds: kinds[i]! });
  }
  return found;
}

/** A fact this far before a block cannot reach into it (sentences are cut long before). */
const LONGEST_SENTENCE = 4_000;
