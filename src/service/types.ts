/** @file What the engine service needs of its machine. The browser's implementation is in engineBrowser.ts. */

import type { Embedder } from "../engine/embed.ts";
import type { Engine } from "../engine/engine.ts";
import type { TokenKeeper } from "../engine/transformersCompressor.ts";
import type { CrossEncoder } from "../engine/transformersReranker.ts";
import type { Hub } from "../hub/hub.ts";
import type { CostModel } from "../records/cost.ts";
import type { EmbedderChoice } from "../records/embedder.ts";
import type { Helper } from "../records/evaluation.ts";
import type { DocumentId } from "../records/ids.ts";
import type { MemoryHead } from "../records/memory.ts";
import type { LoadProgress } from "../records/model.ts";
import type { Document } from "../records/source.ts";
import type { Deadline } from "../rpc/deadline.ts";
import type { Survey } from "../runtime/capabilities.ts";
import type { Device } from "../runtime/device.ts";
import type { EncodingCache } from "../store/encodingCache.ts";
import type { Store } from "../store/port.ts";
import type { ModelFiles } from "../weights/modelFiles.ts";
import type { PackedFiles } from "./evaluation/files.ts";

/** Devices, model files, stores and texts of one machine. */
export interface EngineHost {
  /** For work whose duration depends on a model's own files. */
  readonly deadline: Deadline;
  /** What this machine offers; fetches nothing. */
  survey(): Promise<Survey>;
  openDevice(backend: "webgpu" | "wasm"): Promise<Device>;
  /** Opens and calibrates a text embedder; calls `onOpened` between the two. */
  openEmbedder(
    files: ModelFiles,
    choice: EmbedderChoice,
    call: { readonly signal?: AbortSignal; readonly onOpened: () => void },
  ): Promise<Embedder>;
  /** Opens a model that some compared methods need. */
  readonly openHelper: {
    readonly [H in Helper]: (
      files: ModelFiles,
      choice: EmbedderChoice,
      signal?: AbortSignal,
    ) => Promise<HelperModels[H]>;
  };
  /** The model that ships with the app, with the names of its files. */
  bundled(): ModelFiles;
  /** Models by name, and their local copies. */
  readonly hub: Hub;
  /** The store of one memory. */
  openStore(memory: string): Promise<Store>;
  /** Earlier encodings by content, shared by all memories; absent if nothing can be cached. */
  readonly cache?: EncodingCache;
  /** A memory without its vectors; null if nothing is stored. */
  memoryHead(memory: string): Promise<MemoryHead | null>;
  /** Measured cost of earlier runs, by model, backend and parameters; null if there is no measurement. */
  readCost(key: string): Promise<CostModel | null>;
  writeCost(key: string, cost: CostModel): Promise<void>;
  /** A document with its text. Rejects if the text is not stored. */
  readDocument(id: DocumentId): Promise<Document>;
  /** Files that benchmark cases are built from. */
  readonly benchmarkFiles: PackedFiles;
  /** Milliseconds from any fixed origin. */
  now(): number;
  /** The wall clock as ISO text. */
  date(): string;
}

/** Models that some compared methods need in addition to the language model. */
export interface HelperModels {
  readonly reranker: CrossEncoder;
  readonly compressor: TokenKeeper;
}

/** How to follow and to cancel the loading of a model. */
export interface LoadCall {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: LoadProgress) => void;
}

/** Work on the open model, until `signal` fires. */
export type ModelWork<T> = (engine: Engine, signal: AbortSignal) => Promise<T>;
