/**
 * @file The lexical side of routing: an inverted index over terms, weighted by BM25+ (Lv & Zhai 2011) or by inverse
 * document frequency alone. A term is any string: a word, or the salted hash that stands for it.
 */

import type { MethodParams } from "../records/params.ts";
import { rankByScore, type Ranked } from "./fuse.ts";
import { postingsOf, type Holders, type Postings } from "./postings.ts";

type Weights = MethodParams["lexical"];

/** Finds texts by their rare words. It holds nothing beyond the terms it was made from. */
export interface LexicalIndex {
  /** Positions of the texts that share a term with the question, best first. */
  rank(question: readonly string[], weights: Weights): ReadonlyMap<number, Ranked>;
}

/** Indexes texts, each given as its terms with repeats; a text is known by its position. */
export function lexicalIndex(texts: readonly (readonly string[])[]): LexicalIndex {
  const postings = postingsOf(texts);
  const total = postings.lengths.reduce((sum, length) => sum + length, 0);
  const terms = { ...postings, meanLength: total / Math.max(1, texts.length) };
  const weigh = { bm25, idf };
  return {
    rank(question, weights) {
      const scores = new Map<number, number>();
      const shared = new Map<number, Set<string>>();
      for (const term of question) {
        for (const [id, score] of weigh[weights](terms, terms.holders(term))) {
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

interface Terms extends Postings {
  readonly meanLength: number;
}

type Scored = readonly (readonly [id: number, score: number])[];

/** ln(1 + (N − n + ½) / (n + ½)) of a term that n of N texts hold: above 0 even where all hold it. */
const inverseFrequency = ({ lengths }: Terms, { ids }: Holders): number =>
  Math.log(1 + (lengths.length - ids.length + 0.5) / (ids.length + 0.5));

function idf(terms: Terms, holders: Holders): Scored {
  const weight = inverseFrequency(terms, holders);
  return Array.from(holders.ids, (id) => [id, weight] as const);
}

function bm25(terms: Terms, holders: Holders): Scored {
  const weight = inverseFrequency(terms, holders);
  return Array.from(holders.ids, (id, i) => {
    const count = holders.counts[i]!;
    const length = 1 - B + (B * terms.lengths[id]!) / terms.meanLength;
    return [id, weight * (DELTA + (count * (K1 + 1)) / (count + K1 * length))] as const;
  });
}

/** The constants of MiniSearch 7, which earlier versions ranked by. */
const K1 = 1.2;
const B = 0.7;
const DELTA = 0.5;
