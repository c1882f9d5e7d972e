/** @file The anchor of a sentence by rules: best name, subject noun, identifier, or longest content word; always verbatim. */

import { DETERMINER, WORD } from "../lib/tokens.ts";
import { ARTICLES, CONNECTORS, NO_ANCHOR, PRONOUNS, STOP_WORDS, SUBJECT_VERBS, TITLES } from "./words.ts";

interface SpanOptions {
  readonly compound: boolean;
}

interface Run {
  readonly start: number;
  readonly end: number;
  readonly words: number;
}

interface Word {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The anchor: never empty for a sentence that is not, at most {@link MAX_WORDS} words. */
export function ruleAnchor(sentence: string, options: SpanOptions): string {
  const words = wordsOf(sentence);
  const run = bestName(sentence, words, options);
  if (run) return sentence.slice(run.start, run.end);
  return (
    subjectNoun(sentence, options) ??
    words.find(isIdentifier)?.text ??
    determinedNouns(sentence)[0] ??
    longestWord(words) ??
    firstCharacters(sentence)
  );
}

export function nameAround(sentence: string, start: number, end: number): string | null {
  const runs = nameRuns(sentence, wordsOf(sentence), { compound: true });
  const run = runs.find((candidate) => candidate.start <= start && candidate.end >= end);
  return run ? sentence.slice(run.start, run.end) : null;
}

/** A name that opens the sentence is its subject and wins; otherwise the first name with the most words. */
function bestName(sentence: string, words: readonly Word[], options: SpanOptions): Run | null {
  const runs = nameRuns(sentence, words, options);
  const first = runs[0];
  if (first && isSubject(sentence, first)) return first;
  return runs.reduce<Run | null>((best, run) => (best && best.words >= run.words ? best : run), null);
}

function isSubject(sentence: string, { start, end, words }: Run): boolean {
  if (!BEFORE_SUBJECT.test(sentence.slice(0, start))) return false;
  return words > 1 || AFTER_SUBJECT.test(sentence.slice(end, end + 40));
}

function nameRuns(sentence: string, words: readonly Word[], { compound }: SpanOptions): Run[] {
  const runs: Run[] = [];
  let i = 0;
  while (i < words.length) {
    let next = i + 1;
    if (isName(words[i]!)) {
      while (next < words.length) {
        const step = follows(sentence, words, next, compound);
        if (step === 0) break;
        next += step;
      }
      const run = trimRun(words.slice(i, next), i === 0 && !isNamedByVerb(sentence, words[0]!));
      if (run) runs.push(run);
    }
    i = next;
  }
  return runs;
}

function follows(sentence: string, words: readonly Word[], at: number, compound: boolean): number {
  for (let next = at; next < words.length; next++) {
    const [before, word] = [words[next - 1]!, words[next]!];
    if (!touches(sentence, before, word) || POSSESSIVE.test(before.text)) return 0;
    if (isName(word) || isIdentifier(word)) return next - at + 1;
    if (!compound || !CONNECTORS.has(word.text)) return 0;
  }
  return 0;
}

/** Between two words of one name: white space, or the dot of an initial or of "St." and a space. */
function touches(sentence: string, left: Word, right: Word): boolean {
  const gap = sentence.slice(left.end, right.start);
  return /^\s+$/.test(gap) || (/^\.\s*$/.test(gap) && /^(?:\p{Lu}|St|Mt|Ft)$/u.test(left.text));
}

/** "Emily went", "Sally's": a word that ends like an adverb is a name before a verb, or with a possessive. */
function isNamedByVerb(sentence: string, { text, end }: Word): boolean {
  const known = STOP_WORDS.has(plainWord(text));
  return !known && (POSSESSIVE.test(text) || VERB_NEXT.test(sentence.slice(end, end + 40)));
}

function trimRun(run: readonly Word[], atStart: boolean): Run | null {
  let first = 0;
  while (first < run.length && dropped(run[first]!, atStart && first === 0, run.length - first > 1))
    first += 1;
  const kept = run.slice(first, first + MAX_WORDS);
  while (kept.length > 0 && dangles(kept.at(-1)!)) kept.pop();
  const last = kept.at(-1);
  // A code alone is not a name: "The access code is AB-123." is about the access code.
  if (!last || kept.every(isIdentifier)) return null;
  const end = last.end - (POSSESSIVE.exec(last.text)?.[0].length ?? 0);
  const start = kept[0]!.start;
  return end - start >= 2 ? { start, end, words: kept.length } : null;
}

function dropped(word: Word, atStart: boolean, moreFollow: boolean): boolean {
  const plain = plainWord(word.text);
  if (ARTICLES.has(plain) || PRONOUNS.has(plain) || TITLES.has(plain) || CONNECTORS.has(plain)) return true;
  if (STOP_WORDS.has(plain)) return atStart || !moreFollow;
  if (NO_ANCHOR.has(plain)) return !moreFollow;
  return atStart && (ADVERB.test(plain) || GERUND.test(plain));
}

function dangles({ text }: Word): boolean {
  const plain = plainWord(text);
  return CONNECTORS.has(text) || TITLES.has(plain) || PRONOUNS.has(plain);
}

/** "The office is north of …" -> "office"; "There is a letter in …" -> "letter"; two-word nouns when compound. */
function subjectNoun(sentence: string, { compound }: SpanOptions): string | null {
  const match = EXISTENTIAL.exec(sentence) ?? SUBJECT.exec(sentence);
  const phrase = match?.[1]?.trimEnd();
  if (!phrase) return null;
  const noun = phrase.replace(PREPOSITION_ON, "").replace(ADVERBS_ON, "");
  const parts = noun.split(/\s+/);
  if (parts.every((part) => STOP_WORDS.has(part.toLowerCase()))) return null;
  if (parts.length === 1 || (compound && parts.length === 2 && !STOP_WORDS.has(parts[0]!.toLowerCase())))
    return noun;
  return parts.at(-1)!;
}

/** "It was an extraordinary improvisation." -> "improvisation": the last word of each phrase behind a determiner. */
const determinedNouns = (sentence: string): string[] =>
  determinedPhrases(sentence)
    .map((phrase) => phrase.split(/\s+/).at(-1)!)
    .filter((noun) => noun.length > 2 && !ADVERB.test(noun));

/** "Where is the old lamp?" -> "old lamp": the phrases behind a determiner, of one to three words. */
export const determinedPhrases = (sentence: string): string[] =>
  Array.from(sentence.matchAll(DETERMINED), ({ 1: phrase }) => phrase!);

function longestWord(words: readonly Word[]): string | undefined {
  const plain = words.filter(({ text }) => /^\p{L}[\p{L}\p{M}]+$/u.test(text));
  const isContent = (word: string): boolean => !STOP_WORDS.has(word) && !NO_ANCHOR.has(word);
  const content = plain.filter(({ text }) => text.length > 3 && isContent(text.toLowerCase()));
  const telling = content.filter(({ text }) => !ADVERB.test(text));
  const pool = [telling, content, plain].find(({ length }) => length > 0) ?? words;
  return pool.toSorted((a, b) => b.text.length - a.text.length)[0]?.text;
}

/** For a sentence without a single letter or digit; never ends inside a surrogate pair. */
const firstCharacters = (sentence: string): string =>
  Array.from(sentence.trim()).slice(0, 20).join("") || sentence;

const wordsOf = (sentence: string): Word[] =>
  Array.from(sentence.matchAll(WORD), ({ 0: text, index }) => ({
    text,
    start: index,
    end: index + text.length,
  }));

const isName = ({ text }: Word): boolean => /^\p{Lu}/u.test(text);

const isIdentifier = ({ text }: Word): boolean =>
  /\p{N}/u.test(text) && /\p{L}|-/u.test(text) && !/^\p{N}+(?:st|nd|rd|th|s)$/u.test(text);

const plainWord = (text: string): string => text.toLowerCase().replace(/['’].*$/, "");

/** Words of an anchor at most; the bundled model is trained on the same bound. */
export const MAX_WORDS = 4;
const GERUND = /.{4}ing$/;
const POSSESSIVE = /['’]s?$/;
const BEFORE_SUBJECT =
  /^[^\p{L}\p{N}]*(?:(?:the|an?|\p{L}+ly|mr|mrs|ms|miss|dr|sir|then|and|but)[\s.,]+)*$/iu;
const VERBS =
  `${SUBJECT_VERBS}|got|took|gave|said|made|saw|knew|found|told|left|put|kept|let|ran|sat|won|lost|met|sent|set|` +
  "wrote|began|brought|bought|built|chose|drew|drove|ate|flew|grew|held|heard|hid|read|rode|rose|sang|sold|spoke|" +
  "stole|stood|swam|taught|threw|wore|grabbed|cannot|journeyed";
const VERB_NEXT = new RegExp(String.raw`^\s+(?:${VERBS})\b`, "u");
/** Words after a subject of one word: possessive, comma, "and", or a verb, perhaps after an adverb. */
const AFTER_SUBJECT = new RegExp(
  String.raw`^(?:['’]s|,|\s+(?:and|who|of)\b|\s+(?:\p{Ll}+ly\s+|also\s+|never\s+|always\s+|then\s+)?` +
    String.raw`(?:${VERBS}|\p{Ll}{2,}s)\b)`,
  "u",
);
const SUBJECT = new RegExp(
  String.raw`^[^\p{L}\p{N}]*(?:${DETERMINER})\s+((?:[\p{L}\p{N}'’-]+\s+){1,5}?)(?:(?:also|always|never|still|now)\s+)?` +
    String.raw`(?:${SUBJECT_VERBS})\b`,
  "iu",
);
const EXISTENTIAL = new RegExp(
  String.raw`^[^\p{L}\p{N}]*there\s+(?:is|are|was|were)\s+(?:(?:${DETERMINER})\s+)?((?:[\p{L}\p{N}'’-]+\s*){1,3}?)` +
    String.raw`(?=\s(?:of|in|on|at|under|by|near|behind|with|from|to|that|which|who)\b|[.,;!?]|$)`,
  "iu",
);
const SMALL_WORDS = [...STOP_WORDS].join("|");
const CONTENT_WORD = String.raw`(?!(?:${SMALL_WORDS})\b)[\p{L}\p{M}-]+`;
/** After a determiner, up to three words that are not small ones, before a small word, a mark or the end. */
const DETERMINED = new RegExp(
  String.raw`(?<![\p{L}\p{N}'’])(?:${DETERMINER})\s+(${CONTENT_WORD}(?:\s+${CONTENT_WORD}){0,2}?)` +
    String.raw`(?=\s+(?:${SMALL_WORDS}|\p{Ll}+ed)\b|[.,;:!?"”’)]|$)`,
  "giu",
);
const ADVERB = /(?<!fami|rep|supp|assemb|butterf)(?<=.{3})ly$/u;
/** From the first preposition on: "key to the old house" -> "key". */
const PREPOSITION_ON = /\s+(?:of|to|in|on|at|for|from|with|under|by|near|behind|that|which|who)\b.*$/isu;
/** Adverbs and conjunctions between a noun and its verb: "decanter almost" -> "decanter". */
const ADVERBS_ON = /(?:\s+(?:almost|often|soon|just|only|even|too|not|and|or|\p{Ll}+ly))+$/u;
