/** @file The lexical side of routing: BM25 (inverse document frequency) through MiniSearch. */

import MiniSearch from "minisearch";
import { rankByScore, type Ranked } from "./fuse.ts";
import { rawWords, terms } from "./terms.ts";

/** Finds texts by their rare words. It holds nothing beyond the texts it was made from. */
export interface LexicalIndex {
  /** Positions of the texts that share a term with the question, best first. */
  rank(question: string): ReadonlyMap<number, Ranked>;
}

/** Indexes texts; a text is known by its position. */
export function lexicalIndex(texts: readonly string[]): LexicalIndex {
  const search = new MiniSearch<{ id: number; text: string }>({
    fields: ["text"],
    tokenize: rawWords,
    processTerm: terms,
    searchOptions: { combineWith: "OR", prefix: false, fuzzy: false },
  });
  search.addAll(texts.map((text, id) => ({ id, text })));
  return {
    rank(question) {
      return rankByScore(search.search(question).map(({ id, score }) => ({ id: id as number, score })));
    },
  };
}
