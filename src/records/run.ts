/**
 * @file Runs: a header, then one record per sample or case. An evaluation asks methods the questions of a benchmark
 * (evaluation.ts); a study measures one method while one of its settings is swept.
 */

import type { EvaluationHeader, RUN_FORMAT, SampleRecord } from "./evaluation.ts";
import type { StudyName } from "./notebook.ts";
import type { MethodParams } from "./params.ts";

export type Setting = number | string | boolean;
export type StudySettings = Readonly<Record<string, Setting>>;

/** What is known of a study before its first case. */
export interface StudyHeader {
  readonly kind: "study";
  readonly format: typeof RUN_FORMAT;
  /** SHA-256 (hex) of everything that decides a case. A run continues under a header of the same key only. */
  readonly key: string;
  readonly id: string;
  readonly study: StudyName;
  readonly settings: StudySettings;
  /** The parameters that presets are applied to. */
  readonly params: MethodParams;
  readonly seed: number;
  readonly backend: string;
  /** Name and first 8 hex digits of the model's identity, e.g. "palimpsest-6m@0a1b2c3d". */
  readonly model: string;
  /** Version or commit of the app. */
  readonly app: string;
  readonly created: string;
}

/** One case of a study. */
export interface CaseRecord {
  readonly kind: "case";
  /** Follows from study and inputs alone, so that a continued run knows which cases it has. */
  readonly id: string;
  readonly inputs: StudySettings;
  /** Measured numbers by name; null if there is nothing to measure. */
  readonly measures: Readonly<Record<string, number | null>>;
  /** Words worth keeping, e.g. the text that was recalled instead. */
  readonly note?: string;
  readonly milliseconds: number;
}

/** A study with its cases. */
export interface Run {
  readonly header: StudyHeader;
  readonly cases: readonly CaseRecord[];
}

export type RunHeader = StudyHeader | EvaluationHeader;
export type RunRecord = CaseRecord | SampleRecord;

/** Progress of a run; records that a continued run already has count as done. */
export interface RecordsProgress {
  readonly done: number;
  readonly total: number;
  /** The current step. */
  readonly note: string;
  /** Estimated milliseconds to the end; null before the first measurement. */
  readonly left: number | null;
}
