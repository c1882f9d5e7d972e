/** @file A host for the engine service in Node: CPU devices, a small random model, stores and texts in memory. */

import { readdirSync, readFileSync } from "node:fs";
import { transformersEmbedder } from "../../engine/transformersFiles.ts";
import { transformersCompressor, transformersReranker } from "../../engine/transformersHelpers.ts";
import { folder, randomConfig, randomWeights } from "../../engine/testing/models.ts";
import { createHub } from "../../hub/hub.ts";
import { memoryCache } from "../../hub/testing/memoryCache.ts";
import { makeDocument } from "../../ingest/text.ts";
import { countFacts } from "../../records/memory.ts";
import { present } from "../../lib/assert.ts";
import { modelOf } from "../../records/embedder.ts";
import type { DocumentId } from "../../records/ids.ts";
import type { StageRates } from "../../records/cost.ts";
import type { Document } from "../../records/source.ts";
import { NO_DEADLINE } from "../../rpc/testing/noDeadline.ts";
import { gpuCapabilities, wasmCapabilities } from "../../runtime/capabilities.ts";
import type { Device } from "../../runtime/device.ts";
import { createNodeDevice } from "../../../tools/node/nodeDevice.ts";
import { inMemoryStore } from "../../store/inMemory.ts";
import type { Store } from "../../store/port.ts";
import type { ModelFiles } from "../../weights/modelFiles.ts";
import type { EngineHost } from "../types.ts";

export interface TestHost extends EngineHost {
  addText(title: string, text: string): DocumentId;
  readonly stores: Map<string, Store>;
  readonly rates: ReadonlyMap<string, StageRates>;
  /** Devices in the order in which they were opened, with the backend that was asked for. */
  readonly devices: { readonly backend: string; readonly device: Device }[];
}

export interface TestHostOptions {
  /** A machine with a GPU (played by the CPU, whatever is asked for); without by default. */
  readonly gpu?: boolean;
  readonly files?: ModelFiles;
  /** Stands around every device. */
  readonly wrap?: (device: Device, backend: string) => Device;
  readonly hub?: EngineHost["hub"];
  readonly cache?: EngineHost["cache"];
}

/** Four layers of random weights with the bundled tokenizer: nothing it says means anything, but all is exact. */
export function smallModel(): ModelFiles {
  const config = randomConfig("Qwen3ForCausalLM");
  return folder(config, randomWeights(config));
}

export function testHost({
  gpu = false,
  files = smallModel(),
  wrap,
  hub,
  cache,
}: TestHostOptions = {}): TestHost {
  const stores = new Map<string, Store>();
  const texts = new Map<string, Document>();
  const rates = new Map<string, StageRates>();
  const devices: TestHost["devices"] = [];
  const wasm = wasmCapabilities("not loaded", 1, {});
  const info = { vendor: "test", architecture: "", device: "", description: "" } as GPUAdapterInfo;
  const webgpu = gpuCapabilities(info, new Set() as GPUSupportedFeatures, {} as GPUSupportedLimits, "");
  const missing = { reason: "no navigator.gpu", next: "Use a browser with WebGPU." } as const;
  const openStore = async (memory: string): Promise<Store> => {
    const store = stores.get(memory) ?? inMemoryStore(memory);
    stores.set(memory, store);
    return store;
  };
  return {
    deadline: NO_DEADLINE,
    stores,
    devices,
    rates,
    addText(title, text) {
      const document = makeDocument(title, text);
      texts.set(document.id, document);
      return document.id;
    },
    survey: async () => (gpu ? { webgpu, wasm } : { webgpuMissing: missing, wasm }),
    async openDevice(backend) {
      const plain = await createNodeDevice({ backend: "cpu", threads: 1 });
      const device = wrap?.(plain, backend) ?? plain;
      devices.push({ backend, device });
      return device;
    },
    openEmbedder: (given, choice, call) =>
      transformersEmbedder({ ...call, model: modelOf(choice), files: given, dtype: choice.dtype }),
    openHelper: {
      reranker: (given, choice) =>
        transformersReranker({ model: modelOf(choice), files: given, dtype: choice.dtype }),
      compressor: (given, choice) =>
        transformersCompressor({ model: modelOf(choice), files: given, dtype: choice.dtype }),
    },
    bundled: () => files,
    hub: hub ?? createHub({ cache: memoryCache(), fetch: () => Promise.reject(new TypeError("no network")) }),
    openStore,
    ...(cache ? { cache } : {}),
    async memoryHead(memory) {
      const stored = await (await openStore(memory)).load();
      if (!stored) return null;
      const { params, layers, sources, entries } = stored;
      return { params, layers, sources, facts: countFacts(entries), vectors: entries.length };
    },
    readRates: async (key) => rates.get(key) ?? null,
    writeRates: async (key, learned) => void rates.set(key, learned),
    readDocument: async (id) => present(texts.get(id), () => `test: no text ${id}`),
    benchmarkFiles: {
      names: () => Promise.resolve(readdirSync("data", { recursive: true, encoding: "utf8" })),
      read: async (path) => new Uint8Array(readFileSync(`data/${path}`)),
    },
    gpuWaits: [0, 1, 2],
    now: () => performance.now(),
    date: () => "2026-01-01T00:00:00Z",
  };
}
