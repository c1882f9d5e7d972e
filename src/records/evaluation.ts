/** @file Evaluations: cases of a benchmark, the samples of methods on them, and the header of their run. */

import type { FailedStage } from "./judge.ts";
import type { ModelIdentity } from "./memory.ts";
import type { MethodParams } from "./params.ts";

/** Of run files and of kept runs, of evaluations and studies alike. */
export const RUN_FORMAT = "palimpsest-run 1";

/** One question over one text, with the expected answer. */
export interface Case {
  readonly text: string;
  readonly question: string;
  /** Any of these is right. */
  readonly gold: readonly string[];
  /** The sentences of the text that the answer needs, in order; empty if unknown. */
  readonly evidence: readonly string[];
}

/** The place of a case in its benchmark, known before its text is made. */
export interface CasePlace {
  readonly benchmark: string;
  readonly task: string;
  /** A name such as "16k"; "" if the benchmark has no lengths. */
  readonly length: string;
  /** The place of the evidence, 0 to 1 of the text; null if it is not set. */
  readonly depth: number | null;
  /** Index among the task's samples. */
  readonly index: number;
}

/** Models that some methods need in addition to the language model. Each affects only the samples of those methods. */
export const HELPERS = ["reranker", "compressor"] as const;
export type Helper = (typeof HELPERS)[number];

/**
 * How the text is changed for a sample: not at all; without its evidence (right answers are then guessed or known before);
 * or with another answer in the evidence, which is then the gold answer.
 */
export type Variant = "whole" | "without" | "altered";
export const VARIANTS: readonly Variant[] = ["whole", "without", "altered"];

/** The prompt form: the app's own, which the bundled model was trained on, or the benchmark's. */
export type PromptForm = "ours" | "benchmark";
export const PROMPT_FORMS: readonly PromptForm[] = ["ours", "benchmark"];

/** The selection of a run: names of methods and a benchmark, number of samples, variants and prompt. */
export interface EvaluationChoice {
  readonly benchmark: string;
  readonly tasks: readonly string[];
  readonly lengths: readonly string[];
  readonly methods: readonly string[];
  /** Samples of each task and length. */
  readonly samples: number;
  readonly variants: readonly Variant[];
  readonly prompt: PromptForm;
  readonly seed: number;
}

/** Tokens that methods may give the model; smaller than the paper's for a smaller window. */
export interface Budgets {
  /** The factor of the budgets below; 1 if the window holds the paper's. */
  readonly scale: number;
  /** Truncation, sinks and compression. */
  readonly context: number;
  /** The first tokens of these, as sinks. */
  readonly sinks: number;
  readonly chunk: number;
  readonly retrieved: number;
  readonly placed: number;
  /** Tokens of an answer. */
  readonly answer: number;
}

/** The stored size of a text. */
export interface KeptSize {
  /** Text tokens that a later prompt can use; 0 if no text is kept. */
  readonly tokens: number;
  readonly bytes: number;
}

/** The stages that had the needed sentences. */
export interface Stages {
  readonly stored: boolean;
  readonly routed: boolean;
  readonly recalled: boolean;
  /** Null if the answer is right. */
  readonly failed: FailedStage;
}

/** Scores from 0 to 1 by scorer; null if a scorer does not apply. */
export type Scores = Readonly<Record<string, number | null>>;

/** One sample of one method. */
export interface SampleRecord extends CasePlace {
  readonly kind: "sample";
  /** Follows from the run's key, the place, the variant and the method; identifies the sample when runs are merged. */
  readonly id: string;
  readonly method: string;
  readonly variant: Variant;
  readonly question: string;
  readonly gold: readonly string[];
  readonly evidence: readonly string[];
  /** All possible answers of the task; null if answers are open. */
  readonly labels: readonly string[] | null;
  /** SHA-256 of the text (hex). */
  readonly textHash: string;
  /** The source of the text: samples of one cluster are not independent. */
  readonly cluster: string;
  /** Characters of the text. */
  readonly characters: number;
  /** SHA-256 of the prompt (hex), and the prompt; null if nothing was asked. Recorded runs keep long prompts as hashes only. */
  readonly promptHash: string | null;
  readonly prompt: string | null;
  /** The output of the model; null if it was not asked. */
  readonly raw: string | null;
  /** The text that is scored. */
  readonly answer: string;
  readonly scores: Scores;
  readonly stages: Stages | null;
  readonly kept: KeptSize;
  /** Of the prompt, through the chat template. */
  readonly promptTokens: number;
  readonly milliseconds: { readonly prepare: number; readonly answer: number };
  /** Why there is no answer, e.g. "does not fit the window"; null if there is one. */
  readonly error: string | null;
}

/** Known before the first sample. */
export interface EvaluationHeader {
  readonly kind: "evaluation";
  readonly format: typeof RUN_FORMAT;
  /**
   * SHA-256 (hex) of everything that decides a sample, except place, variant, method and the files of its task. Runs of
   * equal keys can be merged, and extended with methods, tasks, lengths and samples.
   */
  readonly key: string;
  readonly benchmark: string;
  readonly tasks: readonly string[];
  readonly lengths: readonly string[];
  readonly samples: number;
  /** Further settings of the benchmark. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  readonly methods: readonly string[];
  /** Methods that could not run, each with its missing model. */
  readonly leftOut: Readonly<Record<string, string>>;
  readonly variants: readonly Variant[];
  readonly prompt: PromptForm;
  readonly model: ModelIdentity;
  readonly precision: string;
  readonly backend: string;
  readonly embedder: string;
  /** SHA-256 (hex) of the embedder's files; null if its name identifies it, or if they are unknown. */
  readonly embedderIdentity: string | null;
  /** The cross-encoder of the methods that use one; null without one. */
  readonly reranker: string | null;
  /** The token classifier of compression; null without one. */
  readonly compressor: string | null;
  /** A low-rank adapter over the model; null for none. */
  readonly adapter: string | null;
  readonly params: MethodParams;
  readonly budgets: Budgets;
  /** SHA-256 of every file the cases were made from. */
  readonly data: Readonly<Record<string, string>>;
  /** Scorers by name, each with the repository and commit it follows. */
  readonly scorers: Readonly<Record<string, string>>;
  /** The scorer that tables show first. */
  readonly primary: string;
  readonly seed: number;
  readonly shard: string;
  /** Versions or commits of the app that made the run, separated by commas. */
  readonly app: string;
  readonly created: string;
}

/** A run file, read. */
export interface Evaluation {
  readonly header: EvaluationHeader;
  readonly samples: readonly SampleRecord[];
}
