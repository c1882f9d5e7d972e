/** @file How fast a model reads and writes on this machine, and what a run takes at that pace before one was measured. */

import type { Engine } from "../engine/engine.ts";
import type { MethodParams } from "../records/params.ts";

/** Seconds per token. */
export interface Pace {
  readonly read: number;
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

/** Reads a long turn, then reads it again and writes: a tenth of a second for the bundled model on wasm. */
export async function measurePace(engine: Engine, now: () => number): Promise<Pace> {
  const turn = "Nobody in the harbour had seen the lamp since the storm of that winter. ".repeat(3);
  const timed = async (maxTokens: number): Promise<number> => {
    const started = now();
    await engine.generate([turn], { maxTokens });
    return (now() - started) / 1000;
  };
  await timed(1); // compiles for this length, where that is needed
  const reading = await timed(1);
  const both = await timed(1 + WRITTEN);
  return { read: reading / engine.chat(turn).length, write: Math.max(0, both - reading) / WRITTEN };
}

/** Seconds at least and at most: how many steps a fact takes, and what a batch saves, is not known before. */
export function timeAtPace({ read, write }: Pace, params: MethodParams, size: RunSize): [number, number] {
  const { candidates, facts, tokens, probed } = size;
  const { steps, refine, earlyStop, questionsPerFact, anchors } = params;
  const step = STEP_READS * read * (1 + PROMPT_TOKENS / Math.max(1, tokens));
  const encoded = facts * tokens + probed;
  const most = encoded * step * (steps + refine);
  const least = earlyStop ? encoded * step * Math.min(steps, FEW_STEPS) : most;
  const routing = facts * tokens * (1 + questionsPerFact) * read;
  if (anchors === "rules") return [least + routing, most + routing];
  const proposals = candidates * (tokens * read + ANCHOR_TOKENS * write);
  const questions = facts * questionsPerFact * QUESTION_TOKENS * write;
  return [least + routing + proposals + questions / BATCH, most + routing + proposals + questions];
}

const WRITTEN = 8;
/** A step is a forward and a backward pass. */
const STEP_READS = 3;
/** Of a recall prompt. */
const PROMPT_TOKENS = 12;
/** Steps of a fact that is easy to store. */
const FEW_STEPS = 3;
/** Of a proposed anchor and of a question, numbers and line ends included. */
const ANCHOR_TOKENS = 5;
const QUESTION_TOKENS = 10;
/** Questions are asked about so many facts at a time, which costs a GPU as much as one. */
const BATCH = 8;
