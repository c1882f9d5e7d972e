/**
 * @file What the engine worker does for the page: the model that is open, and the arrows of src/flow run on it with
 * the stores of the browser. Everything it needs of the machine comes from its host, so that it runs in Node as well.
 *
 * Rooms beside it: model/ the open model, from its files to its device and over a loss of it; runs/ what takes long and
 * can be paused; memories/ what is open for questions, looks and studies; evaluation/ methods on benchmarks; cost/ what
 * a run will take; library/ the other worker's service.
 */

import type { Embedder } from "../engine/embed.ts";
import { answer } from "../flow/answer.ts";
import { present } from "../lib/assert.ts";
import { groupBy } from "../lib/group.ts";
import type { EntryMeta } from "../records/memory.ts";
import type { DeviceEvent, EngineService } from "../rpc/protocol.ts";
import type { Call } from "../rpc/wire.ts";
import { surveySummary } from "../runtime/capabilities.ts";
import { createCosts } from "./cost/costs.ts";
import { createEstimator } from "./cost/estimate.ts";
import type { EvaluationParts } from "./evaluation/evaluation.ts";
import {
  chosenEmbedder,
  chosenHelpers,
  embedderInUse,
  type ChosenHelpers,
  type ChosenModel,
} from "./helperModels.ts";
import { createInspection } from "./memories/inspection.ts";
import { createMemories } from "./memories/openMemories.ts";
import { CurrentModel } from "./model/open.ts";
import { inspectModel } from "./model/source.ts";
import { runContext, type ServiceParts } from "./runs/context.ts";
import { createPause, stoppable } from "./runs/pause.ts";
import { createRuns } from "./runs/runs.ts";
import { throttled } from "./runs/summaries.ts";
import type { EngineHost, LoadCall } from "./types.ts";

export function createEngineService(host: EngineHost): EngineService {
  const parts = partsOn(host);
  const { memories, model, pause, estimator } = parts;
  return {
    ...modelCalls(parts),
    ...createRuns(parts),
    ...createInspection(parts),
    ...evaluationCalls(parts),
    ...questionCalls(parts),
    estimate: (argument, { signal } = {}) =>
      model.using(
        (engine, either) => estimator.estimate(stoppable(engine, either), argument, either),
        signal,
      ),
    pause: async ({ paused }) => pause.set(paused),
    reload: async ({ memory }) => memories.reload(memory),
  };
}

interface Parts extends ServiceParts {
  readonly embedder: ChosenModel<Embedder>;
  readonly helpers: ChosenHelpers;
  /** Who is told of changes of the device. */
  readonly listeners: Set<(event: DeviceEvent) => void>;
}

function partsOn(host: EngineHost): Parts {
  const listeners: Parts["listeners"] = new Set();
  const memories = createMemories((memory) => host.openStore(memory));
  const model = new CurrentModel(host, {
    changed: (event) => {
      for (const listener of listeners) listener(event);
    },
    // Vectors on the device go before the device does.
    closing: () => memories.reload(),
    embedder: () => embedder.current(),
  });
  const embedder = chosenEmbedder(host, {
    idle: (signal) => model.idle(signal),
    changed: () => memories.reload(),
  });
  const costs = createCosts(host);
  const estimator = createEstimator(host, costs);
  return {
    host,
    listeners,
    memories,
    model,
    embedder,
    helpers: chosenHelpers(host, (signal) => model.idle(signal)),
    pause: createPause(() => host.now()),
    costs,
    estimator,
  };
}

type ModelCall =
  | "survey"
  | "inspect"
  | "open"
  | "close"
  | "chooseEmbedder"
  | "embedder"
  | "ledger"
  | "cachedModels"
  | "removeCachedModel"
  | "events";

/** The model and the embedder, what there is of them and what becomes of them. */
function modelCalls({ host, model, embedder, listeners }: Parts): Pick<EngineService, ModelCall> {
  return {
    survey: async () => surveySummary(await host.survey()),
    inspect: (argument) => inspectModel(host, argument),
    open: (argument, call = {}) => model.open(argument, calm(host, call)),
    close: () => model.close(),
    chooseEmbedder: async (argument, call = {}) => {
      await embedder.choose(argument, calm(host, call));
      return embedderInUse(embedder.current(), model.engine());
    },
    embedder: async () => embedderInUse(embedder.current(), model.engine()),
    ledger: async () => model.ledger(),
    cachedModels: () => host.hub.cached(),
    removeCachedModel: (copy) => host.hub.remove(copy),
    events: (_, call) => listening(listeners, call),
  };
}

const calm = (host: EngineHost, { onProgress, ...call }: LoadCall): LoadCall => ({
  ...call,
  ...(onProgress ? { onProgress: throttled(onProgress, () => host.now()) } : {}),
});

/** Tells of every event until the call is cancelled. */
function listening(
  listeners: Parts["listeners"],
  { signal, onProgress }: Call<DeviceEvent> = {},
): Promise<void> {
  return new Promise((resolve) => {
    const listener = (event: DeviceEvent): void => onProgress?.(event);
    listeners.add(listener);
    signal?.addEventListener("abort", () => {
      listeners.delete(listener);
      resolve();
    });
  });
}

function evaluationCalls(
  parts: Parts,
): Pick<EngineService, "chooseHelper" | "planEvaluation" | "runEvaluation"> {
  const { host, model, embedder, helpers } = parts;
  type Code = typeof import("./evaluation/evaluation.ts");

  /** Work of src/evaluate, whose code is fetched when it is first asked for. */
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
      };
      return work(code, { ...runContext(parts, engine, either), ...own });
    }, signal);
  }

  return {
    async chooseHelper({ helper, ...argument }, call = {}) {
      await helpers[helper].choose(argument, calm(host, call));
      return helpers[helper].current()?.name ?? null;
    },
    planEvaluation: (argument, { signal } = {}) =>
      evaluating(signal, async ({ planEvaluation }, given) => planEvaluation(argument, given)),
    runEvaluation: (argument, { signal, onProgress } = {}) =>
      evaluating(signal, ({ evaluateOn }, given) =>
        evaluateOn(argument, given, (event) => onProgress?.(event)),
      ),
  };
}

/** What is answered while runs are paused. */
function questionCalls({ host, model, memories }: Parts): Pick<EngineService, "ask" | "recall"> {
  return {
    ask: ({ memory, question, settings }, { signal, onProgress } = {}) =>
      model.using(
        (engine, either) =>
          memories.using(engine, memory, (open) => {
            const params = { ...open.params, ...settings };
            return answer({ ...open, engine: stoppable(engine, either), params }, question, {
              now: () => host.now(),
              signal: either,
              ...(onProgress && { onText: (text: string) => onProgress({ text }) }),
            });
          }),
        signal,
      ),
    recall: ({ memory, ids, settings }, { signal } = {}) =>
      model.using(
        (engine, either) =>
          memories.using(engine, memory, ({ memory: { entries }, params, reader }) =>
            reader.recall(pick(entries, ids), { ...params, ...settings }, either),
          ),
        signal,
      ),
  };
}

/** The entries of each fact, in the order of `ids`. */
function pick(entries: readonly EntryMeta[], ids: readonly string[]): EntryMeta[][] {
  const byId = groupBy<EntryMeta, string>(entries, ({ id }) => id);
  return ids.map((id) =>
    present(byId.get(id), () => `engine: fact ${id} is not stored in this memory; reload the list`),
  );
}
