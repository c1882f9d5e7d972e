/** @file Runs: a header and records. An evaluation asks methods benchmark questions; a study sweeps a setting of one method. */

import * as v from "valibot";
import { anyNumber, dictionary, object, oneOf, text, type Infer } from "../lib/check.ts";
import { evaluationHeader, RUN_FORMAT, sampleRecord } from "./evaluation.ts";
import { methodParams } from "./params.ts";
import { STUDY_NAMES, studySettings } from "./studies.ts";

export type StudyHeader = Infer<typeof studyHeader>;
const studyHeader = object({
  kind: v.literal("study"),
  format: v.literal(RUN_FORMAT),
  /** SHA-256 (hex) of everything that decides a case. A run continues under a header of the same key only. */
  key: text(),
  id: text(),
  study: v.picklist(STUDY_NAMES),
  settings: studySettings,
  params: methodParams,
  seed: anyNumber,
  backend: text(),
  model: text(),
  app: text(),
  created: text(),
});

export type CaseRecord = Infer<typeof caseRecord>;
const caseRecord = object({
  kind: v.literal("case"),
  /** Follows from study and inputs alone, so that a continued run knows which cases it has. */
  id: text(),
  inputs: studySettings,
  measures: dictionary(v.nullable(anyNumber)),
  note: v.optional(text()),
  milliseconds: anyNumber,
});

export interface Run {
  readonly header: StudyHeader;
  readonly cases: readonly CaseRecord[];
}

export type RunHeader = Infer<typeof runHeader>;
export const runHeader = oneOf("kind", evaluationHeader, studyHeader);
export type RunRecord = Infer<typeof runRecord>;
export const runRecord = oneOf("kind", sampleRecord, caseRecord);
export const runLine = oneOf("kind", evaluationHeader, studyHeader, sampleRecord, caseRecord);

export interface RecordsProgress {
  readonly done: number;
  readonly total: number;
  readonly note: string;
  readonly left: number | null;
}
