/** @file Shapes of run headers and records, for run files and for the browser's database. */

import * as v from "valibot";
import { anyNumber, count, record, tagged, text, type Shape } from "../../lib/check.ts";
import {
  PROMPT_FORMS,
  RUN_FORMAT,
  VARIANTS,
  type Budgets,
  type EvaluationHeader,
  type KeptSize,
  type SampleRecord,
  type Stages,
} from "../../records/evaluation.ts";
import type { CaseRecord, RunHeader, RunRecord, StudyHeader } from "../../records/run.ts";
import { identity, params, studyName, studySettings } from "../../records/shapes.ts";

const texts: Shape<readonly string[]> = v.array(v.string());
const named: Shape<Readonly<Record<string, string>>> = v.record(v.string(), v.string());
const variant = v.picklist(VARIANTS);

const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const time: Shape<string> = v.pipe(v.string(), v.regex(ISO_TIME, "a time such as 2026-01-01T00:00:00Z"));

const budgets = record<Budgets>({
  scale: anyNumber,
  context: count(),
  sinks: count(),
  chunk: count(),
  retrieved: count(),
  placed: count(),
  answer: count(),
});

export const evaluationHeader = record<EvaluationHeader>({
  kind: v.literal("evaluation"),
  format: v.literal(RUN_FORMAT),
  key: text(),
  benchmark: text(),
  tasks: texts,
  lengths: texts,
  samples: count(),
  settings: studySettings,
  methods: texts,
  leftOut: named,
  variants: v.array(variant),
  prompt: v.picklist(PROMPT_FORMS),
  model: identity,
  precision: text(),
  backend: text(),
  embedder: text(),
  embedderIdentity: v.nullable(text()),
  reranker: v.nullable(text()),
  compressor: v.nullable(text()),
  adapter: v.nullable(text()),
  params,
  budgets,
  data: named,
  scorers: named,
  primary: text(),
  seed: count(),
  shard: text(),
  app: text(),
  created: time,
});

const stages = record<Stages>({
  stored: v.boolean(),
  routed: v.boolean(),
  recalled: v.boolean(),
  failed: v.nullable(v.picklist(["extraction", "routing", "reconstruction", "answer"])),
});

const sampleRecord = record<SampleRecord>({
  kind: v.literal("sample"),
  id: text(),
  benchmark: text(),
  task: text(),
  length: text(),
  depth: v.nullable(anyNumber),
  index: count(),
  method: text(),
  variant,
  question: text(),
  gold: texts,
  evidence: texts,
  labels: v.nullable(texts),
  textHash: text(),
  cluster: text(),
  characters: count(),
  promptHash: v.nullable(text()),
  prompt: v.nullable(text()),
  raw: v.nullable(text()),
  answer: text(),
  scores: v.record(v.string(), v.nullable(anyNumber)),
  stages: v.nullable(stages),
  kept: record<KeptSize>({ tokens: count(), bytes: count() }),
  promptTokens: count(),
  milliseconds: record<SampleRecord["milliseconds"]>({ prepare: anyNumber, answer: anyNumber }),
  error: v.nullable(text()),
});

const studyHeader = record<StudyHeader>({
  kind: v.literal("study"),
  format: v.literal(RUN_FORMAT),
  key: text(),
  id: text(),
  study: studyName,
  settings: studySettings,
  params,
  seed: anyNumber,
  backend: text(),
  model: text(),
  app: text(),
  created: text(),
});

const caseRecord = record<CaseRecord>({
  kind: v.literal("case"),
  id: text(),
  inputs: studySettings,
  measures: v.record(v.string(), v.nullable(anyNumber)),
  note: v.optional(v.string()),
  milliseconds: anyNumber,
});

export const runHeader = tagged<RunHeader, "kind">("kind", {
  evaluation: evaluationHeader,
  study: studyHeader,
});
export const runRecord = tagged<RunRecord, "kind">("kind", { sample: sampleRecord, case: caseRecord });

/** A line of a run file. */
export const runLine = tagged<RunHeader | RunRecord, "kind">("kind", {
  evaluation: evaluationHeader,
  study: studyHeader,
  sample: sampleRecord,
  case: caseRecord,
});
