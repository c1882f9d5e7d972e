/** @file The response phase: Question -> Route -> RecallKey[] -> GatedRead -> Reconstruction[] -> Answer. */

import type { Engine } from "../engine/engine.ts";
import { assert } from "../lib/assert.ts";
import { groupBy } from "../lib/group.ts";
import { omit } from "../lib/omit.ts";
import { openReader, type MemoryReader } from "../memory/read.ts";
import {
  answeredShare,
  shownText,
  wasRead,
  type Answer,
  type PartAnswer,
  type Reconstruction,
  type Route,
} from "../records/answer.ts";
import { documentOf, textOrder, type FactId } from "../records/ids.ts";
import { routingFacts, type EntryMeta, type Memory, type RoutingFact } from "../records/memory.ts";
import { questionParams, type MethodParams } from "../records/params.ts";
import { keptMemory, type KeptMemory } from "../records/vectors.ts";
import { needsVector, route } from "../router/route.ts";
import { buildIndex, type RouterIndex } from "../router/routerIndex.ts";
import { isValue } from "../records/digest.ts";
import { SENTENCES_SHOWN } from "../records/judge.ts";
import {
  isKnown,
  isToldWordForWord,
  namesKnown,
  nearestFirst,
  rankedFirst,
  unmetWords,
  type Near,
} from "./evidence.ts";
import { checkEmbedder, checkModel } from "./extend.ts";
import { mergedRoute, questionParts } from "./questionParts.ts";
import {
  answerWithoutFacts,
  asSureAs,
  bestSentence,
  factsToTell,
  isDisputed,
  isOfToldFact,
  needsSeveral,
  NO_WORDS,
  readFacts,
  shortAnswer,
  toldAnswer,
  type AnswerContext,
  type ReadFacts,
} from "./shortAnswer.ts";

/** A memory opened for questions: index built, stores on the device once read. */
export interface OpenMemory {
  readonly memory: KeptMemory;
  readonly engine: Engine;
  readonly params: MethodParams;
  readonly index: RouterIndex;
  readonly facts: ReadonlyMap<FactId, readonly EntryMeta[]>;
  readonly routed: ReadonlyMap<FactId, RoutingFact>;
  readonly reader: MemoryReader;
  dispose(): void;
}

/** Opens `memory` with the read and routing settings of `params`. @throws if it was made with another model */
export function openMemory(engine: Engine, given: Memory | KeptMemory, params: MethodParams): OpenMemory {
  const memory = keptMemory(given);
  checkModel(memory, engine);
  const reader = openReader(engine, memory, params);
  const index = buildIndex(memory.routing, memory.salts);
  // While a person reads and types. A question that comes sooner waits for it, and meets its errors.
  index.prepare().catch(() => undefined);
  return {
    memory,
    engine,
    params,
    index,
    facts: groupBy(memory.entries, ({ id }) => id),
    routed: routingFacts(memory.routing),
    reader,
    dispose: () => reader.dispose(),
  };
}

interface AskOptions {
  /** Of the recall. The calls after it end with the signal of their engine (service/parts.ts). */
  readonly signal?: AbortSignal | undefined;
  readonly now: () => number;
  readonly onText?: ((text: string) => void) | undefined;
  /** Gets the first recalled facts while the rest is recalled. */
  readonly onRecalled?: ((facts: readonly Reconstruction[]) => void) | undefined;
}

/**
 * Answers from memory alone: the recalled sentences, the best first, with the words marked that answer, or the model's words if
 * several facts must be put together. @throws WrongEmbedder if vectors route; if the question is blank, or leaves no room for a
 * fact in the model's window; and Cancelled
 */
export async function answer(open: OpenMemory, question: string, options: AskOptions): Promise<Answer> {
  const { now } = options;
  const started = now();
  const routed = await routeQuestion(open, question);
  const atRecall = now();
  const recalled = await recallFacts(open, routed, options);
  const atAnswer = now();
  const said = await answerFrom(open, question, { route: routed, recalled }, options);
  const milliseconds = { route: atRecall - started, recall: atAnswer - atRecall, answer: now() - atAnswer };
  return { ...said, milliseconds };
}

/** The first stage of {@link answer}: the routes of all parts of a question, as one. @throws if the question is blank */
export async function routeQuestion(open: OpenMemory, question: string): Promise<Route> {
  assert(question.trim() !== "", () => "flow: the question is empty; ask for something");
  const { engine, index, params, memory } = open;
  const dense = needsVector(params);
  if (dense) checkEmbedder(memory, engine);
  await index.prepare();
  const routes: Route[] = [];
  for (const part of partsOf(open, question)) {
    const vector = dense ? await engine.embedQuestion(part) : null;
    routes.push(route(part, vector, index, params, engine.denseFloor));
  }
  return mergedRoute(question, routes, params.maxFacts);
}

const partsOf = ({ params }: OpenMemory, question: string): readonly string[] =>
  params.answers === "ours" ? questionParts(question) : [question];

export interface Found {
  readonly route: Route;
  readonly recalled: readonly Reconstruction[];
}

/** The last stage of {@link answer}. @throws if the question leaves no room for a fact in the model's window */
export async function answerFrom(
  open: OpenMemory,
  question: string,
  { route: routed, recalled }: Found,
  options: AskOptions,
): Promise<Answer> {
  const started = options.now();
  const asked: PartAnswer[] = [];
  for (const part of partsOf(open, question))
    asked.push(await answerPart(open, part, { route: routed, recalled }, options));
  return {
    question,
    settings: questionParams(open.params),
    route: open.params.answers === "ours" && recalled.length > 0 ? asRead(routed, asked) : routed,
    recalled: recalled.toSorted(sourceOrder(open)),
    asked,
    text: asked.map((part) => shownText(part, { recalled })).join(" "),
    cited: [...new Set(asked.flatMap(({ cited }) => cited))],
    notInMemory: asked.every(({ verdict }) => verdict === "not in memory"),
    milliseconds: { route: 0, recall: 0, answer: options.now() - started },
  };
}

/** A route is far if no part of the question has an answer in the recalled sentences, also if the ranking calls it near. */
const asRead = (routed: Route, asked: readonly PartAnswer[]): Route =>
  asked.every(({ verdict }) => verdict === "not in memory") ? { ...routed, far: true } : omit(routed, "far");

/** The second stage of {@link answer}: the routed facts in the order of the route. `onRecalled` gets the first ones early. */
export async function recallFacts(
  open: OpenMemory,
  { facts }: Pick<Route, "facts">,
  { signal, onRecalled }: Pick<AskOptions, "signal" | "onRecalled"> = {},
): Promise<Reconstruction[]> {
  const entries = facts.map((id) => open.facts.get(id)).filter((parts) => parts !== undefined);
  const recall = async (some: typeof entries): Promise<Reconstruction[]> => {
    const facts = await open.reader.recall(some, open.params, signal);
    return facts.map((fact) => ({
      ...fact,
      exact: wasRead(fact) && isValue(fact.text, open.routed.get(fact.id), open.memory.salts),
    }));
  };
  if (!onRecalled) return recall(entries);
  const first = await recall(entries.slice(0, SENTENCES_SHOWN));
  onRecalled(first);
  const rest = entries.slice(SENTENCES_SHOWN);
  return rest.length > 0 ? [...first, ...(await recall(rest))] : first;
}

async function answerPart(
  open: OpenMemory,
  question: string,
  { route: { far = false }, recalled }: Found,
  options: AskOptions,
): Promise<PartAnswer> {
  const { engine, params } = open;
  const read = params.answers === "ours" ? recalled.filter(wasRead) : recalled;
  const ranked =
    params.ranking === "anchors"
      ? await nearestFirst(engine, question, read)
      : rankedFirst(question, read, open.index, params);
  const context: AnswerContext = { engine, params, inSource: sourceOrder(open), ...options };
  const why = recalled.length > 0 && !far ? "not recalled" : "not in memory";
  const { nearest, shares, said }: Said =
    ranked.length === 0 || (far && params.answers === "paper")
      ? { nearest: ranked, said: await answerWithoutFacts(context, question, why) }
      : await answerFromFacts(context, question, { ranked, far }, open.index);
  const evidence = nearest.map(({ fact }) => fact.id);
  const shown = params.answers === "ours" && said.verdict !== "not in memory";
  const best = shown ? bestSentence(said, nearest) : null;
  return {
    question,
    ...said,
    evidence,
    ...(shares && { shares }),
    ...(best && { best }),
    unmet: unmetWords(question, read, open.index.storedWith),
  };
}

/** The answer of a part, and the facts in the order in which they are shown. */
interface Said {
  readonly nearest: readonly Near[];
  readonly shares?: readonly number[] | undefined;
  readonly said: Awaited<ReturnType<typeof toldAnswer>>;
}

async function answerFromFacts(
  context: AnswerContext,
  question: string,
  { ranked, far }: { readonly ranked: readonly Near[]; readonly far: boolean },
  index: RouterIndex,
): Promise<Said> {
  const nothing = async ({ nearest, shares }: ReadFacts): Promise<Said> => ({
    ...{ nearest, shares },
    said: await answerWithoutFacts(context, question, "not in memory"),
  });
  if (context.params.answers === "paper")
    return { nearest: ranked, said: await toldAnswer(context, question, ranked) };
  const facts = ranked.map(({ fact }) => fact);
  const isNothing = (read: ReadFacts): boolean =>
    isNothingNear(read, far) && !isToldWordForWord(question, facts);
  const known = namesKnown(question, index.storedWith);
  // Any sentence about the thing answers.
  if (isKnown(ASKS_ABOUT.exec(question)?.[1] ?? "", index.storedWith) && ranked[0]!.shared > 0)
    return { nearest: ranked, said: { ...NO_WORDS, probability: null } };
  // The model is not asked about a question that the ranking and the reader call far.
  const early = far || known !== "wholly" ? await readFacts(context, question, ranked) : null;
  if (early && (known === "not" || isNothing(early))) return nothing(early);
  // The nearest sentences are shown, but none of their words answers.
  if (early && known === "partly") return { ...early, said: { ...NO_WORDS, probability: null } };
  const told = needsSeveral(question, ranked, index)
    ? await toldAnswer(context, question, await factsToTell(context, question, ranked, index))
    : null;
  if (told && told.verdict !== "unsupported") return { nearest: ranked, said: told };
  const read = early ?? (await readFacts(context, question, ranked));
  const { nearest, shares } = read;
  const marked = asSureAs(read.marked, told ? SURE : 0);
  if (told) {
    const none = marked.verdict === "unsupported" || isDisputed(context, question, [told, marked], ranked);
    return { nearest, shares, said: none ? told : marked };
  }
  if (marked.verdict === "read" && isOfToldFact(context, marked, nearest)) {
    const said = await toldAnswer(context, question, await factsToTell(context, question, nearest, index));
    if (said.verdict === "supported" && isDisputed(context, question, [said, marked], nearest))
      return { nearest, shares, said };
  }
  const said = await shortAnswer(context, question, { ...read, marked }, index);
  return said.verdict === "unsupported" && isNothing(read) ? nothing(read) : { nearest, shares, said };
}

const ASKS_ABOUT = /^(?:what (?:is there |do you know )?|tell me (?:more )?|anything )about (.+)/i;

/** The reader decides whether a sentence comes near, since its words need not be those of the question; without it the ranking. */
const isNothingNear = ({ shares, whole }: ReadFacts, far: boolean): boolean =>
  shares ? whole === true && answeredShare(shares) < NOTHING_NEAR : far;

/**
 * Nothing comes near a question if the shares of all sentences sum to less. Of questions that their text answers 2 of 750 (FairytaleQA's
 * validation) and 3 of 825 (data/asked) are below.
 */
const NOTHING_NEAR = 0.1;

/**
 * How sure the reader must be if the model, asked first, has no answer that the facts support. Of 135 validation questions of
 * FairytaleQA with such a reply 17 then had a right answer and 4 a wrong one, with the usual level of that time 23 and 9. The
 * reader's own level has risen to nearly this one since.
 */
const SURE = 0.8;

/** By document as memorised, then by offset. */
function sourceOrder({ memory }: OpenMemory): AnswerContext["inSource"] {
  const byText = textOrder(memory.sources);
  const place = ({ id, offset }: Reconstruction) => ({ documentId: documentOf(id), offset });
  return (a, b) => byText(place(a), place(b));
}
