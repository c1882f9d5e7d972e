/**
 * @file The notebook: an ordered list of typed cells. A cell has an input, which the user edits, and the output of
 * its last run, stamped with time and device. It is saved, exported and imported as plain JSON.
 */

import type { Precision } from "../lib/precision.ts";
import type { Answer, DeletionCertificate } from "./answer.ts";
import type { MemoryBytes } from "./bytes.ts";
import type { EvaluationChoice, Helper, Variant } from "./evaluation.ts";
import type { EmbedderChoice } from "./embedder.ts";
import type { DocumentId, FactId, LayerIndex } from "./ids.ts";
import type { Attribution } from "./judge.ts";
import type { AdamStart, SourceInfo } from "./memory.ts";
import type { ModelReady, ModelSource } from "./model.ts";
import type { MethodParams, QuestionParams } from "./params.ts";
import type { Budget, LayerPlan, SkippedFact } from "./plan.ts";
import type { ExtractionCounts } from "./trace.ts";

/** Version of the file format; files of other versions are refused. */
export const NOTEBOOK_VERSION = 1;

export interface Notebook {
  readonly format: "palimpsest-notebook";
  readonly version: typeof NOTEBOOK_VERSION;
  readonly id: string;
  readonly title: string;
  readonly created: string;
  readonly updated: string;
  readonly cells: readonly Cell[];
}

export type Cell =
  | NoteCell
  | ModelCell
  | SourceCell
  | MemorizeCell
  | StoreCell
  | AskCell
  | QuestionsCell
  | ProbeCell
  | ExperimentCell
  | BenchmarkCell;
export type CellKind = Cell["kind"];
type CellsByKind = { readonly [K in CellKind]: Extract<Cell, { kind: K }> };
export type CellOfKind<K extends CellKind> = CellsByKind[K];

/** When, how long and on which device an output was made; `inputs` is the fingerprint of its inputs. */
export interface Stamp {
  readonly at: string;
  readonly milliseconds: number;
  readonly backend: string;
  /** Name and first 8 hex digits of the identity, e.g. "palimpsest-6m@0a1b2c3d"; empty where no model took part. */
  readonly model: string;
  readonly app: string;
  /** The cell is stale if the fingerprint of its current inputs differs (notebook/stale.ts). */
  readonly inputs: string;
}

export type Stamped<Output> = Output & { readonly stamp: Stamp };

interface CellOf<Kind extends string, Input, Output> {
  readonly id: string;
  readonly kind: Kind;
  /** If empty, the kind's name is shown. */
  readonly title: string;
  readonly input: Input;
  readonly output: Stamped<Output> | null;
}

/** Markdown; has no output. */
export type NoteCell = CellOf<"note", { readonly text: string }, never>;

export type BackendChoice = "auto" | "webgpu" | "wasm";
export type ModelCell = CellOf<
  "model",
  {
    readonly source: ModelSource;
    readonly backend: BackendChoice;
    /** Of the model's matrices; absent: its size decides. */
    readonly precision?: Precision;
  },
  ModelReady
>;

/** One file or paste in the queue of a source cell, ready to be memorised. */
export interface SourceEntry {
  readonly id: DocumentId;
  readonly title: string;
  readonly format: string;
  readonly encoding: string | null;
  readonly characters: number;
  readonly pages: number | null;
  readonly notes: readonly string[];
  /** Whether this browser still keeps the text. */
  readonly kept: boolean;
}
export type SourceCell = CellOf<
  "source",
  {
    readonly documents: readonly SourceEntry[];
    /** Throw the text away once its facts are encoded. */
    readonly forget: boolean;
  },
  never
>;

export type MemorizeCell = CellOf<
  "memorize",
  {
    readonly params: MethodParams;
    /** Storage layers that a probe cell offered and the user took; absent: the run probes them itself. */
    readonly layers?: readonly LayerIndex[];
    /** The text embedder of the memory; absent for the model's own states. */
    readonly embedder?: EmbedderChoice;
  },
  MemorizeSummary
>;

/** The result of memorising, without vectors. */
export interface MemorizeSummary {
  readonly sources: readonly SourceInfo[];
  /** Titles that were in the memory already. */
  readonly known: readonly string[];
  readonly budget: Budget;
  readonly layers: readonly LayerIndex[];
  /** Present where the layers were probed in this run. */
  readonly layerPlan: LayerPlan | null;
  readonly extracted: number;
  /** How the texts were read, in counts. */
  readonly extraction: readonly ExtractionCounts[];
  readonly retained: number;
  readonly resumed: number;
  readonly skipped: readonly SkippedFact[];
  /** Stored facts that made room for later ones; absent if none did. */
  readonly evicted?: number;
  /** Facts found in the encoding cache; absent without a cache. */
  readonly cached?: number;
  readonly milliseconds: Readonly<Record<string, number>>;
  /** Seconds forecast before the run; absent without a forecast. */
  readonly expected?: number;
  /** Over the facts that this run encoded. */
  readonly encoded: number;
  readonly exact: number;
  readonly fidelity: number;
  /** Steps of the stored vectors. */
  readonly steps: number;
  /** Steps of abandoned attempts; absent if not counted. */
  readonly givenUp?: number;
  /** Bytes of the stored vectors, those of the routing index among them. */
  readonly bytes: number;
  /** Bytes by kind. */
  readonly kept: MemoryBytes;
  /** Facts in the memory afterwards. */
  readonly total: number;
}

/** A fact encoded again, before and after. If nothing changed, the better vector is kept. */
export interface Reencoding {
  readonly id: FactId;
  readonly key: string;
  /** Without a value if the memory stores no words. */
  readonly before: Pick<FactRow, "value" | "layer">;
  readonly after: Pick<FactRow, "value" | "layer" | "exact" | "fidelity" | "steps">;
}

/** Filters of the fact table; a missing filter keeps every fact. */
export interface FactFilters {
  /** Part of an anchor, in any case. */
  readonly anchor?: string;
  readonly layers?: readonly number[];
  readonly documents?: readonly string[];
  readonly fidelity?: FidelityFilter | undefined;
}

/** Facts recalled token for token, the others, or those with a token F1 in a range. */
export type FidelityFilter = "exact" | "inexact" | readonly [from: number, to: number];

/** The view of the table, and the certificates of its deletions. */
export type StoreCell = CellOf<
  "store",
  {
    readonly search: string;
    readonly sort: { readonly column: string; readonly descending: boolean } | null;
    readonly filters: FactFilters;
  },
  {
    /** Newest first, each with when and on what it was made. */
    readonly certificates: readonly Stamped<{ readonly certificate: DeletionCertificate }>[];
    /** Facts encoded again, newest first; absent if none was. */
    readonly reencodings?: readonly Stamped<Reencoding>[];
  }
>;

export type AskCell = CellOf<
  "ask",
  { readonly question: string; readonly params: ReadSettings | null },
  { /** Newest first. */ readonly history: readonly Stamped<{ readonly answer: Answer }>[] }
>;

/** Read and routing settings of a question, where they differ from the memory's own. */
export type ReadSettings = Partial<QuestionParams>;

/** A question of a set as written, with its expected answers. */
export interface SetQuestion {
  readonly ask: string;
  /** Right answers. Null: none given, so nothing is judged. Empty: the texts contain no answer. */
  readonly answers: readonly string[] | null;
  /** Words of the needed sentences, if they differ from the answers. */
  readonly needs?: readonly string[];
}

/** A question of a set, its answer, and the judgement. */
export interface AskedQuestion extends SetQuestion {
  /** The headline of each part of the question: the short answer, or the text in its place. */
  readonly said: readonly string[];
  /** Keys of the facts that the answer cites. */
  readonly cited: readonly string[];
  /** Null if no answer is expected. */
  readonly judged: Attribution | null;
  readonly milliseconds: number;
}

export type QuestionsCell = CellOf<
  "questions",
  {
    /** The set as it was pasted, dropped or written (notebook/questionSet.ts). */
    readonly text: string;
    readonly params: ReadSettings | null;
  },
  {
    /** Newest first; each with the settings it was asked with, and the facts that the memory held. */
    readonly runs: readonly Stamped<{
      readonly questions: readonly AskedQuestion[];
      readonly settings: ReadSettings | null;
      readonly facts: number;
    }>[];
  }
>;

export type ProbeCell = CellOf<
  "probe",
  { readonly params: MethodParams; readonly layers: readonly LayerIndex[] | null },
  LayerPlan
>;

export type StudyName = "capacity" | "deletion" | "gates" | "steps" | "layers" | "parts";
export type ExperimentCell = CellOf<
  "experiment",
  {
    readonly study: StudyName;
    readonly settings: Readonly<Record<string, number | string | boolean>>;
    /** Another run to show with this one. */
    readonly compareWith: string | null;
  },
  /** `planned`: cases that the study has with these settings; a run with fewer goes on. */
  { readonly runId: string; readonly cases: number; readonly planned?: number }
>;

/** The parameters of our method: a preset, or those of the notebook's memory. */
export type BenchmarkParams = "sharp" | "paper" | "memory";
export const BENCHMARK_PARAMS: readonly BenchmarkParams[] = ["sharp", "paper", "memory"];

/** The form of a benchmark cell. */
export interface BenchmarkInput extends EvaluationChoice {
  readonly params: BenchmarkParams;
  /** Names of the files that cases are taken from; the files themselves belong to the tab that they were dropped on. */
  readonly files: readonly string[];
  /** The paper's table or figure that it was made for; null for none. */
  readonly paper: string | null;
  /** Models that some methods need; without their model they are skipped. Absent if none is set. */
  readonly helpers?: { readonly [H in Helper]?: EmbedderChoice };
}

/** Methods on a benchmark; names are those of src/evaluate. */
export type BenchmarkCell = CellOf<
  "benchmark",
  BenchmarkInput,
  {
    readonly runId: string;
    /** The requested tasks; the run may contain more, from other cells. */
    readonly tasks: readonly string[];
    readonly lengths: readonly string[];
    readonly methods: readonly string[];
    readonly variants: readonly Variant[];
    /** The form when the run started; absent if the run was made elsewhere. */
    readonly asked?: BenchmarkInput;
    /** Samples of these that are kept, and that there are. */
    readonly kept: number;
    readonly planned: number;
  }
>;

/** Prefix of the ids of imported runs. */
export const IMPORTED = "imported-";

/** Whether a cell shows an imported run, which its form does not describe. */
export const isImported = ({ runId }: Pick<NonNullable<BenchmarkCell["output"]>, "runId">): boolean =>
  runId.startsWith(IMPORTED);

/** One fact as a table shows it: everything of an entry but its vectors. */
export interface FactRow {
  readonly id: FactId;
  readonly documentId: DocumentId;
  readonly anchor: string;
  /** ι(e): order of its anchor, from 0; absent if the index does not list it. */
  readonly order?: number;
  readonly index: number;
  readonly offset: number;
  readonly layer: LayerIndex;
  readonly tokens: number;
  /** v: the sentence, as the routing index has it; null where the memory keeps no words. */
  readonly value: string | null;
  /** The recalled text, if it is not exact. */
  readonly recalled: string | null;
  readonly exact: boolean;
  readonly fidelity: number;
  /** Optimisation steps of the stored vectors. */
  readonly steps: number;
  /** Steps of abandoned attempts; absent if not counted. */
  readonly givenUp?: number;
  readonly deltaNorm: number;
  /** Where Adam started; absent for a fact in parts. */
  readonly started?: AdamStart;
  /** When its document was memorised. */
  readonly memorizedAt: string;
  /** In the order of the value; absent for a fact of one vector. The fields above cover all parts. */
  readonly parts?: readonly PartRow[];
}

/** One stored vector of a fact that has several. */
export interface PartRow {
  /** s of κ(e, j, s). */
  readonly part: number;
  readonly layer: LayerIndex;
  readonly tokens: number;
  readonly recalled: string | null;
  readonly exact: boolean;
  readonly fidelity: number;
  readonly steps: number;
  readonly started?: AdamStart;
  readonly deltaNorm: number;
}
