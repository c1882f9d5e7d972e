/**
 * @file Routing without words: a fact keeps salted hashes of the terms of its value and questions, sorted so that their
 * order is lost. The salt is stored with the memory: someone who has both can test single words of a dictionary.
 */

import { sha256Hex } from "../lib/hash.ts";
import { indexTerms, indexWords, plainTerms } from "../lib/terms.ts";
import type { RoutingFact } from "../records/memory.ts";
import { cuesOf } from "./cues.ts";
import { atSpaces, type TermScheme } from "./lexical.ts";

type Hasher = (term: string) => string;

/** Returns a function that hashes terms and remembers the hashes. */
export function termHasher(salt: string): Hasher {
  const known = new Map<string, string>();
  return (term) => {
    const hash = known.get(term) ?? shortHash(`${salt} ${term}`);
    known.set(term, hash);
    return hash;
  };
}

/** The scheme for texts of hashes joined by spaces; see {@link hashedText}. */
export const hashScheme = (hasher: Hasher): TermScheme => ({ tokenize: atSpaces, key: hasher });

/** A text as the hashes of its terms, joined by spaces. */
export const hashedText = (text: string, hasher: Hasher): string => hashesOf(text, hasher).join(" ");

const hashesOf = (text: string, hasher: Hasher): string[] => indexWords(text).flatMap(indexTerms).map(hasher);

export function hashedFact(
  { value, questions, terms = "" }: RoutingFact,
  hasher: Hasher,
): { readonly value: string; readonly questions: string } {
  if (value !== null)
    return { value: hashedText(value, hasher), questions: hashedText(questions.join("\n"), hasher) };
  const [ofValue = "", ofQuestions = ""] = terms
    .split(SEPARATOR)
    .map((hashes) => (hashes.match(EVERY_HASH) ?? []).join(" "));
  return { value: ofValue, questions: ofQuestions };
}

export const factCues = ({ value, terms = "" }: RoutingFact): number =>
  value === null ? Number(terms.split(SEPARATOR)[2] ?? "") : cuesOf(value);

/** Whether a fact's value has every word of a search, compared by hash. */
export function wordSearch(search: string, salt: string): (fact: RoutingFact) => boolean {
  const hasher = termHasher(salt);
  const wanted = plainTerms(search).map(hasher);
  return (fact) => {
    const hashes = new Set(atSpaces(hashedFact(fact, hasher).value));
    return wanted.every((hash) => hashes.has(hash));
  };
}

export function withoutWords(fact: RoutingFact, hasher: Hasher): RoutingFact {
  const { value, questions } = hashedFact(fact, hasher);
  const hashes = [value, questions].map((found) => atSpaces(found).sort().join(""));
  const terms = [...hashes, factCues(fact)].join(SEPARATOR);
  return { ...fact, value: null, questions: [], terms };
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

/** Between the hashes of the value, those of the questions, and the cues. */
const SEPARATOR = ":";
const HASH_CHARACTERS = 6;
const EVERY_HASH = new RegExp(`.{${HASH_CHARACTERS}}`, "g");
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
