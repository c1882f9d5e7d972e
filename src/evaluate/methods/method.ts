/**
 * @file What is compared: a method takes a text, keeps of it what it keeps, and answers questions from that. One file a
 * method, one line in registry.ts.
 */

import type { Engine } from "../../engine/engine.ts";
import type { Answer } from "../../records/answer.ts";
import type { Budgets, Helper, KeptSize } from "../../records/evaluation.ts";
import type { StoredSentence } from "../../records/judge.ts";
import type { MethodParams } from "../../records/params.ts";
import type { Compressor } from "../compression.ts";
import type { Shelf } from "../shelf.ts";

/** What is put to a method; the evidence is for oracles alone. */
export interface Asked {
  readonly question: string;
  readonly evidence: readonly string[];
}

/** What our stages made of a text and a question. */
export interface Trace {
  /** Null where the text had no fact to store, so that nothing was asked. */
  readonly answer: Answer | null;
  readonly stored: readonly StoredSentence[];
}

/** What a method answers, and from what. */
export interface Reply {
  /** The user turn; null where the model was not asked. */
  readonly prompt: string | null;
  /** As the model said it; null where it was not asked. */
  readonly raw: string | null;
  /** What counts as the answer. */
  readonly answer: string;
  readonly promptTokens: number;
  /** Why there is no answer; null where there is one. */
  readonly error: string | null;
  /** Of methods that go through our stages: what is held against the evidence. */
  readonly trace: Trace | null;
}

/** A text as a method keeps it. */
export interface Prepared {
  readonly kept: KeptSize;
  /** What making it took, also where another method of the same case had made it already. */
  readonly milliseconds: number;
  answer(asked: Asked): Promise<Reply>;
}

/** The user turn that puts passages of text and a question before the model. */
export type Turn = (passages: readonly string[], question: string) => string;

/** A cross-encoder. */
export interface Reranker {
  readonly name: string;
  /** The raw logit of each passage beside the question: the larger, the better. */
  score(question: string, passages: readonly string[]): Promise<readonly number[]>;
}

/** The engine, budgets and helpers that methods run on. */
export interface MethodContext {
  readonly engine: Engine;
  readonly budgets: Budgets;
  /** Of our method, where a method is a variant of it. */
  readonly params: MethodParams;
  readonly turn: Turn;
  /** Whether the turn is the app's own: our method is then asked as the app asks. */
  readonly own: boolean;
  /** Memories of the case's text, shared by the methods that need one. */
  readonly shelf: Shelf;
  readonly reranker: Reranker | null;
  readonly compressor: Compressor | null;
  readonly now: () => number;
  readonly signal?: AbortSignal;
}

/** What a method cannot do without; where it is not at hand the method is left out by name. */
export type Need = "embedder" | Helper;

export interface MethodOption {
  readonly about: string;
  /** @throws with what is wrong with an option, and what it may be */
  check(option: string): void;
}

export interface Method {
  readonly title: string;
  readonly about: string;
  readonly needs: readonly Need[];
  /** What may stand behind its name and a colon, "truncation:2048"; absent where nothing may. */
  readonly option?: MethodOption;
  prepare(text: string, context: MethodContext, option?: string): Promise<Prepared>;
}
