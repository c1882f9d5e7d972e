/**
 * @file What the two workers do for the page, as two services: the engine worker owns the device and the model and
 * runs the arrows of src/flow; the library worker owns files, texts, notebooks and the tables of stored facts.
 * Both open the same database; a memory is named by its id (that of its notebook).
 */

import type { Answer, DeletionCertificate, Reconstruction } from "../records/answer.ts";
import type { MemoryBytes } from "../records/bytes.ts";
import type { EmbedderChoice, EmbedderReady } from "../records/embedder.ts";
import type { DocumentId, FactId, LayerIndex } from "../records/ids.ts";
import type { AnchorRouting, MemoryEntry, MemoryInfo, VectorLosses } from "../records/memory.ts";
import type {
  BufferLedger,
  CachedModel,
  DeviceCard,
  LoadProgress,
  ModelListing,
  ModelReady,
  ModelSource,
} from "../records/model.ts";
import type {
  BackendChoice,
  FactRow,
  MemorizeSummary,
  ReadSettings,
  SourceEntry,
} from "../records/notebook.ts";
import type { Precision } from "../lib/precision.ts";
import type { MethodParams } from "../records/params.ts";
import type { AskProgress, DeletionProgress, Progress } from "../records/progress.ts";
import type { TextMarks } from "../records/source.ts";
import type { EvaluationService, EvaluationsService } from "./evaluation.ts";
import type { FactArgument, InspectionService, RunsService } from "./inspection.ts";
import type { Call } from "./wire.ts";
import type { Budget, LayerPlan } from "../records/plan.ts";

export interface OpenModel {
  readonly source: ModelSource;
  readonly backend: BackendChoice;
  /** Of its matrices; absent: the model's size decides. */
  readonly precision?: Precision;
  /** The dropped files, for source "files". */
  readonly files?: ReadonlyMap<string, Blob>;
  /** For gated repositories; kept in memory only. */
  readonly token?: string;
}

export interface MemorizeArgument {
  readonly memory: string;
  readonly documents: readonly DocumentId[];
  readonly params: MethodParams;
  /** Storage layers as a probe cell chose them, for a memory that does not exist yet: no probe is made then. */
  readonly layers?: readonly LayerIndex[];
}

export interface AskArgument {
  readonly memory: string;
  readonly question: string;
  readonly settings: ReadSettings | null;
}

/** Changes to one stored fact: another value, another layer, or simply once more. */
export interface ReencodeArgument {
  readonly memory: string;
  readonly id: FactId;
  readonly value?: string;
  readonly layer?: LayerIndex;
}

/** Another text embedder for all memories; null: the language model's own states. */
export interface ChooseEmbedder {
  readonly choice: EmbedderChoice | null;
  /** The dropped files, for a choice from "files". */
  readonly files?: ReadonlyMap<string, Blob>;
}

/** What a run would do, said before it: Eq. 1 on rule anchors, and the forecast of plan/cost.ts. */
export interface MemorizeEstimate extends Pick<
  Budget,
  | "anchors"
  | "depth"
  | "layers"
  | "capacity"
  | "stored"
  | "vectorsPerFact"
  | "bound"
  | "perAnchor"
  | "spareRoom"
> {
  readonly sentences: number;
  readonly candidates: number;
  readonly facts: number;
  /** Facts that do not fit the model's window: they will be left out. */
  readonly skipped: number;
  /** Facts that are not expected to come back whole. */
  readonly inexact: number;
  /** Bytes that keys, residuals and routing vectors will take. */
  readonly bytes: number;
  readonly seconds: number;
}

/** The state of the device as it changes by itself. */
export type DeviceEvent =
  | { readonly kind: "lost"; readonly message: string }
  | { readonly kind: "reloading"; readonly message: string }
  | { readonly kind: "ready"; readonly message: string }
  | { readonly kind: "failed"; readonly message: string };

export interface EngineService extends InspectionService, EvaluationService {
  /** What this browser offers, before anything is fetched. */
  survey(argument: null): Promise<
    Pick<DeviceCard, "webgpuMissing" | "crossOriginIsolated"> & {
      readonly webgpu: string | null;
      readonly threads: number;
    }
  >;
  /** Files, sizes and preflight of a model; fetches config.json at most. */
  inspect(argument: Omit<OpenModel, "backend">): Promise<ModelListing>;
  /** Downloads what is missing (resumable), tests the backend, loads the weights; replaces the model that was open. */
  open(argument: OpenModel, call?: Call<LoadProgress>): Promise<ModelReady>;
  /** Frees the model and the device. */
  close(argument: null): Promise<void>;
  /**
   * Downloads, opens and tries an embedder when no run goes on, and puts it in the place of the one in use; stays over
   * a change of the model. Where it rejects the former stays.
   */
  chooseEmbedder(argument: ChooseEmbedder, call?: Call<LoadProgress>): Promise<EmbedderReady | null>;
  /** The embedder in use; null where it is the model's own and no model is open. */
  embedder(argument: null): Promise<EmbedderReady | null>;
  ledger(argument: null): Promise<BufferLedger | null>;
  cachedModels(argument: null): Promise<readonly CachedModel[]>;
  removeCachedModel(argument: Pick<CachedModel, "repo" | "revision" | "onnx">): Promise<void>;
  /** Runs until the page goes: every change of the device's state. */
  events(argument: null, call?: Call<DeviceEvent>): Promise<void>;

  /** Tries some of the facts first; a signal ends that. */
  estimate(argument: MemorizeArgument, call?: Call): Promise<MemorizeEstimate>;
  memorize(argument: MemorizeArgument, call?: Call<Progress>): Promise<MemorizeSummary>;
  /** Encodes what an interrupted run left; null when nothing was left. */
  resume(argument: { readonly memory: string }, call?: Call<Progress>): Promise<MemorizeSummary | null>;
  /** Holds, or goes on with, the long runs (memorise, re-encode, probe) between two steps; questions are answered. */
  pause(argument: { readonly paused: boolean }): Promise<void>;
  /** Can be cancelled, also while keys are read again. */
  ask(argument: AskArgument, call?: Call<AskProgress>): Promise<Answer>;
  /** Can be cancelled while it asks and compares; it changes nothing until then. */
  forget(
    argument: { readonly memory: string; readonly ids: readonly FactId[] },
    call?: Call<DeletionProgress>,
  ): Promise<DeletionCertificate>;
  recall(
    argument: {
      readonly memory: string;
      readonly ids: readonly FactId[];
      readonly settings?: ReadSettings;
    },
    call?: Call,
  ): Promise<readonly Reconstruction[]>;
  /**
   * The row is how the new encoding came out. With the same value at the same layer the better of the two vectors is
   * stored, so this may not be the row of the memory.
   */
  reencode(argument: ReencodeArgument, call?: Call<Progress>): Promise<FactRow>;
  /** To be called when another worker changed a memory (import, clear): the next question reads it anew. */
  reload(argument: { readonly memory: string }): Promise<void>;
  probe(
    argument: { readonly params: MethodParams; readonly layers: readonly LayerIndex[] | null },
    call?: Call<Progress>,
  ): Promise<LayerPlan>;
}

/** A file to read, or a pasted text. */
export interface IncomingFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface NotebookInfo {
  readonly id: string;
  readonly title: string;
  readonly updated: string;
  readonly cells: number;
}

export interface StorageState {
  readonly usage: number | null;
  readonly quota: number | null;
  readonly persisted: boolean;
  /** What the encoding cache takes, and may take. */
  readonly cache: { readonly rows: number; readonly bytes: number; readonly budget: number };
}

export interface LibraryService extends RunsService, EvaluationsService {
  /** Reads a file and keeps its text until it is forgotten. */
  ingest(argument: IncomingFile, call?: Call): Promise<SourceEntry>;
  /** Characters [start, end) of a kept text. */
  readText(argument: {
    readonly id: DocumentId;
    readonly start: number;
    readonly end: number;
  }): Promise<string>;
  /** Sentences and candidates of a kept text, for highlights; typed arrays are handed over. */
  marks(argument: {
    readonly id: DocumentId;
    readonly filter: MethodParams["candidateFilter"];
  }): Promise<TextMarks>;
  /** Where each page starts in the text, page 1 first; empty for formats without pages. */
  pageStarts(argument: { readonly id: DocumentId }): Promise<readonly number[]>;
  /** Throws the text of documents away; what is known about them stays. */
  forgetText(argument: { readonly ids: readonly DocumentId[] }): Promise<void>;
  documents(argument: null): Promise<readonly SourceEntry[]>;
  /**
   * Removes the texts that no saved notebook names (taken off a list, or of a cell that was removed), and what is known of
   * them where no memory names them. Not for while one is open that is not saved.
   */
  removeUnnamedTexts(argument: null): Promise<void>;

  notebooks(argument: null): Promise<readonly NotebookInfo[]>;
  /** The saved body with its revision; null when there is none of that id. */
  loadNotebook(argument: { readonly id: string }): Promise<{ revision: number; body: unknown } | null>;
  /** Resolves to the new revision; rejects when another tab saved since `revision`. */
  saveNotebook(argument: {
    readonly id: string;
    readonly title: string;
    readonly updated: string;
    readonly cells: number;
    readonly revision: number;
    readonly body: unknown;
  }): Promise<number>;
  /** Removes a notebook with its memory, runs, and the texts that no other notebook names. */
  removeNotebook(argument: { readonly id: string }): Promise<void>;

  /** What a memory is made of, without its facts; null when nothing was memorised yet. */
  memoryInfo(argument: { readonly memory: string }): Promise<MemoryInfo | null>;
  facts(argument: { readonly memory: string }): Promise<readonly FactRow[]>;
  /** What a memory takes by what it is; null when nothing was memorised yet. */
  memoryBytes(argument: { readonly memory: string }): Promise<MemoryBytes | null>;
  /** Facts with every word of a search, where the memory keeps hashes in place of words; null where it keeps words. */
  findWordless(argument: {
    readonly memory: string;
    readonly search: string;
  }): Promise<readonly FactId[] | null>;
  /** The vectors of a fact, one a part, in the order of its value; none when it is not stored. */
  entries(argument: { readonly memory: string; readonly id: FactId }): Promise<readonly MemoryEntry[]>;
  /** What routing knows of a fact: the document of its anchor. Null when the fact is not stored. */
  routing(argument: FactArgument): Promise<AnchorRouting | null>;
  /** Losses of Eq. 3 of each vector by fact, in the order of `ids`. */
  curves(argument: {
    readonly memory: string;
    readonly ids: readonly FactId[];
  }): Promise<readonly (readonly VectorLosses[])[]>;
  exportMemory(argument: { readonly memory: string }): Promise<Blob>;
  importMemory(argument: {
    readonly memory: string;
    readonly archive: Blob;
    readonly mode: "replace" | "merge";
    /** The file's name, for messages. */
    readonly name?: string;
  }): Promise<{ readonly added: number; readonly skipped: number; readonly notes: readonly string[] }>;
  /** Checks a file whole and changes nothing; rejects as the import would. */
  inspectArchive(argument: { readonly archive: Blob; readonly name: string }): Promise<{
    readonly facts: number;
    readonly pending: number;
    readonly model: string;
    readonly titles: readonly string[];
  }>;
  clearMemory(argument: { readonly memory: string }): Promise<void>;

  storage(argument: null): Promise<StorageState>;
  /** Empties the encoding cache. */
  clearCache(argument: null): Promise<void>;
  /** Removes every text, memory, notebook and run of this browser. */
  wipe(argument: null): Promise<void>;
}
