/** @file How fast a model encodes and writes on this machine, and what a run takes at that pace before one was measured. */

import type { Engine } from "../../engine/engine.ts";
import { encodeFacts } from "../../memory/encode.ts";
import { probeFacts } from "../../memory/probe.ts";
import { layerIndex } from "../../records/ids.ts";
import type { MethodParams } from "../../records/params.ts";

/** Seconds per token. */
export interface Pace {
  /** Per value token: a fact is prepared, and its recall checked. */
  readonly fact: number;
  /** Per value token: one step. */
  readonly step: number;
  /** Per token that the model writes. */
  readonly write: number;
}

/** What a run will do, in numbers. */
export interface RunSize {
  readonly candidates: number;
  readonly facts: number;
  /** Value tokens of a fact, on average. */
  readonly tokens: number;
  /** Value tokens that the layer probes encode. */
  readonly probed: number;
}

/** Encodes the probe's facts at a middle layer for a few steps: a second or two for the bundled model on wasm. */
export async function measurePace(engine: Engine, params: MethodParams, now: () => number): Promise<Pace> {
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const started = now();
    await work();
    return (now() - started) / 1000;
  };
  const facts = probeFacts();
  const tokens = facts.reduce((sum, { value }) => sum + engine.encode(value).length, 0);
  const layer = layerIndex(Math.floor((engine.model.layers - 1) / 2));
  const planned = facts.map((fact) => ({ fact, layer }));
  const encoded = (steps: number): Promise<number> =>
    timed(async () => {
      const settings = { ...params, steps, refine: 0, earlyStop: false };
      for await (const batch of encodeFacts(engine, planned, settings)) void batch;
    });
  const written = (maxTokens: number): Promise<number> =>
    timed(() => engine.generate(["Count from one to twenty."], { maxTokens }));
  // The first one compiles what it runs.
  await encoded(1);
  const once = await encoded(1);
  const step = Math.max(0, (await encoded(1 + STEPS)) - once) / STEPS;
  await written(1);
  const write = Math.max(0, (await written(1 + WRITTEN)) - (await written(1))) / WRITTEN;
  return { fact: Math.max(0, once - step) / tokens, step: step / tokens, write };
}

/**
 * Seconds for a run whose facts are easy and for one whose facts are hard. Where facts stop early, the sentences of a
 * made story take about {@link EASY_STEPS} steps, those of a novel half of all; a batch of questions may cost as much
 * as one question (a GPU) or as all of them.
 */
export function timeAtPace(pace: Pace, params: MethodParams, size: RunSize): [number, number] {
  const { candidates, facts, tokens, probed } = size;
  const { steps, refine, earlyStop, questionsPerFact, anchors } = params;
  const encoding = (taken: number): number => (facts * tokens + probed) * (pace.fact + pace.step * taken);
  const easy = encoding(earlyStop ? Math.min(steps, EASY_STEPS) : steps + refine);
  const hard = encoding(earlyStop ? Math.max(steps / 2, Math.min(steps, EASY_STEPS)) : steps + refine);
  if (anchors === "rules") return [easy, hard];
  const proposals = candidates * ANCHOR_TOKENS * pace.write;
  const questions = facts * questionsPerFact * QUESTION_TOKENS * pace.write;
  return [easy + proposals + questions / BATCH, hard + proposals + questions];
}

const STEPS = 2;
const WRITTEN = 8;
const EASY_STEPS = 4;
/** Of a proposed anchor and of a question, numbers and line ends included. */
const ANCHOR_TOKENS = 5;
const QUESTION_TOKENS = 10;
/** Facts whose questions are asked for at a time (flow/stages.ts). */
const BATCH = 8;
