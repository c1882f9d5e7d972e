/** @file Text -> terms of the lexical side. Names and identifiers survive whole; common words also match by stem. */

import type { MethodParams } from "../records/params.ts";

/** A word of a text: its normal form, and whether it was written with a capital. */
export interface Token {
  /** NFC, lower case, straight apostrophe, no possessive. */
  readonly word: string;
  readonly capital: boolean;
}

/** The words of a text in order; "AB-123", "a@b.org" and "O'Brien" are one word each. */
export function tokens(text: string): Token[] {
  return Array.from(text.normalize("NFC").matchAll(WORD), ({ 0: raw }) => ({
    word: raw.toLowerCase().replace(/’/g, "'").replace(/'s?$/, ""),
    capital: /^\p{Lu}/u.test(raw),
  })).filter(({ word }) => word !== "");
}

/** A text as it is indexed: the terms of all its words, in order and with repeats. */
export const indexTerms = (text: string): string[] =>
  tokens(text).flatMap((token, at) => [
    ...contentTerms(token.word),
    ...(isFunctionWord(token.word) ? [plain(token.word)] : []),
    ...(at > 0 && token.capital && isSmallWord(token.word) ? [nameTerm(token.word)] : []),
  ]);

/** What of a question is looked up: as BM25+ weighs it, content words and their stems; for plain weights all words as they stand. */
export const questionTerms = (question: string, weights: MethodParams["lexical"]): string[] =>
  tokens(question).flatMap(({ word }) => (weights === "bm25" ? contentTerms(word) : [plain(word)]));

/** The different terms of a text's content words. */
export const termsOf = (text: string): ReadonlySet<string> =>
  new Set(tokens(text).flatMap(({ word }) => contentTerms(word)));

/** The terms that a text which mentions these words holds. A small word must have been written as a name. */
export const mentionTerms = (words: readonly string[]): string[] =>
  words.map(words.every(isSmallWord) ? nameTerm : plain);

/**
 * The terms of a content word: its exact form without accents, the parts of a compound, and the stem marked with "~".
 * So "moved" finds "moves", but a name or code that occurs as it stands always scores higher.
 * Empty for words that every question contains.
 */
export function contentTerms(word: string): string[] {
  if (isFunctionWord(word)) return [];
  const exact = plain(word);
  const parts = exact
    .split(/[-_./@]/)
    .filter((part) => part !== "" && part !== exact && !isFunctionWord(part));
  return /^[a-z]+$/.test(exact) ? [exact, `~${stem(exact)}`] : [exact, ...parts];
}

/** A word without accents. */
const plain = (word: string): string => word.normalize("NFD").replace(/\p{M}/gu, "");

/** "May" where it is written as a name. */
const nameTerm = (word: string): string => `^${plain(word)}`;

/** Whether a word is more often something else than a name: "May", "Will", "It". */
export const isSmallWord = (word: string): boolean => isFunctionWord(word) || AUXILIARIES.has(word);

/** Whether a word (lower case) carries no content of its own in a question. */
export function isFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.has(word);
}

/** Plural, -ed and -ing, final e and y: enough for the verbs and nouns of a question, and nothing more. */
function stem(word: string): string {
  let root = word;
  if (/(?:ss|us|is)$/.test(root)) return root;
  if (root.length > 4 && root.endsWith("ies")) root = `${root.slice(0, -3)}y`;
  else if (root.length > 3 && root.endsWith("s")) root = root.slice(0, -1);
  const bare = root.replace(/(?:ed|ing)$/, "");
  if (bare !== root && bare.length >= 3 && /[aeiouy]/.test(bare)) root = bare;
  return root
    .replace(/([^aeious])\1$/, "$1")
    .replace(/(?<=..)e$/, "")
    .replace(/(?<=..)y$/, "i");
}

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:[-'’_.@/](?=[\p{L}\p{N}])[\p{L}\p{M}\p{N}]+)*/gu;

/** "may", "will" and "can" stay out: they may be names, and IDF handles them. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the who whom whose what which where when why how is are was were be been being am do does did has have had " +
    "of in on at to from by for with into onto as and or but if then than that this these those there here it its " +
    "he she they we you i me him her them us his their our your my not no so about many much"
  ).split(" "),
);

const AUXILIARIES: ReadonlySet<string> = new Set(
  "may will can must might shall should could would".split(" "),
);
