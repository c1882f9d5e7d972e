/** @file RoutingDocument[] -> the searchable form of I. Derived data: always rebuilt, never edited or stored. */

import type { MethodParams } from "../records/params.ts";
import type { RoutingDocument, RoutingFact } from "../records/memory.ts";
import { lexicalIndex, type LexicalIndex } from "./lexical.ts";
import { postingsOf, type Postings } from "./postings.ts";
import {
  contentTerms,
  indexTerms,
  isSmallWord,
  mentionTerms,
  questionTerms,
  tokens,
  type Token,
} from "./terms.ts";
import { factTerms, termHasher } from "./wordless.ts";

/** A fact with the position of its document. */
export interface IndexedFact {
  readonly fact: RoutingFact;
  readonly owner: number;
}

/** What `route` searches; nothing of it is looked for fact by fact. Documents and facts are known by position. */
export interface RouterIndex {
  readonly documents: readonly RoutingDocument[];
  readonly facts: readonly IndexedFact[];
  readonly lexical: LexicalIndex;
  /** Over single facts; null where no fact has a vector of its own (paper preset). */
  readonly factLexical: LexicalIndex | null;
  /** A question as the lexical indices have their terms. */
  terms(question: string, weights: MethodParams["lexical"]): string[];
  /** Positions of the documents whose anchor stands verbatim in the text, as whole words in any case. */
  verbatim(text: string): ReadonlySet<number>;
  /** The facts in whose values a word stands, as it is or by its stem; none for words that every question has. */
  holding(word: string): readonly number[];
  /** In how many values a word stands. */
  storedWith(word: string): number;
  /** Whether a value holds every word of the anchor of one of `documents`. */
  mentions(fact: number, documents: ReadonlySet<number>): boolean;
}

/**
 * Builds the index. Since it is made from the documents alone, what they do not hold cannot be found.
 * @param salt of a memory that keeps salted hashes in place of words; everything is looked up by its hash then
 */
export function buildIndex(documents: readonly RoutingDocument[], salt?: string): RouterIndex {
  const keyed = salt === undefined ? asItStands : termHasher(salt);
  const facts = documents.flatMap((document, owner) => document.facts.map((fact) => ({ fact, owner })));
  const names = documents.map(({ anchor }) => mentionTerms(anchorWords(anchor)).map(keyed));
  const { values, lexical, factLexical } = indicesOf(documents, facts, keyed);
  const holding = (word: string): readonly number[] => {
    const lists = contentTerms(word).flatMap((term) => [...values.holders(keyed(term)).ids]);
    return [...new Set(lists)].sort((a, b) => a - b);
  };
  return {
    documents,
    facts,
    lexical,
    factLexical,
    terms: (question, weights) => questionTerms(question, weights).map(keyed),
    verbatim: verbatimFinder(documents.map(({ anchor }) => anchor)),
    mentions: (fact, wanted) =>
      [...wanted].some((id) => names[id]!.every((name) => isAmong(values.holders(name).ids, fact))),
    holding,
    storedWith: (word) => holding(word).length,
  };
}

/**
 * The inverted indices. Their texts as terms take as much room as all else: here they are nobody's but this call's, and
 * go with it.
 */
function indicesOf(
  documents: readonly RoutingDocument[],
  facts: readonly IndexedFact[],
  keyed: (term: string) => string,
): Pick<RouterIndex, "lexical" | "factLexical"> & { readonly values: Postings } {
  // A word is one string here, however often it stands: most of a million are the same few thousand.
  const words = new Map<string, string>();
  const shared = (term: string): string => {
    const key = keyed(term);
    const known = words.get(key);
    if (known === undefined) words.set(key, key);
    return known ?? key;
  };
  const held = facts.map(({ fact }) => factTerms(fact, shared));
  const terms = held.map(({ value, questions }) => [...value, ...questions]);
  const texts = documents.map(({ anchor }) => indexTerms(anchor).map(shared));
  facts.forEach(({ owner }, i) => texts[owner]!.push(...terms[i]!));
  const single = facts.some(({ fact }) => fact.vector !== undefined);
  return {
    values: postingsOf(held.map(({ value }) => value)),
    lexical: lexicalIndex(texts),
    factLexical: single ? lexicalIndex(terms) : null,
  };
}

/** Whether a position is one of these, which ascend. */
function isAmong(positions: Uint32Array, wanted: number): boolean {
  let [low, high] = [0, positions.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (positions[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return positions[low] === wanted;
}

const asItStands = (term: string): string => term;

function verbatimFinder(anchors: readonly string[]): (text: string) => ReadonlySet<number> {
  const byFirstWord = new Map<string, { id: number; words: readonly string[] }[]>();
  anchors.forEach((anchor, id) => {
    const words = anchorWords(anchor);
    if (words.length === 0) return;
    const sharing = byFirstWord.get(words[0]!);
    if (sharing) sharing.push({ id, words });
    else byFirstWord.set(words[0]!, [{ id, words }]);
  });
  return (text) => {
    const read = tokens(text);
    const found = new Set<number>();
    read.forEach(({ word }, at) => {
      for (const { id, words } of byFirstWord.get(word) ?? []) if (standsAt(read, at, words)) found.add(id);
    });
    return found;
  };
}

function anchorWords(anchor: string): string[] {
  const words = tokens(anchor).map(({ word }) => word);
  return words.length > 1 && /^(?:the|an?)$/.test(words[0]!) ? words.slice(1) : words;
}

/** An anchor that is a small word too ("May", "Will", "It") must be written as a name, and not open the question. */
function standsAt(read: readonly Token[], at: number, words: readonly string[]): boolean {
  if (!words.every((word, i) => read[at + i]?.word === word)) return false;
  return !words.every(isSmallWord) || (at > 0 && read[at]!.capital);
}
