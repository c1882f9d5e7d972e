/** @file Recalled facts as evidence: the nearest to a question, the words that they lack, and those that support an answer. */

import type { Engine } from "../engine/engine.ts";
import { oneLine } from "../extract/anchorKey.ts";
import type { Reconstruction, UnmetWord } from "../records/answer.ts";
import type { ParamsOf } from "../records/params.ts";
import { asksOf } from "../router/cues.ts";
import { rankFacts, SHARPNESS, weightsOf } from "../router/rank.ts";
import type { RouterIndex } from "../router/routerIndex.ts";
import { cosine } from "../router/dense.ts";
import { contentTerms, termsOf } from "../lib/terms.ts";
import { isStopWord, namedWords, tokens } from "../lib/tokens.ts";
import { contentOf, MONTHS, onlyRepeats, wordsOf } from "../lib/words.ts";

export interface Near {
  readonly fact: Reconstruction;
  /** Weight of the terms shared with the question: the sum of log(1 + n / holders) over the shared terms. */
  readonly shared: number;
  /** Its logit by the learned ranking; 0 without one. */
  readonly logit: number;
}

/** `facts`, nearest to the question first: by shared words, rare ones counting more, then by the cosine of their vectors. */
export async function nearestFirst(
  engine: Engine,
  question: string,
  facts: readonly Reconstruction[],
): Promise<readonly Near[]> {
  if (facts.length === 0) return [];
  const shared = sharedWeights(question, facts);
  const own = await engine.embedQuestion(question);
  const vectors = await engine.embed(facts.map(({ text }) => oneLine(text)));
  const near = vectors.map((vector) => cosine(own, vector));
  const order = [...facts.keys()].sort((a, b) => shared[b]! - shared[a]! || near[b]! - near[a]! || a - b);
  return order.map((i) => ({ fact: facts[i]!, shared: shared[i]!, logit: 0 }));
}

/** `facts` in the order in which `question` ranks them, which for a part of a question is not that of the route. */
export function rankedFirst(
  question: string,
  facts: readonly Reconstruction[],
  index: RouterIndex,
  { ranking }: Pick<ParamsOf<"route">, "ranking">,
): readonly Near[] {
  const ranked = rankFacts(question, index, weightsOf(ranking));
  const scores = new Map(ranked.map(({ position, score }) => [index.facts[position]!.fact.id, score]));
  const lowest = ranked.at(-1)?.score ?? 0;
  const shared = sharedWeights(question, facts);
  /** A question answers none ("Why did the carrots fail? Because …"), unless one asks what was asked. */
  const asks = ({ text }: Reconstruction): boolean => QUESTION.test(text.trimEnd());
  const last = asksOf(question).has("said") ? () => false : asks;
  const scoreOf = (fact: Reconstruction): number =>
    last(fact) ? lowest - 1 : (scores.get(fact.id) ?? lowest);
  return facts
    .map((fact, i) => ({ fact, shared: shared[i]!, logit: SHARPNESS * scoreOf(fact) }))
    .sort((a, b) => b.logit - a.logit);
}

/** With the marks that close a quotation. */
const QUESTION = /[?？]["'”’»)]*$/;

function sharedWeights(question: string, facts: readonly Reconstruction[]): readonly number[] {
  const said = facts.map((fact) => termsIn([fact]));
  const holders = (term: string): number => said.filter((own) => own.has(term)).length;
  const weight = (term: string): number => Math.log(1 + facts.length / holders(term));
  const asked = [...termsOf(question)].map((term) => ({ term, weight: weight(term) }));
  return said.map((own) =>
    asked.reduce((sum, { term, weight: rare }) => sum + (own.has(term) ? rare : 0), 0),
  );
}

/** Words of the question that no recalled text has, each with the number of stored values that have it. */
export function unmetWords(
  question: string,
  recalled: readonly Told[],
  storedWith: (word: string) => number,
): readonly UnmetWord[] {
  const said = termsIn(recalled);
  const words = contentWords(question).filter((word) => !hasWord(said, word));
  return words.map((word) => ({ word, stored: storedWith(word) }));
}

type Told = Pick<Reconstruction, "text" | "anchor">;

const termsIn = (facts: readonly Told[]): ReadonlySet<string> =>
  termsOf(facts.map(({ text, anchor }) => `${anchor} ${text}`).join("\n"));

const hasWord = (own: ReadonlySet<string>, word: string): boolean =>
  contentTerms(word).some((term) => own.has(term));

const contentWords = (question: string): string[] =>
  [...new Set(tokens(question).map(({ word }) => word))].filter((word) => contentTerms(word).length > 0);

/**
 * Whether what the question names is in stored values: "partly" if none has one of its names or numbers, so that no sentence is about it;
 * "not" if none has any of its content words either.
 */
export function namesKnown(
  question: string,
  storedWith: (word: string) => number,
): "wholly" | "partly" | "not" {
  const isMissing = (word: string): boolean => storedWith(word) === 0;
  if (!namedWords(question).some(isMissing)) return "wholly";
  return contentWords(question).every(isMissing) ? "not" : "partly";
}

/** Whether stored values have every content word of the phrase, which has some. */
export function isKnown(phrase: string, storedWith: (word: string) => number): boolean {
  const words = contentWords(phrase);
  return words.length > 0 && words.every((word) => storedWith(word) > 0);
}

/** Whether one of the facts has all content words of the question, which has several: then it comes near. */
export function isToldWordForWord(question: string, facts: readonly Told[]): boolean {
  const words = contentWords(question);
  const tellsAll = (own: ReadonlySet<string>): boolean => words.every((word) => hasWord(own, word));
  return words.length > 1 && facts.some((fact) => tellsAll(termsIn([fact])));
}

/** Content words of an answer that its question lacks; all of them if the answer only repeats the question. */
function claims(answer: string, question: string): ReadonlySet<string> {
  const asked = new Set(wordsOf(question));
  const content = contentOf(answer);
  const fresh = content.filter((word) => !asked.has(word));
  return new Set(fresh.length > 0 ? fresh : content);
}

/** Keys of the facts with most of the answer's content words that the question lacks. Empty if no fact has any. */
export function citations(answer: string, question: string, facts: readonly Reconstruction[]): string[] {
  const wanted = claims(answer, question);
  const score = ({ text }: Reconstruction) => {
    const said = new Set(wordsOf(text));
    return [...wanted].filter((word) => said.has(word)).length;
  };
  const best = Math.max(0, ...facts.map(score));
  return best === 0 ? [] : facts.filter((fact) => score(fact) === best).map(({ key }) => key);
}

/** Whether `facts` contain every content word that the answer adds to its question; false if it adds none. */
export function bearsOut(
  answer: string,
  question: string,
  facts: readonly Pick<Reconstruction, "text">[],
): boolean {
  if (onlyRepeats(answer, question)) return false;
  const wanted = claims(answer, question);
  const said = new Set(facts.flatMap(({ text }) => wordsOf(text)));
  return wanted.size > 0 && [...wanted].every((word) => said.has(word));
}

/** Whether the facts have every name in the question. */
export function isAbout(question: string, facts: readonly Told[]): boolean {
  const said = termsIn(facts);
  return namedWords(question).every((word) => hasWord(said, word));
}

/**
 * Whether a text numbers something as the question does, but differently: "week 6" for "week 7", "act one" for "act four". No sentence
 * that the reader puts first for the 923 questions of data/asked that learning left out does.
 */
export function tellsOfAnother(question: string, text: string): boolean {
  const told = numbered(text);
  const has = (number: number): boolean => told.some((one) => one.number === number);
  const isOther = (what: string): boolean => told.some((one) => one.what === what);
  const asked = numbered(question).filter(({ what }) => what !== null);
  const differs = asked.length > 0 && asked.every(({ what, number }) => !has(number) && isOther(what!));
  return differs && !RELATES.test(question);
}

/** Of questions that ask for yes or no, or for something after, before or between the numbers. */
const RELATES =
  /^(?:is|are|was|were|do|does|did|can|could|will|would|has|have|may|should)\b|\b(?:after|before|since|until|than|between|next|difference|follows?)\b/i;

/**
 * The numbers of a text, each with the word in front of it, or behind an ordinal; null for a stop word, a date, a year, and a number
 * that begins a range. Times and ranges are left out.
 */
function numbered(text: string): { readonly what: string | null; readonly number: number }[] {
  const plain = text
    .toLowerCase()
    .replace(/(?<=\d),(?=\d{3}\b)/g, "")
    .replace(/\d+(?:[.:/]\d+)+|\d+ ?[-–] ?\d+/g, "range");
  const words = plain.match(/[\p{L}\p{N}]+(?:[-–][\p{L}\p{N}]+)*/gu) ?? [];
  return words.flatMap((word, i) => {
    const [before = "", after = ""] = [words[i - 1], words[i + 1]];
    const [, code, coded] = /^(\p{L}+)-(\d+)$/u.exec(word) ?? [];
    if (code !== undefined) return [{ what: code, number: Number(coded) }];
    const number = numberOf(word);
    const isRange = /^(?:to|and|or|through|until|till|on|onwards)$/.test(after);
    if (number !== null) {
      const named = isThing(before) && !isRange && !YEAR.test(word);
      return [{ what: named ? withoutS(before) : null, number }];
    }
    const nth = ORDINALS.indexOf(word) + 1 || Number(/^(\d+)(?:st|nd|rd|th)$/.exec(word)?.[1] ?? 0);
    return nth > 0 ? [{ what: isThing(after) ? `nth ${withoutS(after)}` : null, number: nth }] : [];
  });
}

const isThing = (word: string): boolean =>
  word !== "" && !isStopWord(word) && !DATE.test(word) && numberOf(word) === null;
const YEAR = /^(?:1\d|20)\d\d$/;
const DATE = new RegExp(
  `^(?:${MONTHS}|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun)$`,
  "i",
);
const numberOf = (word: string): number | null =>
  /^\d+$/.test(word) ? Number(word) : CARDINALS.includes(word) ? CARDINALS.indexOf(word) + 1 : null;
const withoutS = (word: string): string => word.replace(/s$/, "");
const CARDINALS =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(
    " ",
  );
const ORDINALS =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(
    " ",
  );
