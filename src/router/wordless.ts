/**
 * @file The routing index without words: in place of value and questions a fact keeps the salted hashes of their terms,
 * sorted, so that nothing says in which order they stood. The salt stays with the memory: who has both can try words
 * of a dictionary one by one, and learns which of them a fact holds.
 */

import { sha256Hex } from "../lib/hash.ts";
import type { RoutingFact } from "../records/memory.ts";
import { factText } from "./documents.ts";
import { indexTerms, questionTerms } from "./terms.ts";

/** Gives the hash that stands for a term; what was hashed before is looked up. */
export function termHasher(salt: string): (term: string) => string {
  const known = new Map<string, string>();
  return (term) => {
    const hash = known.get(term) ?? shortHash(`${salt} ${term}`);
    known.set(term, hash);
    return hash;
  };
}

/** The terms of a fact's value and questions: hashes where it keeps nothing else. */
export const factTerms = (fact: RoutingFact, keyed: (term: string) => string): readonly string[] =>
  fact.value === null ? readTerms(fact.terms) : indexTerms(factText(fact)).map(keyed);

/** Whether a fact holds every word of a search, looked up by its hash. */
export function wordSearch(search: string, salt: string): (fact: RoutingFact) => boolean {
  const keyed = termHasher(salt);
  const wanted = questionTerms(search, "idf").map(keyed);
  return (fact) => {
    const terms = new Set(factTerms(fact, keyed));
    return wanted.every((term) => terms.has(term));
  };
}

/** The fact with hashes in place of its words. */
export function withoutWords(fact: RoutingFact, keyed: (term: string) => string): RoutingFact {
  return { ...fact, value: null, questions: [], terms: factTerms(fact, keyed).toSorted().join("") };
}

const readTerms = (terms = ""): string[] => terms.match(EVERY_HASH) ?? [];

/** 36 bits: among 60,000 different terms about one pair in forty memories share a hash. */
function shortHash(text: string): string {
  let bits = Number.parseInt(sha256Hex(text).slice(0, 9), 16);
  let hash = "";
  for (let i = 0; i < HASH_CHARACTERS; i++) {
    hash += DIGITS[bits % DIGITS.length]!;
    bits = Math.floor(bits / DIGITS.length);
  }
  return hash;
}

const HASH_CHARACTERS = 6;
const EVERY_HASH = new RegExp(`.{${HASH_CHARACTERS}}`, "g");
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
