/** @file Routing without words: facts keep sorted salted hashes of terms. Who has the salt can test single words. */

import { sha256Hex } from "../lib/hash.ts";
import { indexTerms, indexWords, plainTerms } from "../lib/terms.ts";
import type { FactId } from "../records/ids.ts";
import type { AnchorRouting, RoutingFact } from "../records/memory.ts";
import { cuesOf } from "./cues.ts";

type Hasher = (term: string) => string;

export function termHasher(salt: string): Hasher {
  const known = new Map<string, string>();
  return (term) => {
    const hash = known.get(term) ?? shortHash(`${salt} ${term}`);
    known.set(term, hash);
    return hash;
  };
}

export const termHashes = (text: string, hasher: Hasher): string[] =>
  indexWords(text).flatMap(indexTerms).map(hasher);

/** @param meaning of the value (router/meaning.ts); "" if the memory keeps none */
export function hashedTerms(
  value: string,
  questions: readonly string[],
  hasher: Hasher,
  meaning = "",
): string {
  const hashes = [value, questions.join("\n")].map((text) => termHashes(text, hasher).sort().join(""));
  return [...hashes, cuesOf(value), ...(meaning === "" ? [] : [meaning])].join(SEPARATOR);
}

export function factTerms({ terms }: Pick<RoutingFact, "terms">): Record<"value" | "questions", string> {
  const [value = "", questions = ""] = terms
    .split(SEPARATOR, 2)
    .map((hashes) => (hashes.match(EVERY_HASH) ?? []).join(" "));
  return { value, questions };
}

export const factCues = ({ terms }: Pick<RoutingFact, "terms">): number =>
  Number(terms.split(SEPARATOR)[2] ?? "");

export const factMeaning = ({ terms }: Pick<RoutingFact, "terms">): string => terms.split(SEPARATOR)[3] ?? "";

export function searchWords(
  search: string,
  documents: readonly Pick<AnchorRouting, "anchor" | "facts">[],
  salts: readonly string[],
): FactId[] {
  const words = plainTerms(search);
  const hashed = salts.map((salt) => words.map(termHasher(salt)));
  return documents.flatMap(({ anchor, facts }) => {
    const ofAnchor = new Set(plainTerms(anchor));
    return facts.flatMap((fact) => {
      const hashes = new Set(factTerms(fact).value.split(" "));
      const has = (hash: string, i: number): boolean => hashes.has(hash) || ofAnchor.has(words[i]!);
      return hashed.some((all) => all.every(has)) ? fact.id : [];
    });
  });
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

const SEPARATOR = ":";
const HASH_CHARACTERS = 6;
const EVERY_HASH = new RegExp(`.{${HASH_CHARACTERS}}`, "g");
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
