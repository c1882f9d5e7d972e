/** @file What the engine service is given: devices, model files, stores and texts. A browser's are in engineBrowser.ts. */

import type { Embedder } from "../engine/embed.ts";
import type { Hub } from "../hub/hub.ts";
import type { CostModel } from "../records/cost.ts";
import type { EmbedderChoice } from "../records/embedder.ts";
import type { Helper } from "../records/evaluation.ts";
import type { DocumentId } from "../records/ids.ts";
import type { MemoryHead } from "../records/memory.ts";
import type { Document } from "../records/source.ts";
import type { Survey } from "../runtime/capabilities.ts";
import type { Deadline } from "../rpc/deadline.ts";
import type { Device } from "../runtime/device.ts";
import type { EncodingCache } from "../store/encodingCache.ts";
import type { Store } from "../store/port.ts";
import type { ModelFiles } from "../weights/modelFiles.ts";
import type { PackedFiles } from "./evaluation/files.ts";
import type { HelperModels } from "./evaluation/helpers.ts";

export interface EngineHost {
  /** For what a model's own files decide the length of. */
  readonly deadline: Deadline;
  /** What this machine offers; nothing is fetched for it. */
  survey(): Promise<Survey>;
  openDevice(backend: "webgpu" | "wasm"): Promise<Device>;
  /** Opens and tries a text embedder; `onOpened` between the two. */
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
  /** Models by name, and the copies of them kept here. */
  readonly hub: Hub;
  /** The store of one memory. */
  openStore(memory: string): Promise<Store>;
  /** What the models made of contents before, for every memory; absent where it cannot be kept. */
  readonly cache?: EncodingCache;
  /** What is known of a memory without its vectors; null when nothing is stored. */
  memoryHead(memory: string): Promise<MemoryHead | null>;
  /** What runs took before, by model, backend and parameters; null where none is known. */
  readCost(key: string): Promise<CostModel | null>;
  writeCost(key: string, cost: CostModel): Promise<void>;
  /** A document with its text. Rejects when the text is not kept (any more). */
  readDocument(id: DocumentId): Promise<Document>;
  /** Files that cases of benchmarks are made from. */
  readonly benchmarkFiles: PackedFiles;
  /** Milliseconds from any fixed origin. */
  now(): number;
  /** The wall clock as ISO text. */
  date(): string;
}
