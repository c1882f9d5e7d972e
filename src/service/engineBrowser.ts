/** @file The engine service's host in a browser worker: its devices, the bundled model, and the stores. */

import bundledConfig from "/models/palimpsest-7m/config.json?url";
import { RECORDED_PROBE } from "../engine/localEngine.ts";
import { READER_FILE } from "../engine/reader.ts";
import { WRITER_FILE } from "../records/model.ts";
import { type TransformersSource, transformersEmbedder } from "../engine/transformersFiles.ts";
import { createHub } from "../hub/hub.ts";
import { opfsCache } from "../hub/cache.ts";
import { modelOf, type EmbedderChoice } from "../records/embedder.ts";
import { surveyBrowser } from "../runtime/capabilities.ts";
import { shareRuntime } from "../runtime/sharedRuntime.ts";
import { WASM_PATHS } from "../runtime/wasmFiles.ts";
import { createWebDevice } from "../runtime/web.ts";
import { readRates, writeRates } from "../store/costs.ts";
import { databaseOnDemand } from "../store/database.ts";
import { readDocument, readText } from "../store/documents.ts";
import { readMemoryHead } from "../store/facts.ts";
import { openIndexedDbStore } from "../store/indexedDb.ts";
import { openIndexedDbCache } from "../store/indexedDbCache.ts";
import { urlModelFiles, type ModelFiles } from "../weights/modelFiles.ts";
import type { Deadline } from "../rpc/deadline.ts";
import type { EngineHost } from "./types.ts";
import { createEngineService, type EngineService } from "./engineService.ts";

const BUNDLED_FILES = [
  ...["config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"],
  ...[RECORDED_PROBE, WRITER_FILE, READER_FILE],
];

export const startEngine = (deadline: Deadline): EngineService => createEngineService(browserHost(deadline));

function sharedSource(files: ModelFiles, choice: EmbedderChoice, signal?: AbortSignal): TransformersSource {
  shareRuntime(WASM_PATHS);
  const { dtype, device } = choice;
  return { model: modelOf(choice), files, dtype, sharedDevice: device, signal };
}

export function browserHost(deadline: Deadline): EngineHost {
  const database = databaseOnDemand();
  return {
    deadline,
    survey: () => surveyBrowser(),
    openDevice: (backend) => createWebDevice({ backend, wasmPaths: WASM_PATHS[backend] }),
    openEmbedder: (files, choice, { onOpened, signal }) =>
      transformersEmbedder({ ...sharedSource(files, choice, signal), onOpened }),
    openHelper: {
      reranker: async (...from) =>
        (await import("../engine/transformersHelpers.ts")).transformersReranker(sharedSource(...from)),
      compressor: async (...from) =>
        (await import("../engine/transformersHelpers.ts")).transformersCompressor(sharedSource(...from)),
    },
    bundled: () => {
      const files = urlModelFiles(new URL(".", new URL(bundledConfig, location.href)).href);
      return {
        ...files,
        names: BUNDLED_FILES,
        // Other files are not requested: without a network there would be no answer.
        open: async (name) => (BUNDLED_FILES.includes(name) ? files.open(name) : undefined),
      };
    },
    hub: createHub({ cache: opfsCache(), mirror: import.meta.env["VITE_HUB_MIRROR"] }),
    openStore: async (memory) => openIndexedDbStore(await database(), memory),
    cache: openIndexedDbCache(database),
    memoryHead: async (memory) => readMemoryHead(await database(), memory),
    readRates: async (key) => readRates(await database(), key),
    writeRates: async (key, rates) => writeRates(await database(), key, rates),
    readDocument: async (id) => {
      const text = await readText(await database(), id);
      const { title = "" } = (await readDocument(await database(), id)) ?? {};
      return { id, title, text };
    },
    benchmarkFiles: {
      names: async () => (await import("./evaluation/ownFiles.ts")).ownFiles.names(),
      read: async (path) => (await import("./evaluation/ownFiles.ts")).ownFiles.read(path),
    },
    gpuWaits: [1000, 4000, 16000],
    now: () => performance.now(),
    date: () => new Date().toISOString(),
  };
}
