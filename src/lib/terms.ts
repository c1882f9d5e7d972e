/** @file Terms for word search: words, stems, parts of codes, and small words written as names. */

import irregularVerbs from "english-verbs-irregular/dist/verbs.json" with { type: "json" };
import { stemmer } from "stemmer";
import { isStopWord, tokens } from "./tokens.ts";

/** The words of a text for {@link indexTerms}; a stop word written as a name is added as "^word". */
export const indexWords = (text: string): string[] =>
  tokens(text).flatMap(({ word, named }) => (named && isStopWord(word) ? [word, `^${word}`] : [word]));

export const indexTerms = (word: string): string[] =>
  isStopWord(word) || word.startsWith("^") ? [withoutAccents(word)] : contentTerms(word);

export const plainTerms = (question: string): string[] =>
  tokens(question).map(({ word }) => withoutAccents(word));

/** The terms of a question's content words and names; all its words if it has no others ("Where is it?"). */
export function questionTerms(question: string): string[] {
  const terms = indexWords(question).flatMap((word) => (isStopWord(word) ? [] : indexTerms(word)));
  return terms.length > 0 ? terms : plainTerms(question);
}

export const termsOf = (text: string): ReadonlySet<string> =>
  new Set(tokens(text).flatMap(({ word }) => contentTerms(word)));

/** The content words of a question, each once; all its words if it has no others. */
export function questionWords(question: string): string[] {
  const all = [...new Set(tokens(question).map(({ word }) => word))];
  const content = all.filter((word) => !isStopWord(word));
  return content.length > 0 ? content : all;
}

/** The terms that a text has if it mentions these words. Stop words count only if they are written as a name. */
export const mentionTerms = (words: readonly string[]): string[] =>
  words.map((word) => (words.every(isStopWord) ? `^${withoutAccents(word)}` : withoutAccents(word)));

/** The word without accents, the parts of a compound, and the stem, marked with "~". Empty for a stop word. */
export function contentTerms(word: string): string[] {
  if (isStopWord(word)) return [];
  const exact = withoutAccents(word);
  if (/^[a-z]+$/.test(exact)) return [exact, `~${stemOf(exact)}`];
  const parts = exact.split(/[-_./@]/).filter((part) => part !== "" && part !== exact && !isStopWord(part));
  return [exact, ...parts];
}

/** The stem of an English word; that of the infinitive for a form of an irregular verb ("struck", "died"). */
const stemOf = (word: string): string =>
  stemmer(INFINITIVES.get(word) ?? word.replace(/^([a-z])(?:ied|ies|ying)$/, "$1ie"));

export const infinitiveOf = (word: string): string => INFINITIVES.get(word) ?? word;

const INFINITIVES: ReadonlyMap<string, string> = new Map(
  Object.entries(irregularVerbs as Readonly<Record<string, readonly (readonly string[])[]>>).flatMap(
    ([verb, forms]) => forms.flat().map((form) => [form, verb] as const),
  ),
);

/** Marks are accents on Latin, Greek and Cyrillic letters; in Indic scripts and Thai they are vowels. */
const withoutAccents = (word: string): string =>
  word
    .normalize("NFD")
    .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, "$1")
    .normalize("NFC");
