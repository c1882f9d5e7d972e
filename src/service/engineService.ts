/** @file The engine worker's service: it owns the device and the model, and runs src/flow on them, in Node as well. */

import { wasRead } from "../records/answer.ts";
import type { EmbedderReady } from "../records/embedder.ts";
import type { CachedModel, LoadProgress } from "../records/model.ts";
import type { Call } from "../rpc/wire.ts";
import { surveySummary } from "../runtime/capabilities.ts";
import { embedderInUse } from "./helperModels.ts";
import { inspectModel } from "./model/source.ts";
import { createParts, stoppable, type ServiceParts, runContext, usingMemory } from "./parts.ts";
import { runMethods, withThrottle } from "./runs/runs.ts";
import type {
  ChooseEmbedder,
  DeviceEvent,
  EngineHost,
  MemorizeArgument,
  OpenModel,
  FactArgument,
} from "./types.ts";
import { saidFacts } from "../flow/sayFacts.ts";
import type { Helper } from "../records/evaluation.ts";
import type { DocumentId, FactId, LayerIndex } from "../records/ids.ts";
import type { EvaluationParts, RunArgument, RunEvent } from "./evaluation/evaluation.ts";
import { layerGeometry, nearest, mapSet, vectorMaps, type MapSet } from "../figures/map.ts";
import { answer, type OpenMemory } from "../flow/answer.ts";
import { lensFact, promptOf, traceFact } from "../flow/inspect.ts";
import { traceExtraction } from "../flow/readTexts.ts";
import { suggest } from "../flow/suggest.ts";
import type { MapRequest } from "../records/geometry.ts";
import type { MethodParams } from "../records/params.ts";
import type { Progress, AskProgress } from "../records/progress.ts";
import { vectorsOfKind, withVectors } from "../records/vectors.ts";
import { present } from "../lib/assert.ts";
import { aborted } from "../lib/promises.ts";
import type { ReadSettings } from "../records/notebook.ts";

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
    async chooseEmbedder(argument: ChooseEmbedder, call: Call<LoadProgress> = {}) {
      await embedder.choose(argument, withThrottle(host, call));
      return inUse();
    },
    embedder: async (_: null) => inUse(),
    ledger: async (_: null) => model.ledger(),
    cachedModels: (_: null) => host.hub.cached(),
    removeCachedModel: (copy: Pick<CachedModel, "repo" | "revision" | "onnx">) => host.hub.remove(copy),
    /** Reports every change of the device's state until the call is cancelled. */
    async events(_: null, { signal, onProgress }: Call<DeviceEvent> = {}): Promise<void> {
      const listener = (event: DeviceEvent): void => onProgress?.(event);
      listeners.add(listener);
      await aborted(signal);
      listeners.delete(listener);
    },
  };
}

/** The model for methods that need one; null: none, and these methods are left out. */
export interface ChooseHelper extends ChooseEmbedder {
  readonly helper: Helper;
}

function evaluationMethods(parts: ServiceParts) {
  const { host, model, memories, embedder, helpers } = parts;
  type Code = typeof import("./evaluation/evaluation.ts");

  async function evaluating<T>(
    signal: AbortSignal | undefined,
    work: (code: Code, parts: EvaluationParts) => Promise<T>,
  ): Promise<T> {
    const code = await import("./evaluation/evaluation.ts");
    return model.using((engine, either) => {
      const { reranker, compressor } = helpers;
      return work(code, {
        ...runContext(parts, engine, either),
        files: host.benchmarkFiles,
        embedder: embedder.current() !== null,
        helpers: { reranker: reranker.current(), compressor: compressor.current() },
        facts: (memory) => memories.using(engine, memory, (open) => saidFacts(engine, open.memory, either)),
        document: (id: DocumentId) => host.readDocument(id),
      });
    }, signal);
  }

  return {
    /** Opens and tries a helper when no run is active; resolves to its name. If it rejects, the former helper stays. */
    async chooseHelper({ helper, ...argument }: ChooseHelper, call: Call<LoadProgress> = {}) {
      await helpers[helper].choose(argument, withThrottle(host, call));
      return helpers[helper].current()?.name ?? null;
    },
    /** Opens the benchmark and its methods, or the study, on the open model; asks the model nothing. */
    planRun: (argument: RunArgument, { signal }: Call = {}) =>
      evaluating(signal, ({ planRun }, given) => planRun(argument, given)),
    makeRecords: (
      argument: RunArgument & { readonly have: readonly string[] },
      { signal, onProgress }: Call<RunEvent> = {},
    ) =>
      evaluating(signal, ({ makeRecords }, given) =>
        makeRecords(argument, given, (event) => onProgress?.(event)),
      ),
  };
}

interface GeometryArgument {
  readonly memory: string;
  readonly layer: LayerIndex;
  readonly matrix: number;
  readonly margins: number;
}

function inspectionMethods(parts: ServiceParts) {
  const { host, model, memories } = parts;
  const look = <T>(memory: string, { signal }: Call, work: (open: OpenMemory) => Promise<T>): Promise<T> =>
    usingMemory(parts, memory, signal, work);
  return {
    /** The recall of one fact by both reads, position by position. */
    trace: ({ memory, id }: FactArgument, call: Call = {}) =>
      look(memory, call, ({ engine, memory: stored, params }) => traceFact(engine, stored, id, params)),
    lens: ({ memory, id }: FactArgument, call: Call = {}) =>
      look(memory, call, ({ engine, memory: stored }) => lensFact(engine, stored, id)),
    /** A fact's recall prompt in tokens, and how much of the window its value, or `value`, takes. */
    prompt: ({ memory, id, value }: FactArgument & { readonly value?: string }) =>
      look(memory, {}, async ({ engine, memory: stored }) => promptOf(engine, stored, id, value)),
    extraction: (
      { document, params }: { readonly document: DocumentId; readonly params: MethodParams },
      { signal, onProgress }: Call<Progress> = {},
    ) =>
      model.using(async (engine, either) => {
        const context = { ...runContext(parts, engine, either), params };
        const text = await host.readDocument(document);
        return traceExtraction({ ...context, onProgress }, text);
      }, signal),
    geometry: ({ memory, layer, ...limits }: GeometryArgument, call: Call = {}) =>
      look(memory, call, async ({ memory: stored }) => {
        const ofLayer = stored.entries.filter((entry) => (entry.layer as number) === layer);
        return layerGeometry(await withVectors(stored, ofLayer), layer, limits);
      }),
    /** Keys or residuals in two dimensions: one map per memory, all in one projection. Progress is a share of 1. */
    map: (
      { memories: chosen, request }: { readonly memories: readonly string[]; readonly request: MapRequest },
      { signal, onProgress }: Call<number> = {},
    ) =>
      model.using(async (engine, either) => {
        const { length } = chosen;
        const sets: MapSet[] = [];
        // One at a time: few memories are kept open. Only vectors of the shown points are read.
        for (const memory of chosen)
          sets.push(
            await memories.using(engine, memory, ({ memory: stored }) =>
              mapSet(stored.entries, request, length, (shown) => vectorsOfKind(stored, shown, request.of)),
            ),
          );
        return vectorMaps(sets, request, { signal: either, onProgress });
      }, signal),
    nearest: ({ memory, id, count }: FactArgument & { readonly count: number }) =>
      look(memory, {}, async ({ memory: stored }) => ({
        byKey: await nearest(stored, id, "key", count),
        byResidual: await nearest(stored, id, "residual", count),
      })),
  };
}

interface AskArgument {
  readonly memory: string;
  readonly question: string;
  readonly settings: ReadSettings | null;
}

const questionMethods = (parts: ServiceParts) => ({
  /** Questions that these sentences answer and that lead to them, made by rule; see flow/suggest.ts. */
  suggest: (
    { memory, said }: Readonly<{ memory: string; said: ReadonlyMap<FactId, string> }>,
    { signal }: Call = {},
  ) => usingMemory(parts, memory, signal, (open) => suggest(open, said)),
  ask: ({ memory, question, settings }: AskArgument, { signal, onProgress }: Call<AskProgress> = {}) =>
    usingMemory(parts, memory, signal, (open, either) => {
      const params = { ...open.params, ...settings };
      const options = { now: parts.host.now, signal: either };
      // Without a listener the facts are recalled at once, not the first ones before the others.
      if (!onProgress) return answer({ ...open, params }, question, options);
      let recalled: readonly string[] = [];
      return answer({ ...open, params }, question, {
        ...options,
        onText: (text) => onProgress({ text, recalled }),
        onRecalled(facts) {
          recalled = facts.filter(wasRead).map(({ text }) => text);
          onProgress({ text: "", recalled });
        },
      });
    }),
  recall: ({ memory, ids }: Readonly<{ memory: string; ids: readonly FactId[] }>, { signal }: Call = {}) =>
    usingMemory(parts, memory, signal, ({ facts, params, reader }, either) => {
      const gone = (id: FactId) => `engine: fact ${id} is not stored in this memory; reload the list`;
      const asked = ids.map((id) => present(facts.get(id), () => gone(id)));
      return reader.recall(asked, params, either);
    }),
});
