/**
 * @file BABILong's background: sentences of books from random places on, and facts inserted between them. The books are
 * public-domain novels in place of PG-19's test split, and our own splitter finds the sentences in place of NLTK's.
 */

import { sentences } from "../../ingest/sentences.ts";
import { makeDocument } from "../../ingest/text.ts";
import { assert } from "../../lib/assert.ts";
import { pick, type TokenCounter } from "./benchmark.ts";

/** A book's text, by name. */
export interface Book {
  readonly name: string;
  readonly text: string;
}

/** Sentences shorter than this are skipped. */
const SHORTEST_TOKENS = 10;
/** Maximum characters read from a place, per wanted token. */
const CHARACTERS_PER_TOKEN = 10;
/** Minimum: the first and the last sentence of a stretch are left out. */
const SHORTEST_STRETCH = 2000;
/** Limit of successive places without a usable sentence; in novels there are hardly ever two. */
const MOST_FRUITLESS = 1000;

/**
 * Sentences of `tokens` tokens together; the last one is cut at a word to fit.
 * @throws without a book, or if no book has sentences that are long enough
 */
export function background(
  books: readonly Book[],
  tokens: number,
  { count }: TokenCounter,
  random: () => number,
): string[] {
  assert(
    books.length > 0,
    () => "evaluate: there is no book to take a background from; name a folder with --data",
  );
  const found: string[] = [];
  let fruitless = 0;
  for (let left = tokens; left > 0;) {
    const before = left;
    for (const sentence of stretch(books, tokens, random)) {
      const own = count(` ${sentence}`);
      if (own < SHORTEST_TOKENS) continue;
      found.push(own <= left ? sentence : cutTo(sentence, left, count));
      left -= own;
      if (left <= 0) break;
    }
    fruitless = left < before ? 0 : fruitless + 1;
    assert(
      fruitless < MOST_FRUITLESS,
      () =>
        `evaluate: no sentence of ${SHORTEST_TOKENS} tokens or more was found at ${MOST_FRUITLESS} places of ${books
          .map(({ name }) => name)
          .join(", ")
          .slice(0, 200)}; ` + "a background needs longer books, in running sentences",
    );
  }
  return found.filter((sentence) => sentence !== "");
}

/** The sentences of a random book from a random place on, without the first and the last, which may be incomplete. */
function stretch(books: readonly Book[], tokens: number, random: () => number): string[] {
  const { text, name } = books[pick(random, books.length)]!;
  const from = pick(random, text.length);
  const piece = text.slice(from, from + Math.max(tokens * CHARACTERS_PER_TOKEN, SHORTEST_STRETCH));
  if (piece.trim() === "") return [];
  return Array.from(sentences(makeDocument(name, piece)), (sentence) => sentence.text).slice(1, -1);
}

/** As many of a sentence's words as `tokens` hold. */
function cutTo(sentence: string, tokens: number, count: TokenCounter["count"]): string {
  const ends = Array.from(sentence.matchAll(/\S+/g), ({ 0: word, index }) => index + word.length);
  const fits = (end: number): boolean => count(` ${sentence.slice(0, end)}`) <= tokens;
  return sentence.slice(0, ends.findLast(fits) ?? 0);
}

/** `facts` in their order in gaps drawn with replacement between sentences; several may fall in one gap. */
export function injected(
  facts: readonly string[],
  sentencesOf: readonly string[],
  random: () => number,
): string {
  const gaps = facts.map(() => pick(random, sentencesOf.length + 1)).sort((a, b) => a - b);
  const woven: string[] = [];
  let next = 0;
  for (let gap = 0; gap <= sentencesOf.length; gap++) {
    while (next < facts.length && gaps[next] === gap) woven.push(facts[next++]!);
    if (gap < sentencesOf.length) woven.push(sentencesOf[gap]!);
  }
  return woven.join(" ");
}
