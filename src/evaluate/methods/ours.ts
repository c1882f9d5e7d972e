/** @file Our method as the app runs it, and its oracles, which get the right result of one stage: the difference is its cost. */

import { answer, answerFrom, recallFacts, type Found, type OpenMemory } from "../../flow/answer.ts";
import type { Engine } from "../../engine/engine.ts";
import type { MemoryReader } from "../../memory/read.ts";
import { shownText, wasRead, type Answer, type Reconstruction } from "../../records/answer.ts";
import { bytesOf } from "../../records/bytes.ts";
import { holdersOf, type StoredSentence } from "../../records/judge.ts";
import { withSettings } from "../../records/parameterText.ts";
import { EVERY_SENTENCE, PRESETS, SHARP, type MethodParams } from "../../records/params.ts";
import { assert } from "../../lib/assert.ts";
import { taggedFact } from "../../flow/shortAnswer.ts";
import { askModel, NO_REPLY } from "../asking.ts";
import type { Shelved } from "../shelf.ts";
import { NO_EVIDENCE } from "../unanswered.ts";
import type { Asked, Method, MethodContext, Prepared, Trace } from "./method.ts";

const NOTHING_STORED: Trace = { answer: null, stored: [] };

type Opened = Pick<Shelved, "open" | "values">;

type Respond = (opened: Opened, asked: Asked, now: () => number) => Promise<Answer>;

/** @param oracle `evidence`: it gets the evidence; `alone`: its memory is made from the evidence only */
function ourMethod(
  title: string,
  about: string,
  respond: Respond,
  { evidence: given = false, alone = false } = {},
): Method {
  return {
    title,
    about,
    needs: [],
    option: {
      about: "a preset, or parameters, in place of the run's: paper, layers=1, paper+theta=0.45",
      check: (option) => void paramsOf(SHARP, option),
    },
    async prepare(text, context, option): Promise<Prepared> {
      const params = paramsOf(context.params, option);
      // The oracle of extraction makes its memory per question.
      const made = alone ? null : await context.shelf.of(text, params, context.grown);
      return {
        kept: { tokens: 0, bytes: made ? memorySize(made.open) : 0 },
        milliseconds: made?.milliseconds ?? 0,
        async answer(asked) {
          if (given && asked.evidence.length === 0) return { ...NO_REPLY, error: NO_EVIDENCE };
          const evidence = asked.evidence.join("\n\n");
          // The filter must not drop evidence.
          const { candidateFilter } = EVERY_SENTENCE;
          const kept: MethodParams = { ...params, candidateFilter };
          const own = alone ? await context.shelf.of(evidence, kept) : made;
          if (!own) return { ...NO_REPLY, trace: NOTHING_STORED };
          return replyOf(context, own, asked, respond);
        },
      };
    },
  };
}

function memorySize({ memory }: OpenMemory): number {
  const { vectors, index } = bytesOf(memory);
  return vectors + index;
}

/** `params` changed by an option: "paper", "paper+theta=0.45". @throws on an unknown name or an invalid value */
function paramsOf(params: MethodParams, option: string | undefined): MethodParams {
  if (option === undefined) return params;
  const [first = "", ...others] = option.split("+");
  if (first.includes("=")) return withSettings(params, [first, ...others]);
  const presets: Readonly<Record<string, MethodParams>> = PRESETS;
  assert(
    Object.hasOwn(presets, first),
    () => `there is no preset "${first}"; there are ${Object.keys(PRESETS).join(", ")}`,
  );
  return withSettings({ ...presets[first]!, answerTokens: params.answerTokens }, others);
}

/** Our own prompt is the app's. Other prompts get the recalled facts as text, each with its tag. */
async function replyOf(context: MethodContext, { open, values }: Opened, asked: Asked, respond: Respond) {
  const turns: string[] = [];
  const heard = { ...open, engine: listening(open.engine, turns) };
  const said = await respond({ open: heard, values }, asked, context.now);
  const stored = Array.from(values, ([id, value]): StoredSentence => ({ id, value }));
  const trace = { answer: said, stored };
  if (!context.own) {
    const recalled = said.recalled.filter((fact) => open.params.answers === "paper" || wasRead(fact));
    const reply = await askModel(context, recalled.map(taggedFact), asked.question);
    return { ...reply, trace };
  }
  const prompt = turns.length > 0 ? turns.join("\n\n") : null;
  // The reply of the model counts even if it is not shown; without one, the sentence that is shown.
  const raw = (said.asked ?? [])
    .map((part) => part.text || (part.best ? shownText(part, said) : ""))
    .join(" ")
    .trim();
  const promptTokens = turns.reduce((sum, turn) => sum + open.engine.chat(turn).length, 0);
  return { ...NO_REPLY, prompt, raw: prompt === null ? null : raw, answer: raw, promptTokens, trace };
}

/** `engine`, which records the turns of generate calls; its values stay live. */
function listening(engine: Engine, turns: string[]): Engine {
  const value: Engine["generate"] = (asked, ...rest) => {
    turns.push(...asked);
    return engine.generate(asked, ...rest);
  };
  return Object.create(engine, { generate: { value } }) as Engine;
}

export const ours = ourMethod(
  "Ours",
  "Facts as residual vectors: routed, recalled by the model, and used for the answer.",
  ({ open }, { question }, now) => answer(open, question, { now }),
);

export const storedOracle = ourMethod(
  "Ours, stored text",
  "Oracle: the routed facts as stored, in place of the recalled text.",
  async ({ open, values }, { question }, now) => {
    const recall: MemoryReader["recall"] = async (...call) =>
      asStored(values, await open.reader.recall(...call));
    return answer({ ...open, reader: { ...open.reader, recall } }, question, { now });
  },
);

function asStored(values: Opened["values"], recalled: readonly Reconstruction[]): Reconstruction[] {
  return recalled.map((fact) => ({
    ...fact,
    text: (values.get(fact.id) ?? fact.text).trim(),
    exact: true,
    read: { ...fact.read, gateOpen: true, openPositions: wasRead(fact) ? fact.read.openPositions : [0] },
  }));
}

export const routedOracle = ourMethod(
  "Ours, gold routed",
  "Oracle: the facts with the evidence are recalled, independent of routing.",
  async ({ open, values }, { question, evidence }, now) => {
    const [ids, texts] = [[...values.keys()], [...values.values()]];
    const gold = new Set(evidence.flatMap((needed) => holdersOf(texts, needed)));
    const route = { question, anchors: [], facts: ids.filter((_, i) => gold.has(i)) };
    const found: Found = { route, recalled: await recallFacts(open, route) };
    return answerFrom(open, question, found, { now });
  },
  { evidence: true },
);

export const extractedOracle = ourMethod(
  "Ours, gold extracted",
  "Oracle: a memory of the evidence only, as if extraction had found nothing else.",
  ({ open }, { question }, now) => answer(open, question, { now }),
  { evidence: true, alone: true },
);
