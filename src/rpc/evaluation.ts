/** @file Runs over the two services: the engine plans and makes their records, the library keeps them. */

import type { StudyName, StudySettings } from "../records/studies.ts";
import type { Evaluation, EvaluationChoice, Helper } from "../records/evaluation.ts";
import type { DocumentId } from "../records/ids.ts";
import type { LoadProgress } from "../records/model.ts";
import type { MethodParams } from "../records/params.ts";
import type { Run, RunHeader, RecordsProgress, RunRecord } from "../records/run.ts";
import type { ChooseEmbedder } from "../service/types.ts";
import type { Call } from "./wire.ts";

/** A file of cases from outside; packed if its name ends in .gz. */
export interface BroughtFile {
  readonly name: string;
  readonly file: Blob;
}

export interface EvaluationArgument extends EvaluationChoice {
  readonly notebook: string;
  readonly params: MethodParams;
  readonly files: readonly BroughtFile[];
  readonly app: string;
}

export interface StudyArgument {
  readonly study: StudyName;
  readonly settings: StudySettings;
  readonly params: MethodParams;
  readonly seed: number;
  readonly app: string;
  /** The memory whose facts are kind "memory"; null for studies over made facts. */
  readonly memory: string | null;
  /** The text for studies that need one. */
  readonly document: DocumentId | null;
}

export type RunArgument = EvaluationArgument | StudyArgument;

export interface RunPlan {
  /** For an evaluation it follows from all that decides a sample, so that more tasks and methods join it. A study has a new one. */
  readonly run: string;
  readonly header: RunHeader;
  readonly ids: readonly string[];
}

export type RunEvent =
  | { readonly kind: "record"; readonly record: RunRecord }
  | { readonly kind: "progress"; readonly progress: RecordsProgress };

/** The model for methods that need one; null: none, and these methods are left out. */
export interface ChooseHelper extends ChooseEmbedder {
  readonly helper: Helper;
}

export interface RunService {
  /** Downloads, opens and tries a helper; resolves to its name. If it rejects, the former helper stays. */
  chooseHelper(argument: ChooseHelper, call?: Call<LoadProgress>): Promise<string | null>;
  /** Opens the benchmark and its methods, or the study, on the open model; asks the model nothing. */
  planRun(argument: RunArgument, call?: Call): Promise<RunPlan>;
  /** Makes the records that `have` lacks; resolves to their number. Records before a cancel stay valid. */
  makeRecords(
    argument: RunArgument & { readonly have: readonly string[] },
    call?: Call<RunEvent>,
  ): Promise<number>;
}

export interface ListedRun {
  readonly id: string;
  readonly header: RunHeader;
  readonly records: number;
}

/** The library's part. A notebook's runs are removed with it. */
export interface RunsService {
  /** Keeps a run before its first record; merges it into one of that id. Rejects if the two differ in what decides a record. */
  keepRun(argument: {
    readonly notebook: string;
    readonly id: string;
    readonly header: RunHeader;
  }): Promise<void>;
  keepRecords(argument: { readonly id: string; readonly records: readonly RunRecord[] }): Promise<void>;
  /** A study with its cases in the order of their ids; null if there is none of that id. */
  loadRun(argument: { readonly id: string }): Promise<Run | null>;
  /** An evaluation with its samples in running order; null if there is none of that id. */
  loadEvaluation(argument: { readonly id: string }): Promise<Evaluation | null>;
  /** Ids of the kept records that need not be made again. */
  keptRecords(argument: { readonly id: string }): Promise<readonly string[]>;
  runs(argument: { readonly notebook: string }): Promise<readonly ListedRun[]>;
  removeRun(argument: { readonly id: string }): Promise<void>;
}
