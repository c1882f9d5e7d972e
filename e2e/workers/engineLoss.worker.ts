/** @file The engine service on a GPU that this worker takes away: the run over the loss, then the way to wasm. */
import { makeDocument } from "../../src/ingest/text.ts";
import { layerIndex } from "../../src/records/ids.ts";
import type { MethodParams } from "../../src/records/params.ts";
import type { DeviceEvent } from "../../src/service/types.ts";
import { openGpu } from "../../src/runtime/gpu.ts";
import { WASM_PATHS } from "../../src/runtime/wasmFiles.ts";
import { createWebDevice } from "../../src/runtime/web.ts";
import { NO_DEADLINE } from "../../src/rpc/testing/noDeadline.ts";
import { browserHost } from "../../src/service/engineBrowser.ts";
import { createEngineService } from "../../src/service/engineService.ts";
import type { EncodingCache } from "../../src/store/encodingCache.ts";
import { inMemoryStore } from "../../src/store/inMemory.ts";
import { blobs } from "../support/blobs.ts";
import { serveChecks } from "../support/serve.ts";

export interface LossInput {
  readonly model: Readonly<Record<string, string>>;
  readonly text: string;
  readonly params: MethodParams;
  readonly layers: readonly number[];
}

/** The second run must encode the sentences that the first one did. */
const NOTHING_KEPT: EncodingCache = {
  held: async () => [],
  get: async () => [],
  put: async () => undefined,
  known: async (traces) => traces.map(() => false),
  remove: async () => ({ removed: 0, left: 0 }),
};

const checks = {
  async loss({ model, text, params, layers }: LossInput) {
    const document = makeDocument("story", text);
    const stores = new Map(["calm", "lost"].map((id) => [id, inMemoryStore(id)]));
    let gpu: GPUDevice | undefined;
    const service = createEngineService({
      ...browserHost(NO_DEADLINE),
      cache: NOTHING_KEPT,
      openStore: async (memory) => stores.get(memory)!,
      readDocument: async () => document,
      // Time stands still, so that the second loss comes within a minute however slow the machine is.
      now: () => 0,
      async openDevice(backend) {
        if (backend === "wasm") return createWebDevice({ backend, wasmPaths: WASM_PATHS.wasm });
        gpu = await openGpu();
        return createWebDevice({ backend, wasmPaths: WASM_PATHS.webgpu, gpu });
      },
    });
    const events: DeviceEvent[] = [];
    void service.events(null, { onProgress: (event) => events.push(event) });
    const source = { kind: "files", name: "tiny" } as const;
    const ready = await service.open({ source, backend: "auto", files: blobs(model) });
    const run = {
      documents: [document.id],
      params,
      layers: layers.map(layerIndex),
    };
    await service.memorize({ ...run, memory: "calm" });
    let taken = false;
    const summary = await service.memorize(
      { ...run, memory: "lost" },
      {
        onProgress: ({ encode }) => {
          if (!encode || taken) return;
          taken = true;
          gpu!.destroy();
        },
      },
    );
    const entries = await Promise.all(
      ["calm", "lost"].map(async (id) => (await stores.get(id)!.load())!.entries),
    );
    const ids = entries[0]!.map(({ id }) => id);
    const before = await service.recall({ memory: "lost", ids });
    const first = events.splice(0);
    gpu!.destroy();
    const after = await service.recall({ memory: "lost", ids });
    const ledger = await service.ledger(null);
    await service.close(null);
    return {
      backend: ready.device.backend,
      verdict: ready.device.selfTest.verdict,
      encoded: summary.encoded,
      residuals: entries.map((list) => list.map(({ residual }) => [...residual])),
      recalled: [before, after].map((list) => list.map(({ tokens }) => tokens)),
      first: first.map(({ kind }) => kind),
      second: events.map(({ kind, message }) => ({ kind, message })),
      held: ledger !== null && ledger.total > 0,
    };
  },
} as const;

export type LossChecks = typeof checks;
serveChecks(checks);
