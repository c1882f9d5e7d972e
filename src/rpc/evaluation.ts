/**
 * @file Evaluations over the two services: the engine's plans and runs them sample by sample, the library's keeps them.
 */

import type {
  Evaluation,
  EvaluationChoice,
  EvaluationHeader,
  Helper,
  SampleRecord,
} from "../records/evaluation.ts";
import type { LoadProgress } from "../records/model.ts";
import type { MethodParams } from "../records/params.ts";
import type { StudyProgress } from "../records/run.ts";
import type { ChooseEmbedder } from "../service/types.ts";
import type { Call } from "./wire.ts";

/** A file of cases that a person brought; packed where its name ends in .gz. */
export interface BroughtFile {
  readonly name: string;
  readonly file: Blob;
}

export interface EvaluationArgument extends EvaluationChoice {
  readonly notebook: string;
  readonly params: MethodParams;
  readonly files: readonly BroughtFile[];
  /** Version of the app, for the header. */
  readonly app: string;
}

/** What is going to be run, and where it is kept. */
export interface EvaluationPlan {
  /**
   * The run that its samples belong to. It follows from the notebook, the app, what decides a sample and the files that
   * were brought: more tasks, lengths, methods and samples go into the same one.
   */
  readonly run: string;
  readonly header: EvaluationHeader;
  /** Ids of all samples that were asked for. */
  readonly samples: readonly string[];
}

export type EvaluationEvent =
  | { readonly kind: "sample"; readonly record: SampleRecord }
  | { readonly kind: "progress"; readonly progress: StudyProgress };

/** The model that methods with a need are given from now on; null: none, and they are left out. */
export interface ChooseHelper extends ChooseEmbedder {
  readonly helper: Helper;
}

export interface EvaluationService {
  /**
   * Downloads, opens and tries a helper of methods when no run goes on; resolves to its name. Where it rejects the
   * former stays.
   */
  chooseHelper(argument: ChooseHelper, call?: Call<LoadProgress>): Promise<string | null>;
  /** Opens benchmark and methods on the model that is open; nothing is asked of it. */
  planEvaluation(argument: EvaluationArgument, call?: Call): Promise<EvaluationPlan>;
  /**
   * Runs what `have` lacks; resolves to the number of samples of this call. Samples before a cancel count. It waits
   * while runs are paused.
   */
  runEvaluation(
    argument: EvaluationArgument & { readonly have: readonly string[] },
    call?: Call<EvaluationEvent>,
  ): Promise<number>;
}

/** A kept evaluation as a list shows it. */
export interface ListedEvaluation {
  readonly id: string;
  readonly header: EvaluationHeader;
  readonly samples: number;
}

/** Evaluations as they are kept; a notebook's go with it. */
export interface EvaluationsService {
  /**
   * Keeps a run before its first sample. Where one of that id is kept, it takes in what `header` names beyond it.
   * Rejects where the two differ in what decides a sample.
   */
  keepEvaluation(argument: {
    readonly notebook: string;
    readonly id: string;
    readonly header: EvaluationHeader;
  }): Promise<void>;
  /** Adds samples; one that is there already stays one. */
  keepSamples(argument: { readonly id: string; readonly samples: readonly SampleRecord[] }): Promise<void>;
  /** In running order; null when there is none of that id. */
  loadEvaluation(argument: { readonly id: string }): Promise<Evaluation | null>;
  /** Ids of the samples that are kept and need not be run again. */
  keptSamples(argument: { readonly id: string }): Promise<readonly string[]>;
  /** Newest first. */
  evaluations(argument: { readonly notebook: string }): Promise<readonly ListedEvaluation[]>;
}
