/** @file An experiment: its header (what ran, on what, with which seed) and one record per case. */

import type { StudyName } from "./notebook.ts";
import type { MethodParams } from "./params.ts";

export const RUN_FORMAT = "palimpsest-run 1";

export type Setting = number | string | boolean;
export type StudySettings = Readonly<Record<string, Setting>>;

/** Known before the first case; a run with an equal header can be resumed. */
export interface RunHeader {
  readonly format: typeof RUN_FORMAT;
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

/** One case; `id` follows from study and inputs alone, so a resumed run knows what it has. */
export interface CaseRecord {
  readonly id: string;
  readonly inputs: StudySettings;
  /** Measured numbers by name; null where there is nothing to measure. */
  readonly measures: Readonly<Record<string, number | null>>;
  /** Words worth keeping: what was said instead, say. */
  readonly note?: string;
  readonly milliseconds: number;
}

export interface Run {
  readonly header: RunHeader;
  readonly cases: readonly CaseRecord[];
}

/** Where a study stands; cases that a resumed run has already count as done. */
export interface StudyProgress {
  readonly done: number;
  readonly total: number;
  /** What is done now. */
  readonly note: string;
  /** Milliseconds to the end, roughly; null before anything was done. */
  readonly left: number | null;
}
