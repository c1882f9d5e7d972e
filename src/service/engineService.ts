/**
 * @file The engine worker's service: it owns the device and the model, and runs src/flow on them. Its host gives it
 * devices and stores, so it runs in Node as well. The page calls its methods through src/rpc.
 */

import type { EmbedderReady } from "../records/embedder.ts";
import type { CachedModel, LoadProgress } from "../records/model.ts";
import type { Call } from "../rpc/wire.ts";
import { surveySummary } from "../runtime/capabilities.ts";
import { evaluationMethods } from "./evaluation/methods.ts";
import { embedderInUse } from "./helperModels.ts";
import { inspectionMethods, questionMethods } from "./memories/inspection.ts";
import { inspectModel } from "./model/source.ts";
import { createParts, stoppable, type ServiceParts } from "./parts.ts";
import { runMethods, withThrottle } from "./runs/runs.ts";
import type { ChooseEmbedder, DeviceEvent, EngineHost, MemorizeArgument, OpenModel } from "./types.ts";

export type EngineService = ReturnType<typeof createEngineService>;

export function createEngineService(host: EngineHost) {
  const parts = createParts(host);
  const { memories, model, pause, estimator } = parts;
  return {
    ...modelMethods(parts),
    ...runMethods(parts),
    ...inspectionMethods(parts),
    ...evaluationMethods(parts),
    ...questionMethods(parts),
    estimate: (argument: MemorizeArgument, { signal }: Call = {}) =>
      model.using(
        (engine, either) => estimator.estimate(stoppable(engine, either), argument, either),
        signal,
      ),
    /** Pauses or continues the long runs, between two steps; questions are answered meanwhile. */
    pause: async ({ paused }: { readonly paused: boolean }) => pause.set(paused),
    /** To be called when another worker changed a memory: the next question reads it again. */
    reload: async ({ memory }: { readonly memory: string }) => memories.reload(memory),
  };
}

function modelMethods({ host, model, embedder, listeners }: ServiceParts) {
  const inUse = (): EmbedderReady | null => embedderInUse(embedder.current(), model.engine());
  return {
    survey: async (_: null) => surveySummary(await host.survey()),
    /** Files, sizes and preflight of a model; fetches at most config.json. */
    inspect: (argument: Omit<OpenModel, "backend">) => inspectModel(host, argument),
    /** Downloads missing files (resumable), tests the backend and loads the weights; replaces the open model. */
    open: (argument: OpenModel, call: Call<LoadProgress> = {}) =>
      model.open(argument, withThrottle(host, call)),
    close: (_: null) => model.close(),
    /** Opens and calibrates an embedder, and replaces the one in use when no run uses it. If it fails the former stays. */
    async chooseEmbedder(
      argument: ChooseEmbedder,
      call: Call<LoadProgress> = {},
    ): Promise<EmbedderReady | null> {
      await embedder.choose(argument, withThrottle(host, call));
      return inUse();
    },
    embedder: async (_: null) => inUse(),
    ledger: async (_: null) => model.ledger(),
    cachedModels: (_: null) => host.hub.cached(),
    removeCachedModel: (copy: Pick<CachedModel, "repo" | "revision" | "onnx">) => host.hub.remove(copy),
    /** Reports every change of the device's state until the call is cancelled. */
    events: (_: null, { signal, onProgress }: Call<DeviceEvent> = {}): Promise<void> =>
      new Promise((resolve) => {
        const listener = (event: DeviceEvent): void => onProgress?.(event);
        listeners.add(listener);
        signal?.addEventListener("abort", () => {
          listeners.delete(listener);
          resolve();
        });
      }),
  };
}
