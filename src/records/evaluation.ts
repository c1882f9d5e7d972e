/** @file Evaluations: cases of a benchmark, the samples of methods on them, and the header of their run. */

import type { FailedStage } from "./judge.ts";
import type { ModelIdentity } from "./memory.ts";
import type { MethodParams } from "./params.ts";

/** Of run files and of kept runs, of evaluations and studies alike. */
export const RUN_FORMAT = "palimpsest-run 1";

/** One question over one text, with what is to be found. */
export interface Case {
  readonly text: string;
  readonly question: string;
  /** Any of these is right. */
  readonly gold: readonly string[];
  /** The sentences of the text that an answer needs, as they stand there, in order; none where that is not known. */
  readonly evidence: readonly string[];
}

/** Where a case stands in its benchmark: known before its text is made. */
export interface CasePlace {
  readonly benchmark: string;
  readonly task: string;
  /** As it is named: "16k"; "" where the benchmark has no lengths. */
  readonly length: string;
  /** Where the evidence stands, 0 to 1 of the text; null where that is not set. */
  readonly depth: number | null;
  /** Which of the task's samples. */
  readonly index: number;
}

/** Models that some methods need beside the one that answers; each decides the samples of its own methods alone. */
export const HELPERS = ["reranker", "compressor"] as const;
export type Helper = (typeof HELPERS)[number];

/**
 * How the text was treated before it was given to a method: as it is, with its evidence taken out (what is still right
 * was guessed or known before), or with the answer in it replaced by another (gold is the other then).
 */
export type Variant = "whole" | "without" | "altered";
export const VARIANTS: readonly Variant[] = ["whole", "without", "altered"];

/** The prompt that a model is asked in: the app's own, which the bundled model knows, or the benchmark's. */
export type PromptForm = "ours" | "benchmark";
export const PROMPT_FORMS: readonly PromptForm[] = ["ours", "benchmark"];

/** What a person, a command or a cell asks for: methods on a benchmark, by their names, how many samples, how asked. */
export interface EvaluationChoice {
  readonly benchmark: string;
  readonly tasks: readonly string[];
  readonly lengths: readonly string[];
  readonly methods: readonly string[];
  /** Of each task and length. */
  readonly samples: number;
  readonly variants: readonly Variant[];
  readonly prompt: PromptForm;
  readonly seed: number;
}

/** Tokens that methods may give the model, for a window of that many; smaller where the model's is. */
export interface Budgets {
  /** What the budgets below were multiplied with: 1 where the window holds all. */
  readonly scale: number;
  /** Truncation, sinks and compression. */
  readonly context: number;
  /** Of which the first are sinks. */
  readonly sinks: number;
  readonly chunk: number;
  readonly retrieved: number;
  readonly placed: number;
  /** Tokens of an answer. */
  readonly answer: number;
}

/** What a method keeps of a text. */
export interface KeptSize {
  /** Text tokens that a later prompt can draw on; 0 where no text is kept. */
  readonly tokens: number;
  readonly bytes: number;
}

/** Where the needed sentences were last seen; null for a method without stages. */
export interface Stages {
  readonly stored: boolean;
  readonly routed: boolean;
  readonly recalled: boolean;
  /** Null where the answer is right. */
  readonly failed: FailedStage;
}

/** A scorer's name to its score, 0 to 1; null where it does not apply. */
export type Scores = Readonly<Record<string, number | null>>;

/** One sample of one method. */
export interface SampleRecord extends CasePlace {
  readonly kind: "sample";
  /** Follows from the run's key, the place, the variant and the method: what a resumed or merged run goes by. */
  readonly id: string;
  readonly method: string;
  readonly variant: Variant;
  readonly question: string;
  readonly gold: readonly string[];
  readonly evidence: readonly string[];
  /** Every answer that the task knows; null where answers are open. */
  readonly labels: readonly string[] | null;
  /** SHA-256 of the text (hex). */
  readonly textHash: string;
  /** What the text was made from: samples of one cluster are no independent ones. */
  readonly cluster: string;
  /** Characters of the text. */
  readonly characters: number;
  /** SHA-256 of the prompt (hex), and the prompt; null where nothing was asked. A recorded run has long ones by their hash alone. */
  readonly promptHash: string | null;
  readonly prompt: string | null;
  /** As the model said it; null where it was not asked. */
  readonly raw: string | null;
  /** What the scorers were given. */
  readonly answer: string;
  readonly scores: Scores;
  readonly stages: Stages | null;
  readonly kept: KeptSize;
  /** Of the prompt, through the chat template. */
  readonly promptTokens: number;
  readonly milliseconds: { readonly prepare: number; readonly answer: number };
  /** Why there is no answer: "does not fit the window", say; null where there is one. */
  readonly error: string | null;
}

/** Known before the first sample. */
export interface EvaluationHeader {
  readonly kind: "evaluation";
  readonly format: typeof RUN_FORMAT;
  /**
   * SHA-256 over all that decides a sample beside place, variant and method and the files that come with a task: records
   * of equal keys may be merged, and a run may later be given more methods, tasks, lengths and samples.
   */
  readonly key: string;
  readonly benchmark: string;
  readonly tasks: readonly string[];
  readonly lengths: readonly string[];
  readonly samples: number;
  /** What else the benchmark was told. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  readonly methods: readonly string[];
  /** Methods that were asked for and could not run, with what each lacks. */
  readonly leftOut: Readonly<Record<string, string>>;
  readonly variants: readonly Variant[];
  readonly prompt: PromptForm;
  readonly model: ModelIdentity;
  readonly precision: string;
  readonly backend: string;
  readonly embedder: string;
  /** SHA-256 of what the embedder's vectors follow from (hex); null where its name says it all, or nobody knows more. */
  readonly embedderIdentity: string | null;
  /** The cross-encoder that methods with one use; null where none was named. It decides their samples alone. */
  readonly reranker: string | null;
  /** The token classifier that compression uses; null where none was named. It decides its samples alone. */
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
  /** Version or commit of the app, of all that made a part of the run. */
  readonly app: string;
  readonly created: string;
}

/** A run file, read. */
export interface Evaluation {
  readonly header: EvaluationHeader;
  readonly samples: readonly SampleRecord[];
}
