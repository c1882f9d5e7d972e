/** @file Splits text into words, with the names among them. Apart from lib/terms.ts, since the page needs no stems. */

import { stopwords } from "@orama/stopwords/english";

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

/** Whether a word (lower case) carries no content in a question, or is more often something else than a name ("will"). */
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word);

export const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:[-'’_.@/](?=[\p{L}\p{N}])[\p{L}\p{M}\p{N}]+)*/gu;
/** Alternatives of a regular expression. */
export const DETERMINER =
  "the|an?|this|that|these|those|my|your|his|her|its|our|their|each|every|no|some|all";

/** The package lacks these; questions have them often. */
const MISSING = ["a", "whose", "many", "much"];
const STOP_WORDS: ReadonlySet<string> = new Set([...stopwords, ...MISSING]);
