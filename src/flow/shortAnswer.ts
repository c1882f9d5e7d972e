/** @file The short answer: words that the reader marks in a sentence, or the model's reply from several facts, with its support. */

import type { Engine } from "../engine/engine.ts";
import { oneLine } from "../extract/anchorKey.ts";
import { fill } from "../lib/format.ts";
import { mean } from "../lib/stats.ts";
import { INSTEAD, type PartAnswer, type Reconstruction } from "../records/answer.ts";
import type { ParamsOf } from "../records/params.ts";
import prompts from "../records/prompts.json" with { type: "json" };
import { bearsOut, citations, isAbout, tellsOfAnother, type Near } from "./evidence.ts";
import { determinedPhrases, nameAround } from "../extract/span.ts";
import { looseLiteral, MESSAGE_LABEL, TIMES, wordsOf } from "../lib/words.ts";
import { asksOf, askingPrice } from "../router/cues.ts";
import { inFormsOf } from "../router/wordForms.ts";
import { PLAIN, seeksHolder } from "../router/holders.ts";
import type { RouterIndex } from "../router/routerIndex.ts";
import { SENTENCES_SHOWN } from "../records/judge.ts";

export interface AnswerContext {
  readonly engine: Engine;
  readonly params: ParamsOf<"answer">;
  readonly inSource: (a: Reconstruction, b: Reconstruction) => number;
  readonly onText?: ((text: string) => void) | undefined;
}

type ShortAnswer = Pick<
  PartAnswer,
  "text" | "cited" | "verdict" | "probability" | "leftOut" | "best" | "reader"
>;

/** The answer without a fact: empty, or the model's own words (if `answers` is "paper"). */
export async function answerWithoutFacts(
  { engine, params }: AnswerContext,
  question: string,
  why: "not recalled" | "not in memory",
): Promise<ShortAnswer> {
  const [text = ""] =
    params.answers === "ours"
      ? []
      : await engine.generate([answerPrompt([], question)], { maxTokens: params.answerTokens });
  return { text, cited: [], probability: null, verdict: text === "" ? why : "as said" };
}

/**
 * Whether the model must put facts together: several fit equally well, or the place of a thing follows from its holder's. It is not
 * asked for reasons.
 */
export function needsSeveral(question: string, facts: readonly Near[], index: RouterIndex): boolean {
  if (asksOf(question).has("why")) return false;
  const most = Math.max(...facts.map(({ shared }) => shared));
  const alike = facts.filter(({ shared }) => shared === most && shared > 0);
  return alike.length > 1 || seeksHolder(question, index);
}

/** The question by which the reader finds the facts that have the place of a holder. */
const WHERE = "Where is {holder}?";
/** How sure the reader is of an answer in a fact that the model gets. */
const TOLD_LEVEL = 0.5;
/** Facts that the model gets in any case, the surest of those with words of the question: it learned to read several. */
const TOLD_LEAST = 4;

/** The facts that the model gets: those with words of the question in which the reader finds an answer, and places of holders. */
export async function factsToTell(
  { engine }: Pick<AnswerContext, "engine">,
  question: string,
  facts: readonly Near[],
  index: RouterIndex,
): Promise<readonly Near[]> {
  const sharing = facts.filter(({ shared }) => shared > 0);
  if (sharing.length === 0) return facts;
  const seeks = seeksHolder(question, index);
  const own = withThing(question, sharing, seeks ? HELD_WITHIN : Infinity);
  const sureOf = (asked: string, some: readonly Near[]): Promise<number[] | null> =>
    engine.readEach(
      asked,
      some.map(({ fact }) => fact.text),
    );
  if (!seeks) {
    const sure = await sureOf(askedOfReader(question, facts), own);
    if (!sure) return own;
    const least = Math.min(TOLD_LEVEL, sure.toSorted((a, b) => b - a)[TOLD_LEAST - 1] ?? 0);
    const plain = answering(own, sure);
    return own.filter((near, i) => (sure[i]! >= TOLD_LEVEL ? plain.includes(near) : sure[i]! >= least));
  }
  const told = new Set(own);
  for (const holder of new Set(own.map(({ fact }) => fact.anchor))) {
    const others = facts.filter(({ fact, shared }) => shared === 0 && fact.anchor === holder);
    const sure = await sureOf(fill(WHERE, { holder }), others);
    for (const near of sure ? answering(others, sure) : others) told.add(near);
  }
  return facts.filter((near) => told.has(near));
}

/** The plain ones of the facts in which the reader finds an answer. */
const answering = (facts: readonly Near[], sure: readonly number[]): readonly Near[] =>
  plainOf(facts.filter((_, i) => sure[i]! >= TOLD_LEVEL));

/** Words from a holder's name to the thing that it has, at most: a sentence that names both apart has two subjects. */
const HELD_WITHIN = 6;

/** The facts with a word of a phrase of the question ("the apple"), at most `within` words from their anchor and plain; all facts if no fact has one. */
function withThing(question: string, facts: readonly Near[], within: number): readonly Near[] {
  const asked = new Set(determinedPhrases(question).flatMap(wordsOf));
  const having = facts.filter(({ fact: { text, anchor } }) => {
    const [words, name] = [wordsOf(text), new Set(wordsOf(anchor))];
    const holders = [...words.keys()].filter((i) => name.has(words[i]!));
    return words.some(
      (word, i) =>
        asked.has(word) && (within === Infinity || holders.some((at) => Math.abs(at - i) <= within)),
    );
  });
  if (having.length === 0) return facts;
  if (within === Infinity) return having;
  return plainOf(having);
}

/** The facts that are hardly longer than the shortest: among plain facts a long sentence is of something else. */
function plainOf(facts: readonly Near[]): readonly Near[] {
  const lengths = facts.map(({ fact }) => wordsOf(fact.text).length);
  const shortest = lengths.reduce((a, b) => Math.min(a, b), Infinity);
  return facts.filter((_, i) => lengths[i]! <= PLAIN * shortest);
}

/** Facts in the order that the reader gives them, and the words that it marks. */
export interface ReadFacts {
  readonly nearest: readonly Near[];
  /** Whether all sentences were read to their end. */
  readonly whole?: boolean;
  /** Of the first of `nearest`: the probability that the answer is in it. */
  readonly shares?: readonly number[];
  readonly marked: ShortAnswer;
}

/** In a table row: "Deck 3 (oven): maker Wiesheu, price 14,900 euros". */
const PRICE_COLUMN = /[:,] price /i;

/** The question in the word forms of the facts, and with "price" if a table has it. */
function askedOfReader(question: string, facts: readonly Near[]): string {
  const texts = facts.map(({ fact }) => fact.text);
  const priced = texts.some((text) => PRICE_COLUMN.test(text));
  return inFormsOf(priced ? askingPrice(question) : question, texts);
}

/** The first facts as the reader orders them, with the words of one of them if it is sure enough. */
export async function readFacts(
  { engine }: Pick<AnswerContext, "engine">,
  question: string,
  facts: readonly Near[],
): Promise<ReadFacts> {
  const sentences = facts.map(({ fact, logit }) => ({ text: fact.text, logit }));
  const found = await engine.readSpan(askedOfReader(question, facts), sentences);
  if (!found || !engine.reader) return { nearest: facts, marked: { ...NO_WORDS, probability: null } };
  const { best, whole } = found;
  const isOther = (i: number): boolean => tellsOfAnother(question, facts[i]!.fact.text);
  const own = found.shares.map((share, i) => (isOther(i) ? OF_ANOTHER * share : share));
  // A sentence that is stored twice takes no place of another among the first.
  const texts = own.map((_, i) => facts[i]!.fact.text);
  const shares = own.map((_, i) =>
    texts.indexOf(texts[i]!) < i
      ? 0
      : own.reduce((sum, share, j) => (texts[j] === texts[i] ? sum + share : sum), 0),
  );
  const order = [...shares.keys()].sort((a, b) => shares[b]! - shares[a]!);
  const read = {
    nearest: [...order.map((i) => facts[i]!), ...facts.slice(shares.length)],
    shares: order.map((i) => shares[i]!),
    whole,
  };
  if (!best || isOther(best.sentence)) return { ...read, marked: { ...NO_WORDS, probability: null } };
  const { level, measured } = engine.reader;
  const { id, key, text, exact } = facts[best.sentence]!.fact;
  const span = trimmedSpan(text, best.span);
  const marked: ShortAnswer = {
    text: text.slice(...span),
    cited: [key],
    verdict: exact ? "read" : "inexact",
    probability: best.confidence,
    reader: { level, measured },
    best: { id, span },
  };
  return { ...read, marked: asSureAs(marked, level) };
}

/** Factor on the share of a sentence that is about another number. */
const OF_ANOTHER = 0.01;

export const NO_WORDS = { text: "", cited: [], verdict: "unsupported" } as const;

/** The marked words, if the reader is as sure as its level and as `least`. */
export function asSureAs(marked: ShortAnswer, least: number): ShortAnswer {
  if (!marked.reader) return marked;
  const reader = { ...marked.reader, level: Math.max(marked.reader.level, least) };
  return (marked.probability ?? 0) < reader.level
    ? { ...NO_WORDS, probability: marked.probability, reader }
    : { ...marked, reader };
}

/** The words that the reader marks; if it is not sure of any, the model's answer. Without a reader the model is not asked. */
export async function shortAnswer(
  context: AnswerContext,
  question: string,
  { nearest, marked }: ReadFacts,
  index: RouterIndex,
): Promise<ShortAnswer> {
  if (marked.verdict !== "unsupported" || !marked.reader) return marked;
  const told = await toldAnswer(context, question, await factsToTell(context, question, nearest, index));
  const { probability, reader } = marked;
  return told.verdict === "unsupported" ? { ...told, probability, reader } : told;
}

/**
 * Words of a fact from which a model with a reader answers, at most: it learned to put short ones together. Of the answers from
 * longer ones 2 of 11 are right (FairytaleQA's validation); for the same questions 5 of 6 marks of the reader are.
 */
const TOLD_WORDS = 12;

const isTold = ({ reader }: Engine, { text }: Pick<Reconstruction, "text">): boolean =>
  !reader || wordsOf(text).length <= TOLD_WORDS;

/** Whether the reader marks words of a fact that the model answers from, too: of directions ("north of") the model learned more. */
export const isOfToldFact = (
  { engine }: Pick<AnswerContext, "engine">,
  { best }: ShortAnswer,
  facts: readonly Near[],
): boolean => facts.some(({ fact }) => fact.id === best?.id && isTold(engine, fact));

/** Whether the model, though not sure, has another answer than the reader, which short facts have as well: one of the two is wrong. */
export function isDisputed(
  { engine }: Pick<AnswerContext, "engine">,
  question: string,
  [told, marked]: readonly [ShortAnswer, ShortAnswer],
  facts: readonly Near[],
): boolean {
  const short = facts.map(({ fact }) => fact).filter((fact) => isTold(engine, fact));
  const says = (some: readonly Pick<Reconstruction, "text">[]): boolean =>
    bearsOut(told.text, question, some);
  return !saysNotInMemory(told.text) && says(short) && !says([marked]);
}

/**
 * The model's answer from `facts`, shown if the model is sure enough of it and the cited facts contain everything that it
 * adds to the question, and its names. It has a warning if no exact fact contains all of that. The model is not asked for
 * reasons: it learned no such questions.
 * @throws if not even one fact fits the window with the question
 */
export async function toldAnswer(
  context: AnswerContext,
  question: string,
  facts: readonly Near[],
): Promise<ShortAnswer> {
  const { engine, params, onText } = context;
  if (params.answers === "ours" && asksOf(question).has("why")) return { ...NO_WORDS, probability: null };
  const all = facts.map(({ fact }) => fact);
  const told = answerTurn(context, question, all);
  // As it was decoded: a leading space is part of the first token, and the reply that is given has none.
  let decoded = "";
  const [text = ""] = await engine.generate([told.turn], {
    maxTokens: params.answerTokens,
    onText(soFar) {
      decoded = soFar;
      onText?.(soFar.trim());
    },
  });
  const outside = all.filter((fact) => !told.facts.includes(fact)).map(({ key }) => key);
  const leftOut = outside.length > 0 ? { leftOut: outside } : {};
  if (saysNotInMemory(text) || text === "")
    return { text, cited: [], verdict: unborne(text, params), probability: null, ...leftOut };
  const cited = citations(text, question, told.facts);
  const probability = await probabilityOf(engine, told.turn, decoded);
  const rests = all.filter(
    (fact) =>
      cited.includes(fact.key) &&
      (params.answers === "paper" || (isTold(engine, fact) && !tellsOfAnother(question, fact.text))),
  );
  const supports = (cites: readonly Reconstruction[]): boolean =>
    bearsOut(text, question, cites) && (params.answers === "paper" || isAbout(question, cites));
  const verdict: ShortAnswer["verdict"] =
    probability < params.answerLevel || !supports(rests)
      ? unborne(text, params)
      : !supports(rests.filter(({ exact }) => exact))
        ? "inexact"
        : "supported";
  return { text, cited: verdict === "unsupported" ? [] : cited, probability, verdict, ...leftOut };
}

/** The verdict on an unsupported answer: the parameter `answers` decides whether it is shown. */
const unborne = (text: string, { answers }: ParamsOf<"answer">): "as said" | "unsupported" =>
  answers === "ours" || text === "" ? "unsupported" : "as said";

/** The model's probability of `decoded` as its reply to `turn`: exp of the mean of log p over its tokens, in one pass. */
async function probabilityOf(engine: Engine, turn: string, decoded: string): Promise<number> {
  const [asked, start, encoded] = [engine.chat(turn), engine.encode(""), engine.encode(decoded)];
  const reply = start.every((id, i) => encoded[i] === id) ? encoded.slice(start.length) : encoded;
  const [last = []] = await engine.lens({
    ids: [...asked, ...reply],
    injection: null,
    at: reply.map((id, i) => ({ position: asked.length + i - 1, tokens: [id] })),
    top: 0,
    layers: [engine.model.layers - 1],
  });
  return Math.exp(mean(last.map(({ asked: [token] }) => token!.logProbability)));
}

/** The answer prompt with facts in source order, as many as fit, nearest first. @throws if not even one fits the window */
function answerTurn(
  { engine, params: { answerTokens }, inSource }: AnswerContext,
  question: string,
  nearest: readonly Reconstruction[],
): { facts: readonly Reconstruction[]; turn: string } {
  for (let count = nearest.length; count > 0; count--) {
    const facts = nearest.slice(0, count).sort(inSource);
    const turn = answerPrompt(facts.map(taggedFact), question);
    if (engine.chat(turn).length + answerTokens <= engine.model.window) return { facts, turn };
  }
  throw new Error(
    `flow: the question (${engine.encode(question).length} tokens), one fact and an answer of ${answerTokens} do not ` +
      `fit the model's window of ${engine.model.window} tokens; shorten the question`,
  );
}

/** The answer prompt, with one fact per line as {@link taggedFact} writes it. */
export const answerPrompt = (lines: readonly string[], question: string): string =>
  fill(prompts.answer, { facts: lines.join("\n"), question: oneLine(question) });

/** A fact as a line with its anchor's tag. */
export const taggedFact = ({ anchor, text }: Pick<Reconstruction, "anchor" | "text">): string =>
  fill(prompts.answerFact, { anchor, value: oneLine(text) });

const normal = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} ]/gu, "")
    .trim();

/** Whether a reply is the agreed phrase for "the facts do not hold the answer". */
export const saysNotInMemory = (text: string): boolean =>
  normal(text).startsWith(normal(prompts.notInMemory));

/** The sentence that the reader marked or that has the short answer, or the first one; null if the model's own words are shown. */
export function bestSentence(
  { verdict, text, best }: ShortAnswer,
  evidence: readonly Near[],
): PartAnswer["best"] | null {
  const [first] = evidence;
  if (best || !first) return best ?? null;
  if (INSTEAD[verdict] !== null) return { id: first.fact.id, span: null };
  for (const { fact } of evidence.slice(0, SENTENCES_SHOWN)) {
    const span = spanOf(fact.text, text);
    if (span) return { id: fact.id, span };
  }
  return null;
}

/** Where `words` are in `sentence`, as whole words in any case. A number or price is marked whole: "€2,450.00" for "€2". */
export function spanOf(sentence: string, words: string): [from: number, to: number] | null {
  const bare = words.trim().replace(EDGES, "");
  if (bare === "") return null;
  const found = new RegExp(`(?<![\\p{L}\\p{N}])${looseLiteral(bare)}(?![\\p{L}])`, "iu").exec(sentence);
  if (!found) return null;
  const before = NUMBER_BEFORE.exec(sentence.slice(0, found.index))?.[0].length ?? 0;
  const end = found.index + found[0].length;
  const after = /\p{N}$/u.test(found[0]) ? (NUMBER_AFTER.exec(sentence.slice(end))?.[0].length ?? 0) : 0;
  return [found.index - (/^\p{N}/u.test(found[0]) ? before : 0), end + after];
}

/**
 * A span without the label before it ("Director: Ada Lie"), without a clause or words at its end that begin something else ("wedding cakes, and")
 * and, in a table row, without the next cell. Of a name it has all words.
 */
export function trimmedSpan(text: string, [first, to]: readonly [number, number]): [number, number] {
  const label = ROW_BEGINS.exec(text)?.[0].length ?? 0;
  const from = first < label && label < to ? label : first;
  const isRow = label > 0 && !MESSAGE_LABEL.test(text) && !/[.!?"”]$/.test(text);
  const cell = isRow ? text.indexOf(", ", from) : -1;
  const clause = BREAK.exec(text.slice(from, to))?.index ?? 0;
  let end = Math.min(cell > from ? cell : to, clause > 0 ? from + clause : to);
  for (let last: RegExpExecArray | null; (last = LAST_WORD.exec(text.slice(from, end))) !== null;)
    end = from + last.index;
  const name = nameAround(text, from, end);
  if (name === null || NAMED_TIME.test(name)) return [from, end];
  const start = text.lastIndexOf(name, from);
  return [start, start + name.length];
}

/** "Adult: old fee £60, new fee £72", "Marta (18:04): Hey". */
const ROW_BEGINS = /^(?:[^:]|:(?=\d)){1,80}: /;
/** "On Monday Anna came" has two names, not one. */
const NAMED_TIME = new RegExp(`\\b(?:${TIMES})\\b`, "i");
/** Another clause, or a bracket that the span does not close. */
const BREAK = /; | \([^()]*$/;
const LAST_WORD =
  /(?<![\s,;:–—-])[\s,;:–—-]+(?:and|or|but|the|an?|of|in|on|at|to|by|with|from|for|as|that|which|who|next)$/i;
const EDGES = /^[\s"'“”‘’.,;:!?]+|[\s"'“”‘’.,;:!?]+$/gu;
/** The rest of a number, time, price or code that continues on that side. */
const NUMBER_BEFORE = /[\p{Sc}\p{N}][\p{N}.,:/-]*$|[\p{Sc}#]$/u;
const NUMBER_AFTER = /^(?:[.,:/’'-]?\p{N}+)*(?:\s?(?:%|\p{Sc}))?/u;
