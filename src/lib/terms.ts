/** @file Splits text into terms for word search: words, stems, parts of codes, and small words written as names. */

import { stopwords } from "@orama/stopwords/english";
import irregularVerbs from "english-verbs-irregular/dist/verbs.json" with { type: "json" };
import { stemmer } from "stemmer";

export interface Token {
  /** In NFKC and lower case, with a straight apostrophe and without possessive. */
  readonly word: string;
  /** Written with a capital, and not the first word of its line. */
  readonly named: boolean;
}

export function tokens(text: string): Token[] {
  // Compatibility forms meet: "ﬁnal", full-width letters.
  const lines = text.normalize("NFKC").split("\n");
  return lines.flatMap((line) =>
    [...line.matchAll(WORD)]
      .flatMap(([run]) => (UNSPACED.test(run) ? wordsWithin(run) : run))
      .map((written, at) => ({
        word: written.toLowerCase().replace("’", "'").replace(/'s?$/, ""),
        named: at > 0 && /^\p{Lu}/u.test(written),
      }))
      .filter(({ word }) => word !== ""),
  );
}

const wordsWithin = (run: string): string[] =>
  [...WORDS.segment(run)].filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);

const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

/** The names in a question and its words with a digit, as in {@link tokens}, without titles. Of A Question In Capitals no word is a name. */
export function namedWords(question: string): string[] {
  const all = tokens(question);
  const capitals =
    question === question.toUpperCase() ||
    all.some(({ word, named }) => named && word !== "i" && isStopWord(word));
  const isName = ({ word, named }: Token): boolean =>
    named && !capitals && !TITLES.has(word) && !isStopWord(word);
  return [...new Set(all.flatMap((one) => (isName(one) || /\d/.test(one.word) ? [one.word] : [])))];
}

const TITLES = new Set(["mr", "mrs", "ms", "miss", "dr", "sir", "lady", "lord", "prof", "professor", "st"]);

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

/** Whether a word (lower case) carries no content in a question, or is more often something else than a name ("will"). */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word);

/** Marks are accents on Latin, Greek and Cyrillic letters; in Indic scripts and Thai they are vowels. */
const withoutAccents = (word: string): string =>
  word
    .normalize("NFD")
    .replace(/([\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}])\p{M}+/gu, "$1")
    .normalize("NFC");

export const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:[-'’_.@/](?=[\p{L}\p{N}])[\p{L}\p{M}\p{N}]+)*/gu;
/** Alternatives of a regular expression. */
export const DETERMINER =
  "the|an?|this|that|these|those|my|your|his|her|its|our|their|each|every|no|some|all";

/** The package lacks these; questions have them often. */
const MISSING = ["a", "whose", "many", "much"];
const STOP_WORDS: ReadonlySet<string> = new Set([...stopwords, ...MISSING]);
