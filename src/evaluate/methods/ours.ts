/**
 * @file Our method, as the app runs it, and its stage oracles: each puts what is right in place of what one stage gave,
 * so that the difference to the next says what the stage costs.
 */

import {
  answer,
  answerFrom,
  recallFacts,
  routeQuestion,
  type Found,
  type OpenMemory,
} from "../../flow/answer.ts";
import { valuesOf } from "../../flow/facts.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Answer, Reconstruction } from "../../records/answer.ts";
import { bytesOf } from "../../records/bytes.ts";
import { wasRead } from "../../records/headline.ts";
import type { StoredSentence } from "../../records/judge.ts";
import { PRESETS, type MethodParams } from "../../records/params.ts";
import { assert } from "../../lib/assert.ts";
import { askModel, NO_REPLY } from "../asking.ts";
import { holds } from "../evidence.ts";
import type { Asked, Method, MethodContext, Prepared, Reply } from "./method.ts";

/** How a question is answered from an open memory. */
type Respond = (open: OpenMemory, asked: Asked, now: () => number) => Promise<Answer>;

/** The text that a memory is made of, where that is not the text at hand. */
type TextOf = (asked: Asked) => string;

function ourMethod(title: string, about: string, respond: Respond, textOf?: TextOf): Method {
  return {
    title,
    about,
    needs: [],
    option: "a preset in place of the run's parameters: sharp or paper",
    async prepare(text, context, option): Promise<Prepared> {
      const params = paramsOf(context.params, option);
      // An oracle of extraction makes its memory when it knows what is asked.
      const made = textOf ? null : await context.shelf.of(text, params);
      return {
        kept: made ? { tokens: 0, bytes: memorySize(made.open) } : { tokens: 0, bytes: 0 },
        milliseconds: made?.milliseconds ?? 0,
        async answer(asked) {
          // Evidence is to be stored whatever the filter says of it.
          const kept: MethodParams = { ...params, candidateFilter: "wide" };
          const own = textOf ? await context.shelf.of(textOf(asked), kept) : made;
          return own ? replyOf(context, own.open, asked, respond) : NO_REPLY;
        },
      };
    },
  };
}

function memorySize({ memory }: OpenMemory): number {
  const { vectors, index } = bytesOf(memory);
  return vectors + index;
}

function paramsOf(params: MethodParams, option: string | undefined): MethodParams {
  if (option === undefined) return params;
  const presets: Readonly<Record<string, MethodParams>> = PRESETS;
  const preset = presets[option];
  assert(
    preset,
    () => `evaluate: ours: there is no preset "${option}"; there are ${Object.keys(PRESETS).join(", ")}`,
  );
  return { ...preset, answerTokens: params.answerTokens };
}

/** Our own prompt is the app's; in another one what was recalled stands as text. */
async function replyOf(
  context: MethodContext,
  open: OpenMemory,
  asked: Asked,
  respond: Respond,
): Promise<Reply> {
  const turns: string[] = [];
  const heard = { ...open, engine: listening(open.engine, turns) };
  const said = await respond(heard, asked, context.now);
  const trace = { answer: said, stored: storedSentences(open) };
  if (!context.own) {
    const recalled = said.recalled.filter((fact) => !open.params.withhold || wasRead(fact));
    const reply = await askModel(
      context,
      recalled.map(({ text }) => text),
      asked.question,
    );
    return { ...reply, trace };
  }
  const prompt = turns.length > 0 ? turns.join("\n\n") : null;
  const raw = (said.asked ?? [])
    .map(({ text }) => text)
    .join(" ")
    .trim();
  const promptTokens = turns.reduce((sum, turn) => sum + open.engine.chat(turn).length, 0);
  return { ...NO_REPLY, prompt, raw: prompt === null ? null : raw, answer: raw, promptTokens, trace };
}

/** `engine`, which notes what it is asked for in words; its values stay live. */
function listening(engine: Engine, turns: string[]): Engine {
  const heard: Engine = Object.create(engine, {
    generate: {
      value: (asked: readonly string[], ...rest: [Parameters<Engine["generate"]>[1], AbortSignal?]) => {
        turns.push(...asked);
        return engine.generate(asked, ...rest);
      },
    },
  }) as Engine;
  return heard;
}

const storedSentences = ({ memory }: OpenMemory): StoredSentence[] => {
  const encoded = new Set(memory.entries.map(({ id }) => id));
  return [...valuesOf(memory)].flatMap(([id, value]) => (encoded.has(id) ? [{ id, value }] : []));
};

export const ours = ourMethod(
  "Ours",
  "Facts as residual vectors, routed, said again by the model, and answered from.",
  (open, { question }, now) => answer(open, question, { now }),
);

export const storedOracle = ourMethod(
  "Ours, stored text",
  "Oracle: the routed facts as they were stored, in place of what the model says of them.",
  async (open, { question }, now) => {
    const route = await routeQuestion(open, question);
    const recalled = await recallFacts(open, route);
    return answerFrom(open, question, { route, recalled: asStored(open, recalled) }, { now });
  },
);

/** Recalled facts with the words they were stored with, their gates open. */
function asStored({ memory }: OpenMemory, recalled: readonly Reconstruction[]): Reconstruction[] {
  const values = valuesOf(memory);
  return recalled.map((fact) => ({
    ...fact,
    text: (values.get(fact.id) ?? fact.text).trim(),
    exact: true,
    read: { ...fact.read, gateOpen: true, openPositions: wasRead(fact) ? fact.read.openPositions : [0] },
  }));
}

export const routedOracle = ourMethod(
  "Ours, gold routed",
  "Oracle: the facts that hold the evidence are recalled, whatever routing finds.",
  async (open, { question, evidence }, now) => {
    const gold = storedSentences(open).filter(({ value }) => evidence.some((needed) => holds(value, needed)));
    const route = { question, anchors: [], facts: gold.map(({ id }) => id) };
    const found: Found = { route, recalled: await recallFacts(open, route) };
    return answerFrom(open, question, found, { now });
  },
);

export const extractedOracle = ourMethod(
  "Ours, gold extracted",
  "Oracle: a memory of the evidence alone, as if extraction had found just that.",
  (open, { question }, now) => answer(open, question, { now }),
  ({ evidence }) => evidence.join("\n\n"),
);
