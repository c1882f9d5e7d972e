/** @file Types that the features of the services share. A memory is named by its notebook's id. */

import type { Embedder } from "../engine/embed.ts";
import type { CrossEncoder, Engine, TokenKeeper } from "../engine/engine.ts";
import type { Hub } from "../hub/hub.ts";
import type { StageRates } from "../records/cost.ts";
import type { EmbedderChoice } from "../records/embedder.ts";
import type { Helper } from "../records/evaluation.ts";
import type { Precision } from "../lib/precision.ts";
import type { DocumentId, FactId, LayerIndex } from "../records/ids.ts";
import type { MemoryHead } from "../records/memory.ts";
import type { LoadProgress, ModelSource } from "../records/model.ts";
import type { BackendChoice } from "../records/notebook.ts";
import type { MethodParams } from "../records/params.ts";
import type { Budget } from "../records/plan.ts";
import type { Document } from "../records/source.ts";
import type { Deadline } from "../rpc/deadline.ts";
import type { Survey } from "../runtime/capabilities.ts";
import type { Device } from "../runtime/device.ts";
import type { EncodingCache } from "../store/encodingCache.ts";
import type { Database } from "../store/database.ts";
import type { Store } from "../store/port.ts";
import type { ModelFiles } from "../weights/modelFiles.ts";

export interface EngineHost {
  readonly deadline: Deadline;
  survey(): Promise<Survey>;
  openDevice(backend: "webgpu" | "wasm"): Promise<Device>;
  /** Opens and calibrates a text embedder; calls `onOpened` between the two. */
  openEmbedder(
    files: ModelFiles,
    choice: EmbedderChoice,
    call: { readonly signal?: AbortSignal | undefined; readonly onOpened: () => void },
  ): Promise<Embedder>;
  readonly openHelper: {
    readonly [H in Helper]: (
      files: ModelFiles,
      choice: EmbedderChoice,
      signal?: AbortSignal,
    ) => Promise<HelperModels[H]>;
  };
  bundled(): ModelFiles;
  readonly hub: Hub;
  openStore(memory: string): Promise<Store>;
  /** Earlier encodings by content, shared by all memories; absent if nothing can be cached. */
  readonly cache?: EncodingCache | undefined;
  /** A memory without its vectors; null if nothing is stored. */
  memoryHead(
    memory: string,
  ): Promise<Pick<MemoryHead, "params" | "layers" | "sources" | "facts" | "vectors"> | null>;
  /** Rates of earlier runs, by model and device; null if there are none. */
  readRates(key: string): Promise<StageRates | null>;
  writeRates(key: string, rates: StageRates): Promise<void>;
  /** Rejects if the text is not stored. */
  readDocument(id: DocumentId): Promise<Document>;
  readonly benchmarkFiles: PackedFiles;
  /** Milliseconds between attempts to load the model again on a lost GPU, whose process may need seconds to come back. */
  readonly gpuWaits: readonly number[];
  now(): number;
  date(): string;
}

/** The files of the repository's data folder, compressed as they are there. */
export interface PackedFiles {
  names(): Promise<readonly string[]>;
  read(path: string): Promise<Uint8Array<ArrayBuffer>>;
}

export interface LibraryHost {
  readonly deadline: Deadline;
  database(): Promise<Database>;
  date(): string;
  readonly app: string;
}

export interface HelperModels {
  readonly reranker: CrossEncoder;
  readonly compressor: TokenKeeper;
}

export interface LoadCall {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: LoadProgress) => void) | undefined;
}

/** Work on the open model, until `signal` fires. */
export type ModelWork<T> = (engine: Engine, signal: AbortSignal) => Promise<T>;

export interface OpenModel {
  readonly source: ModelSource;
  readonly backend: BackendChoice;
  /** Precision of the matrices; by default it depends on the model's size. */
  readonly precision?: Precision;
  readonly files?: ReadonlyMap<string, Blob>;
  /** For gated repositories; kept in memory only. */
  readonly token?: string;
}

/** A text embedder for all memories; null: the language model's own states. */
export interface ChooseEmbedder {
  readonly choice: EmbedderChoice | null;
  readonly files?: ReadonlyMap<string, Blob>;
}

export interface DeviceEvent {
  readonly kind: "lost" | "reloading" | "ready" | "failed";
  readonly message: string;
}

export interface MemorizeArgument {
  readonly memory: string;
  readonly documents: readonly DocumentId[];
  readonly params: MethodParams;
  /** Storage layers that a probe cell chose, for a new memory; the run then makes no probe. */
  readonly layers?: readonly LayerIndex[];
}

/** Expected result and cost of a run: Eq. 1 on rule anchors, and the estimate of flow/estimateRun.ts. */
export interface MemorizeEstimate extends Budget {
  readonly sentences: number;
  readonly candidates: number;
  /** Facts that do not fit the model's window and will be left out. */
  readonly skipped: number;
  /** Bytes that keys, residuals and routing vectors will take. */
  readonly bytes: number;
  /** Null while no run of this model was measured. */
  readonly seconds: number | null;
}

export interface FactArgument {
  readonly memory: string;
  readonly id: FactId;
}
