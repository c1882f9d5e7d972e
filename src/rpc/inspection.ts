/** @file Studies over the two services: the engine runs their cases, the library stores their runs. */

import type { DocumentId } from "../records/ids.ts";
import type { StudyName } from "../records/notebook.ts";
import type { MethodParams } from "../records/params.ts";
import type { CaseRecord, Run, RunHeader, StudyProgress, StudySettings } from "../records/run.ts";

export interface RunStudyArgument {
  readonly study: StudyName;
  readonly settings: StudySettings;
  /** Parameters where the study does not set them. */
  readonly params: MethodParams;
  readonly seed: number;
  /** Version of the app, for the header. */
  readonly app: string;
  /** Its facts are kind "memory"; null for studies over made facts. */
  readonly memory: string | null;
  /** The text for studies that hide facts in one. */
  readonly document: DocumentId | null;
  /** Ids of cases that an earlier part of the run has. */
  readonly have: readonly string[];
}

/** The header comes first, then cases as they are done, with progress between them. */
export type StudyEvent =
  | { readonly kind: "header"; readonly header: RunHeader; readonly planned: readonly string[] }
  | { readonly kind: "case"; readonly record: CaseRecord }
  | { readonly kind: "progress"; readonly progress: StudyProgress };

/** A run as a list shows it. */
export interface ListedStudyRun {
  readonly header: RunHeader;
  readonly cases: number;
}

/** Runs of studies as they are saved; a notebook's runs go with it. */
export interface RunsService {
  /** Saves a run before its first case. Rejects when there is one of that id. */
  createRun(argument: { readonly notebook: string; readonly header: RunHeader }): Promise<void>;
  /** Adds a case, or replaces the one of that id. */
  saveCase(argument: { readonly run: string; readonly record: CaseRecord }): Promise<void>;
  /** The run with its cases in the order of their ids; null when there is none. */
  loadRun(argument: { readonly id: string }): Promise<Run | null>;
  /** Newest first. */
  runs(argument: { readonly notebook: string }): Promise<readonly ListedStudyRun[]>;
  removeRun(argument: { readonly id: string }): Promise<void>;
}
