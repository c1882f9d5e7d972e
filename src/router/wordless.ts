/**
 * @file The routing index without words: in place of value and questions a fact keeps the salted hashes of their terms,
 * sorted, so that nothing says in which order they stood. The salt stays with the memory: who has both can try words
 * of a dictionary one by one, and learns which of them a fact holds.
 */

import { sha256Hex } from "../lib/hash.ts";
import type { RoutingFact } from "../records/memory.ts";
import { indexTerms, questionTerms } from "./terms.ts";

/** Gives the hash that stands for a term; what was hashed before is looked up. */
export function termHasher(salt: string): Keyed {
  const known = new Map<string, string>();
  return (term) => {
    const hash = known.get(term) ?? shortHash(`${salt} ${term}`);
    known.set(term, hash);
    return hash;
  };
}

/** The terms of a fact, with repeats. */
export interface FactTerms {
  readonly value: readonly string[];
  readonly questions: readonly string[];
}

/** The terms of a fact's value and questions: hashes where it keeps nothing else. */
export function factTerms({ value, questions, terms }: RoutingFact, keyed: Keyed): FactTerms {
  if (value === null) return readTerms(terms);
  return { value: indexTerms(value).map(keyed), questions: questions.flatMap(indexTerms).map(keyed) };
}

type Keyed = (term: string) => string;

/** Whether a fact's value holds every word of a search, looked up by its hash. */
export function wordSearch(search: string, salt: string): (fact: RoutingFact) => boolean {
  const keyed = termHasher(salt);
  const wanted = questionTerms(search, "idf").map(keyed);
  return (fact) => {
    const held = new Set(factTerms(fact, keyed).value);
    return wanted.every((term) => held.has(term));
  };
}

/** The fact with hashes in place of its words. */
export function withoutWords(fact: RoutingFact, keyed: Keyed): RoutingFact {
  const { value, questions } = factTerms(fact, keyed);
  const terms = [value, questions].map((of) => of.toSorted().join("")).join(APART);
  return { ...fact, value: null, questions: [], terms };
}

function readTerms(terms = ""): FactTerms {
  const [value = [], questions = []] = terms.split(APART).map((of) => of.match(EVERY_HASH) ?? []);
  return { value, questions };
}

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

/** Between the terms of the value and those of the questions. */
const APART = ":";
const HASH_CHARACTERS = 6;
const EVERY_HASH = new RegExp(`.{${HASH_CHARACTERS}}`, "g");
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
