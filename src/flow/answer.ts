/** @file The response phase: Question -> Route -> RecallKey[] -> GatedRead -> Reconstruction[] -> Answer. */

import type { Engine } from "../engine/engine.ts";
import { oneLine } from "../extract/anchorKey.ts";
import { assert } from "../lib/assert.ts";
import { fill } from "../lib/format.ts";
import { groupBy } from "../lib/group.ts";
import { openReader, type MemoryReader } from "../memory/read.ts";
import type { Answer, Reconstruction } from "../records/answer.ts";
import { documentOf, type FactId } from "../records/ids.ts";
import type { Memory, MemoryEntry } from "../records/memory.ts";
import { questionParams, type MethodParams } from "../records/params.ts";
import prompts from "../records/prompts.json" with { type: "json" };
import { needsVector, route } from "../router/route.ts";
import { buildIndex, type RouterIndex } from "../router/routerIndex.ts";
import { citations } from "./cite.ts";
import { checkFits } from "./extend.ts";

/** A memory opened for questions: index built, stores on the device once read. */
export interface OpenMemory {
  readonly memory: Memory;
  readonly engine: Engine;
  readonly params: MethodParams;
  readonly index: RouterIndex;
  /** The entries of each fact. */
  readonly facts: ReadonlyMap<FactId, readonly MemoryEntry[]>;
  readonly reader: MemoryReader;
  dispose(): void;
}

/**
 * Opens `memory` with the read and routing settings of `params` (θ, β and the rest may differ from its own).
 * @throws when it was made with another model or text embedder
 */
export function openMemory(engine: Engine, memory: Memory, params: MethodParams): OpenMemory {
  checkFits(memory, engine);
  const reader = openReader(engine, memory, params);
  return {
    memory,
    engine,
    params,
    index: buildIndex(memory.routing, memory.salt),
    facts: groupBy(memory.entries, ({ id }) => id),
    reader,
    dispose: () => reader.dispose(),
  };
}

export interface AskOptions {
  readonly now: () => number;
  /** The answer so far. */
  readonly onText?: (text: string) => void;
}

/**
 * Answers from memory alone. Nothing routed, or nothing recalled, means "not in memory", and the model is not asked
 * (`noFacts`).
 * @throws when the question is blank, or leaves no room for a fact in the model's window
 */
export async function answer(
  open: OpenMemory,
  question: string,
  { now, onText }: AskOptions,
): Promise<Answer> {
  const { engine, params, index, reader } = open;
  assert(question.trim() !== "", () => "flow: the question is empty; ask for something");
  const started = now();
  const [vector] = needsVector(params) ? await engine.embed([question]) : [];
  const routed = route(question, vector ?? null, index, params, { denseFloor: engine.denseFloor });
  const keys = routed.facts.flatMap((id) => {
    const parts = open.facts.get(id);
    return parts ? [parts] : [];
  });
  const atRecall = now();
  const recalled = await reader.recall(keys, params);
  const atAnswer = now();
  const inSource = sourceOrder(open);
  const { facts, turn } = answerTurn(open, question, recalled.filter(isRead), inSource);
  const text = turn === null ? prompts.notInMemory : await say(engine, turn, params, onText);
  const notInMemory = turn === null || saysNotInMemory(text);
  return {
    question,
    settings: questionParams(params),
    route: routed,
    recalled: recalled.toSorted(inSource),
    text,
    cited: notInMemory ? [] : citations(text, question, facts),
    notInMemory,
    milliseconds: { route: atRecall - started, recall: atAnswer - atRecall, answer: now() - atAnswer },
    ...(open.memory.salt === undefined ? {} : { wordless: true }),
  };
}

/** Behind a gate that stayed shut the frozen model spoke for itself: that is no fact of the memory. */
const isRead = ({ read }: Reconstruction): boolean => read.openPositions.length > 0;

async function say(
  engine: Engine,
  turn: string,
  { answerTokens }: MethodParams,
  onText: ((text: string) => void) | undefined,
): Promise<string> {
  const [text] = await engine.generate([turn], { maxTokens: answerTokens, ...(onText ? { onText } : {}) });
  return text!;
}

/**
 * The answer prompt with the facts in source order under their anchor tags; null without facts, unless asked all the same. Where the window is
 * too small for all, the facts that were routed last are left out.
 * @throws when not even one fact fits beside the question
 */
function answerTurn(
  { engine, params: { answerTokens, noFacts } }: OpenMemory,
  question: string,
  recalled: readonly Reconstruction[],
  inSource: SourceOrder,
): { facts: readonly Reconstruction[]; turn: string | null } {
  for (let count = recalled.length; count >= (noFacts === "ask" ? 0 : 1); count--) {
    const facts = recalled.slice(0, count).sort(inSource);
    const lines = facts.map(({ anchor, text }) => fill(prompts.answerFact, { anchor, value: oneLine(text) }));
    const turn = fill(prompts.answer, { facts: lines.join("\n"), question: oneLine(question) });
    if (engine.chat(turn).length + answerTokens <= engine.model.window) return { facts, turn };
  }
  assert(
    recalled.length === 0,
    () =>
      `flow: the question (${engine.encode(question).length} tokens), one fact and an answer of ${answerTokens} do not ` +
      `fit the model's window of ${engine.model.window} tokens; shorten the question`,
  );
  return { facts: [], turn: null };
}

type SourceOrder = (a: Reconstruction, b: Reconstruction) => number;

/** By document as memorised, then by offset. */
function sourceOrder({ memory }: OpenMemory): SourceOrder {
  const documents = new Map(memory.sources.map(({ id }, i) => [id, i]));
  const rank = ({ id }: Reconstruction) => documents.get(documentOf(id)) ?? 0;
  return (a, b) => rank(a) - rank(b) || a.offset - b.offset;
}

const normal = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N} ]/gu, "")
    .trim();

/** Whether a reply is the agreed way of saying that the facts do not hold the answer. */
export const saysNotInMemory = (text: string): boolean =>
  normal(text).startsWith(normal(prompts.notInMemory));
