/** @file Evaluations: cases of a benchmark, the samples of methods on them, and the header of their run. */

import * as v from "valibot";
import {
  anyNumber,
  count,
  dictionary,
  list,
  listUpTo,
  number,
  object,
  text,
  type Infer,
} from "../lib/check.ts";
import { FAILED_STAGES } from "./judge.ts";
import { modelIdentity } from "./memory.ts";
import { methodParams } from "./params.ts";
import { studySettings } from "./studies.ts";

export const RUN_FORMAT = "palimpsest-run 1";

export interface Case {
  readonly text: string;
  readonly question: string;
  readonly gold: readonly string[];
  readonly evidence: readonly string[];
}

export type CasePlace = Pick<SampleRecord, keyof typeof place>;
const place = {
  benchmark: text(),
  task: text(),
  length: text(),
  depth: v.nullable(anyNumber),
  index: count(),
};

/** Models that some methods need in addition to the language model. Each affects only the samples of those methods. */
export const HELPERS = ["reranker", "compressor"] as const;
export type Helper = (typeof HELPERS)[number];

/** How the text is changed: not at all, without its evidence, or with another answer in the evidence (then the gold answer). */
export type Variant = "whole" | "without" | "altered";
export const VARIANTS: readonly Variant[] = ["whole", "without", "altered"];

export type PromptForm = "ours" | "benchmark";
export const PROMPT_FORMS: readonly PromptForm[] = ["ours", "benchmark"];

const names = listUpTo(text(), 5000);
export const selection = {
  tasks: names,
  lengths: names,
  methods: names,
  variants: list(v.picklist(VARIANTS)),
};
export const choiceFields = {
  benchmark: text(),
  ...selection,
  samples: number(),
  prompt: v.picklist(PROMPT_FORMS),
  seed: number(),
};
export type EvaluationChoice = Infer<ReturnType<typeof object<typeof choiceFields>>>;

export type Budgets = Infer<typeof budgets>;
const budgets = object({
  scale: anyNumber,
  context: count(),
  sinks: count(),
  chunk: count(),
  retrieved: count(),
  placed: count(),
  answer: count(),
});

export type Stages = Infer<typeof stages>;
const stages = object({
  stored: v.boolean(),
  routed: v.boolean(),
  recalled: v.boolean(),
  failed: v.nullable(v.picklist(FAILED_STAGES)),
});

const texts = list(text());
const variant = v.picklist(VARIANTS);

export type KeptSize = Infer<typeof keptSize>;
const keptSize = object({
  tokens: count(),
  bytes: count(),
});

export type Scores = SampleRecord["scores"];

export type SampleRecord = Infer<typeof sampleRecord>;
export const sampleRecord = object({
  kind: v.literal("sample"),
  /** Follows from the run's key, the place, the variant and the method; identifies the sample when runs are merged. */
  id: text(),
  ...place,
  method: text(),
  variant,
  question: text(),
  gold: texts,
  evidence: texts,
  labels: v.nullable(texts),
  textHash: text(),
  /** The source of the text: samples of one cluster are not independent. */
  cluster: text(),
  characters: count(),
  /** SHA-256 of the prompt (hex), and the prompt; null if nothing was asked. Recorded runs keep long prompts as hashes only. */
  promptHash: v.nullable(text()),
  prompt: v.nullable(text()),
  raw: v.nullable(text()),
  answer: text(),
  scores: dictionary(v.nullable(anyNumber)),
  stages: v.nullable(stages),
  /** The place, from 1, of the first shown sentence that is evidence; and whether a short answer is given. Absent for other methods. */
  shown: v.optional(object({ place: v.nullable(count()), short: v.boolean() })),
  kept: keptSize,
  promptTokens: count(),
  milliseconds: object({ prepare: anyNumber, answer: anyNumber }),
  error: v.nullable(text()),
});

const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

export type EvaluationHeader = Infer<typeof evaluationHeader>;
export const evaluationHeader = object({
  kind: v.literal("evaluation"),
  format: v.literal(RUN_FORMAT),
  /** SHA-256 (hex) of everything that decides a sample, except place, variant, method and data. Runs of equal keys merge. */
  key: text(),
  benchmark: text(),
  tasks: texts,
  lengths: texts,
  samples: count(),
  settings: studySettings,
  methods: texts,
  leftOut: dictionary(text()),
  variants: list(variant),
  prompt: v.picklist(PROMPT_FORMS),
  model: modelIdentity,
  precision: text(),
  backend: text(),
  embedder: text(),
  /** SHA-256 (hex) of the embedder's files; null if its name identifies it, or if they are unknown. */
  embedderIdentity: v.nullable(text()),
  reranker: v.nullable(text()),
  compressor: v.nullable(text()),
  adapter: v.nullable(text()),
  params: methodParams,
  budgets,
  data: dictionary(text()),
  scorers: dictionary(text()),
  primary: text(),
  seed: count(),
  shard: text(),
  app: text(),
  created: v.pipe(v.string(), v.regex(ISO_TIME, "a time such as 2026-01-01T00:00:00Z")),
});

export interface Evaluation {
  readonly header: EvaluationHeader;
  readonly samples: readonly SampleRecord[];
}
