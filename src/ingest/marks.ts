/**
 * @file Document -> where its sentences are and why each is a candidate, as flat arrays: made once, cloned or handed
 * over to the page cheaply, and looked up by place, so that a reader can highlight only what it shows.
 */

import type { MethodParams } from "../records/params.ts";
import type { CandidateReason, Document } from "../records/source.ts";
import { candidateReasons } from "./candidates.ts";
import { sentences } from "./sentences.ts";

/** Sentence i is `text.slice(starts[i], ends[i])`; sentences are in order and do not overlap. */
export interface TextMarks {
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
  /** Bit b is set for reason `REASONS[b]`; 0 where the filter dropped the sentence. */
  readonly kinds: Uint8Array<ArrayBuffer>;
}

/** One sentence of a {@link TextMarks}. */
export interface Mark {
  /** The sentence's number, as `Sentence.index`. */
  readonly index: number;
  readonly start: number;
  readonly end: number;
  /** Empty when the sentence is no candidate. */
  readonly reasons: readonly CandidateReason[];
}

/** The order of the bits in `TextMarks.kinds`. */
export const REASONS: readonly CandidateReason[] = ["entity", "numeral", "identifier", "relation"];

/** Marks every sentence of a document. Takes seconds for 10 MB: work for a worker. */
export function markText(document: Document, filter: MethodParams["candidateFilter"]): TextMarks {
  const marker = startMarks(document, filter);
  while (marker.mark(Infinity)) continue;
  return marker.take();
}

/**
 * As {@link markText}, with `turn` awaited every few milliseconds of work: a worker that also hands out pieces of the
 * text does so meanwhile.
 */
export async function markTextInTurns(
  document: Document,
  filter: MethodParams["candidateFilter"],
  turn: () => Promise<void>,
): Promise<TextMarks> {
  const marker = startMarks(document, filter);
  while (marker.mark(SENTENCES_PER_TURN)) await turn();
  return marker.take();
}

/** About ten milliseconds on a slow machine. */
const SENTENCES_PER_TURN = 400;

interface Marker {
  /** Marks up to `count` more sentences; false when there are no more. */
  mark(count: number): boolean;
  take(): TextMarks;
}

function startMarks(document: Document, filter: MethodParams["candidateFilter"]): Marker {
  const found = sentences(document);
  const starts = new Growing();
  const ends = new Growing();
  const kinds = new Growing();
  return {
    mark(count) {
      for (let i = 0; i < count; i++) {
        const next = found.next();
        if (next.done) return false;
        const { text, start, end } = next.value;
        starts.push(start);
        ends.push(end);
        kinds.push(
          candidateReasons(text, filter).reduce((bits, reason) => bits | (1 << REASONS.indexOf(reason)), 0),
        );
      }
      return true;
    },
    take: () => ({ starts: starts.take(), ends: ends.take(), kinds: Uint8Array.from(kinds.take()) }),
  };
}

/** The sentences that reach into [from, to), in order; found by bisection. */
export function marksIn(marks: TextMarks, from: number, to: number): Mark[] {
  const found: Mark[] = [];
  for (let i = firstEndingAfter(marks.ends, from); i < marks.starts.length && marks.starts[i]! < to; i += 1) {
    found.push(markOf(marks, i));
  }
  return found;
}

/** The sentence at an offset; null between sentences. */
export function markAt(marks: TextMarks, offset: number): Mark | null {
  return marksIn(marks, offset, offset + 1)[0] ?? null;
}

/** How many sentences are candidates. */
export function countCandidates({ kinds }: TextMarks): number {
  return kinds.reduce((count, kind) => count + (kind === 0 ? 0 : 1), 0);
}

/** The buffers to hand over with postMessage instead of copying them. */
export function transferOf({ starts, ends, kinds }: TextMarks): ArrayBuffer[] {
  return [starts.buffer, ends.buffer, kinds.buffer];
}

function markOf({ starts, ends, kinds }: TextMarks, index: number): Mark {
  const reasons = REASONS.filter((_, bit) => (kinds[index]! & (1 << bit)) !== 0);
  return { index, start: starts[index]!, end: ends[index]!, reasons };
}

function firstEndingAfter(ends: Uint32Array, offset: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** An array of unsigned integers that doubles when full: a number costs 4 bytes and not an object's. */
class Growing {
  #values = new Uint32Array(1024);
  #length = 0;

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length] = value;
    this.#length += 1;
  }

  take(): Uint32Array<ArrayBuffer> {
    return this.#values.slice(0, this.#length);
  }
}
