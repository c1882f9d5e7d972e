/** @file Methods: each prepares a text once and keeps some form of it to answer questions. A new one needs a line in registry.ts. */

import type { CrossEncoder, Engine } from "../../engine/engine.ts";
import type { Answer } from "../../records/answer.ts";
import type { Budgets, Helper, KeptSize } from "../../records/evaluation.ts";
import type { StoredSentence } from "../../records/judge.ts";
import type { MethodParams } from "../../records/params.ts";
import type { Compressor } from "../compression.ts";
import type { Grown, Shelf } from "../shelf.ts";

/** A question for a method; only oracles use the evidence. */
export interface Asked {
  readonly question: string;
  readonly evidence: readonly string[];
}

/** The results of our stages for a text and a question. */
export interface Trace {
  /** Null if the text has no fact to store, so that nothing was asked. */
  readonly answer: Answer | null;
  readonly stored: readonly StoredSentence[];
}

export interface Reply {
  /** The user turn; null if the model was not asked. */
  readonly prompt: string | null;
  /** The output of the model; null if it was not asked. */
  readonly raw: string | null;
  /** The text that is scored. */
  readonly answer: string;
  readonly promptTokens: number;
  /** Why there is no answer; null if there is one. */
  readonly error: string | null;
  /** For methods that use our stages; compared with the evidence. */
  readonly trace: Trace | null;
}

export interface Prepared {
  readonly kept: KeptSize;
  /** Time of the preparation, also if another method of the case shared it. */
  readonly milliseconds: number;
  answer(asked: Asked): Promise<Reply>;
}

export type Turn = (passages: readonly string[], question: string) => string;

export interface MethodContext {
  readonly engine: Engine;
  readonly budgets: Budgets;
  readonly params: MethodParams;
  readonly turn: Turn;
  /** Whether the turn is the app's own prompt, as our method uses it in the app. */
  readonly own: boolean;
  /** Memories of the case's text, shared by the methods that need one. */
  readonly shelf: Shelf;
  readonly grown?: Grown;
  readonly reranker: Omit<CrossEncoder, "dispose"> | null;
  readonly compressor: Compressor | null;
  readonly now: () => number;
  readonly signal?: AbortSignal;
}

/** A model that a method needs; without it the method is left out. */
export type Need = "embedder" | Helper;

interface MethodOption {
  readonly about: string;
  /** @throws on an invalid option */
  check(option: string): void;
}

export interface Method {
  readonly title: string;
  readonly about: string;
  readonly needs: readonly Need[];
  /** The option after its name, as in "truncation:2048"; absent if there is none. */
  readonly option?: MethodOption;
  prepare(text: string, context: MethodContext, option?: string): Promise<Prepared>;
}
