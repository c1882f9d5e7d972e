/**
 * @file The parts of the two services that look and experiment: traces, geometry and named studies on the engine's
 * side, saved runs on the library's.
 */

import type { LayerGeometry, MapRequest, Neighbour, VectorMap } from "../records/geometry.ts";
import type { Progress } from "../records/progress.ts";
import type { DocumentId, FactId, LayerIndex } from "../records/ids.ts";
import type { StudyName } from "../records/notebook.ts";
import type { MethodParams } from "../records/params.ts";
import type { CaseRecord, Run, RunHeader, StudyProgress, StudySettings } from "../records/run.ts";
import type { ExtractionTrace, LensTrace, PromptTokens, RecallTrace, TokenPair } from "../records/trace.ts";
import type { Call } from "./wire.ts";

export interface FactArgument {
  readonly memory: string;
  readonly id: FactId;
}

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

/** A call's signal ends what it computes, which whoever looks at something else need not wait for. */
export interface InspectionService {
  /** The recall of one fact by both reads, position by position; θ and β default to the memory's. */
  trace(
    argument: FactArgument & { readonly theta?: number; readonly beta?: number },
    call?: Call,
  ): Promise<RecallTrace>;
  /** A fact's recall prompt as the model reads it, and how much of its window the value takes, or `value` would. */
  prompt(argument: FactArgument & { readonly value?: string }): Promise<PromptTokens>;
  /** The logit lens over the recall of one fact, with δ and without. */
  lens(argument: FactArgument, call?: Call): Promise<LensTrace>;
  /** Stored and recalled tokens of `ids`; of all inexact facts when none are given. */
  tokenPairs(
    argument: { readonly memory: string; readonly ids?: readonly FactId[] },
    call?: Call,
  ): Promise<readonly TokenPair[]>;
  /** What the filter and the anchors make of a kept text. */
  extraction(
    argument: { readonly document: DocumentId; readonly params: MethodParams },
    call?: Call<Progress>,
  ): Promise<ExtractionTrace>;
  /** How a layer's keys lie; at most `matrix` of them in the matrix and `margins` in the margins. */
  geometry(
    argument: {
      readonly memory: string;
      readonly layer: LayerIndex;
      readonly matrix: number;
      readonly margins: number;
    },
    call?: Call,
  ): Promise<LayerGeometry>;
  /** Keys or residuals in two dimensions, a map for each memory in one projection; progress is the share that is done. */
  map(
    argument: { readonly memories: readonly string[]; readonly request: MapRequest },
    call?: Call<number>,
  ): Promise<readonly VectorMap[]>;
  nearest(
    argument: FactArgument & { readonly count: number },
  ): Promise<{ readonly byKey: readonly Neighbour[]; readonly byResidual: readonly Neighbour[] }>;
  /** Key and residual of facts as one safetensors file. */
  vectors(argument: { readonly memory: string; readonly ids: readonly FactId[] }): Promise<Uint8Array>;
  /** Runs what `have` lacks of a study; resolves to the number of cases of this call. Cases before a cancel count. */
  runStudy(argument: RunStudyArgument, call?: Call<StudyEvent>): Promise<number>;
}

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
