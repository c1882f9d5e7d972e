/**
 * @file The lexical side of routing: an inverted index over terms, weighted by BM25+ (Lv & Zhai 2011) or by inverse
 * document frequency alone. A term is any string: a word, or the salted hash that stands for it.
 */

import type { MethodParams } from "../records/params.ts";
import { rankByScore, type Ranked } from "./fuse.ts";

type Weights = MethodParams["lexical"];

/** Finds texts by their rare words. It holds nothing beyond the terms it was made from. */
export interface LexicalIndex {
  /** Positions of the texts that share a term with the question, best first. */
  rank(question: readonly string[], weights: Weights): ReadonlyMap<number, Ranked>;
}

/** The texts that hold a term, by position, and how often each does; lists, since fifty thousand facts have a million. */
interface Postings {
  readonly ids: number[];
  readonly counts: number[];
}

interface Terms {
  readonly postings: ReadonlyMap<string, Postings>;
  /** Different terms of each text, and their mean. */
  readonly lengths: readonly number[];
  readonly meanLength: number;
}

/** Indexes texts, each given as its terms with repeats; a text is known by its position. */
export function lexicalIndex(texts: readonly (readonly string[])[]): LexicalIndex {
  const terms = collected(texts);
  const weigh = { bm25, idf };
  return {
    rank(question, weights) {
      const scores = new Map<number, number>();
      const shared = new Map<number, Set<string>>();
      for (const term of question) {
        for (const [id, score] of weigh[weights](terms, terms.postings.get(term) ?? NONE)) {
          scores.set(id, (scores.get(id) ?? 0) + score);
          shared.set(id, (shared.get(id) ?? new Set()).add(term));
        }
      }
      // A text with two of the question's words beats one that has a single word twice as often.
      const times = (id: number): number => (weights === "bm25" ? shared.get(id)!.size : 1);
      return rankByScore([...scores].map(([id, score]) => ({ id, score: score * times(id) })));
    },
  };
}

const NONE: Postings = { ids: [], counts: [] };

function collected(texts: readonly (readonly string[])[]): Terms {
  const postings = new Map<string, Postings>();
  const lengths = texts.map((text, id) => {
    for (const term of text) count(postings, term, id);
    return new Set(text).size;
  });
  const meanLength = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length);
  return { postings, lengths, meanLength };
}

/** Counts a term of text `id`, the last that came. */
function count(postings: Map<string, Postings>, term: string, id: number): void {
  const known = postings.get(term);
  if (!known) postings.set(term, { ids: [id], counts: [1] });
  else if (known.ids.at(-1) === id) known.counts[known.counts.length - 1]!++;
  else {
    known.ids.push(id);
    known.counts.push(1);
  }
}

type Scored = readonly (readonly [id: number, score: number])[];

/** ln(1 + (N − n + ½) / (n + ½)) of a term that n of N texts hold: above 0 even where all hold it. */
const inverseFrequency = ({ lengths }: Terms, { ids }: Postings): number =>
  Math.log(1 + (lengths.length - ids.length + 0.5) / (ids.length + 0.5));

function idf(terms: Terms, postings: Postings): Scored {
  const weight = inverseFrequency(terms, postings);
  return postings.ids.map((id) => [id, weight] as const);
}

function bm25(terms: Terms, postings: Postings): Scored {
  const weight = inverseFrequency(terms, postings);
  return postings.ids.map((id, i) => {
    const count = postings.counts[i]!;
    const length = 1 - B + (B * terms.lengths[id]!) / terms.meanLength;
    return [id, weight * (DELTA + (count * (K1 + 1)) / (count + K1 * length))] as const;
  });
}

/** The constants of MiniSearch 7, which earlier versions ranked by. */
const K1 = 1.2;
const B = 0.7;
const DELTA = 0.5;
