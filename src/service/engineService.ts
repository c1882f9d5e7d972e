/**
 * @file The engine worker's service: it owns the device and the model, and runs src/flow on them with the browser's
 * stores. Everything it needs of the machine comes from its host, so it runs in Node as well. Each feature has its
 * methods in one file; the page calls them through src/rpc.
 */

import type { Embedder } from "../engine/embed.ts";
import { storedFacts } from "../flow/facts.ts";
import type { EmbedderReady } from "../records/embedder.ts";
import type { DocumentId } from "../records/ids.ts";
import type { BufferLedger, CachedModel, LoadProgress, ModelListing, ModelReady } from "../records/model.ts";
import type { ChooseHelper, RunService } from "../rpc/evaluation.ts";
import type { Call } from "../rpc/wire.ts";
import { surveySummary } from "../runtime/capabilities.ts";
import { createEstimator } from "./cost/estimator.ts";
import type { EvaluationParts } from "./evaluation/evaluation.ts";
import {
  chosenEmbedder,
  chosenHelpers,
  embedderInUse,
  type ChosenHelpers,
  type ChosenModel,
} from "./helperModels.ts";
import { inspectionMethods } from "./memories/inspection.ts";
import { createMemories } from "./memories/openMemories.ts";
import { questionMethods } from "./memories/questions.ts";
import { CurrentModel } from "./model/open.ts";
import { inspectModel } from "./model/source.ts";
import { runContext, type ServiceParts } from "./runs/context.ts";
import { createPause, stoppable } from "./runs/pause.ts";
import { runMethods } from "./runs/runs.ts";
import { throttled } from "./runs/summaries.ts";
import type {
  ChooseEmbedder,
  DeviceEvent,
  EngineHost,
  LoadCall,
  MemorizeArgument,
  MemorizeEstimate,
  OpenModel,
} from "./types.ts";

/** The engine worker's methods, as the page calls them. */
export type EngineService = ReturnType<typeof createEngineService>;

export function createEngineService(host: EngineHost) {
  const parts = partsOn(host);
  const { memories, model, pause, estimator } = parts;
  return {
    ...modelMethods(parts),
    ...runMethods(parts),
    ...inspectionMethods(parts),
    ...evaluationMethods(parts),
    ...questionMethods(parts),
    /** Encodes some of the facts to measure their cost; the signal ends that. */
    estimate: (argument: MemorizeArgument, { signal }: Call = {}): Promise<MemorizeEstimate> =>
      model.using(
        (engine, either) => estimator.estimate(stoppable(engine, either), argument, either),
        signal,
      ),
    /** Pauses or continues the long runs, between two steps; questions are answered meanwhile. */
    pause: async ({ paused }: { readonly paused: boolean }): Promise<void> => pause.set(paused),
    /** To be called when another worker changed a memory: the next question reads it again. */
    reload: async ({ memory }: { readonly memory: string }): Promise<void> => memories.reload(memory),
  };
}

interface Parts extends ServiceParts {
  readonly embedder: ChosenModel<Embedder>;
  readonly helpers: ChosenHelpers;
  readonly listeners: Set<(event: DeviceEvent) => void>;
}

function partsOn(host: EngineHost): Parts {
  const listeners: Parts["listeners"] = new Set();
  const memories = createMemories((memory) => host.openStore(memory));
  const model = new CurrentModel(host, {
    changed: (event) => {
      for (const listener of listeners) listener(event);
    },
    // Frees the vectors before their device.
    closing: () => memories.reload(),
    embedder: () => embedder.current(),
  });
  const embedder = chosenEmbedder(host, {
    idle: (signal) => model.idle(signal),
    changed: () => memories.reload(),
  });
  const estimator = createEstimator(host);
  return {
    host,
    listeners,
    memories,
    model,
    embedder,
    helpers: chosenHelpers(host, (signal) => model.idle(signal)),
    pause: createPause(() => host.now()),
    estimator,
  };
}

/** Opens the model and the text embedder, and reports their state. */
function modelMethods({ host, model, embedder, listeners }: Parts) {
  return {
    /** The backends of this browser, before anything is fetched. */
    survey: async (_: null) => surveySummary(await host.survey()),
    /** Files, sizes and preflight of a model; fetches at most config.json. */
    inspect: (argument: Omit<OpenModel, "backend">): Promise<ModelListing> => inspectModel(host, argument),
    /** Downloads missing files (resumable), tests the backend and loads the weights; replaces the open model. */
    open: (argument: OpenModel, call: Call<LoadProgress> = {}): Promise<ModelReady> =>
      model.open(argument, withThrottle(host, call)),
    /** Frees the model and the device. */
    close: (_: null): Promise<void> => model.close(),
    /**
     * Downloads, opens and calibrates an embedder, and replaces the one in use when no run uses it. It stays when another
     * model is opened. If it fails the former stays.
     */
    async chooseEmbedder(
      argument: ChooseEmbedder,
      call: Call<LoadProgress> = {},
    ): Promise<EmbedderReady | null> {
      await embedder.choose(argument, withThrottle(host, call));
      return embedderInUse(embedder.current(), model.engine());
    },
    /** The embedder in use; null if none is chosen and no model is open. */
    embedder: async (_: null): Promise<EmbedderReady | null> =>
      embedderInUse(embedder.current(), model.engine()),
    ledger: async (_: null): Promise<BufferLedger | null> => model.ledger(),
    cachedModels: (_: null): Promise<readonly CachedModel[]> => host.hub.cached(),
    removeCachedModel: (copy: Pick<CachedModel, "repo" | "revision" | "onnx">): Promise<void> =>
      host.hub.remove(copy),
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

const withThrottle = (host: EngineHost, { onProgress, ...call }: LoadCall): LoadCall => ({
  ...call,
  ...(onProgress ? { onProgress: throttled(onProgress, () => host.now()) } : {}),
});

function evaluationMethods(parts: Parts): RunService {
  const { host, model, memories, embedder, helpers } = parts;
  type Code = typeof import("./evaluation/evaluation.ts");

  /** Work of src/evaluate, whose code is fetched when it is first needed. */
  async function evaluating<T>(
    signal: AbortSignal | undefined,
    work: (code: Code, parts: EvaluationParts) => Promise<T>,
  ): Promise<T> {
    const code = await import("./evaluation/evaluation.ts");
    return model.using((engine, either) => {
      const { reranker, compressor } = helpers;
      const own = {
        files: host.benchmarkFiles,
        embedder: embedder.current() !== null,
        helpers: { reranker: reranker.current(), compressor: compressor.current() },
        facts: (memory: string) =>
          memories.using(engine, memory, (open) => Promise.resolve(storedFacts(open.memory))),
        document: (id: DocumentId) => host.readDocument(id),
      };
      return work(code, { ...runContext(parts, engine, either), ...own });
    }, signal);
  }

  return {
    async chooseHelper({ helper, ...argument }: ChooseHelper, call = {}) {
      await helpers[helper].choose(argument, withThrottle(host, call));
      return helpers[helper].current()?.name ?? null;
    },
    planRun: (argument, { signal } = {}) =>
      evaluating(signal, ({ planRun }, given) => planRun(argument, given)),
    makeRecords: (argument, { signal, onProgress } = {}) =>
      evaluating(signal, ({ makeRecords }, given) =>
        makeRecords(argument, given, (event) => onProgress?.(event)),
      ),
  };
}
