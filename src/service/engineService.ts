/**
 * @file What the engine worker does for the page: the model that is open, and the arrows of src/flow run on it with
 * the stores of the browser. Everything it needs of the machine comes from its host, so that it runs in Node as well.
 *
 * Rooms beside it: model/ the open model, from its files to its device and over a loss of it; runs/ what takes long and
 * can be paused; memories/ what is open for questions, looks and studies;
 * evaluation/ methods on benchmarks; cost/ what a run will take; library/ the
 * other worker's service.
 */

import { answer } from "../flow/answer.ts";
import { present } from "../lib/assert.ts";
import { groupBy } from "../lib/group.ts";
import type { MemoryEntry } from "../records/memory.ts";
import type { DeviceEvent, EngineService } from "../rpc/protocol.ts";
import { createCosts } from "./cost/costs.ts";
import { createEstimator } from "./cost/estimate.ts";
import { inspectModel } from "./model/files.ts";
import { createPause, pausable, stoppable } from "./runs/pause.ts";
import type { EngineHost } from "./engineHost.ts";
import type { EvaluationParts } from "./evaluation/evaluation.ts";
import { createMemories } from "./memories/openMemories.ts";
import { createEmbedderSlot } from "./model/embedder.ts";
import { ModelSlot } from "./model/slot.ts";
import { createRuns } from "./runs/runs.ts";
import { throttled } from "./runs/summaries.ts";
import { surveyed } from "./model/survey.ts";
import { createInspection } from "./memories/inspection.ts";

export function createEngineService(host: EngineHost): EngineService {
  const listeners = new Set<(event: DeviceEvent) => void>();
  const memories = createMemories((memory) => host.openStore(memory));
  const model = new ModelSlot(host, {
    changed: (event) => {
      for (const listener of listeners) listener(event);
    },
    // Vectors on the device go before the device does.
    closing: () => memories.reload(),
    embedder: () => embedder.current(),
  });
  const embedder = createEmbedderSlot(host, {
    idle: (signal) => model.idle(signal),
    changed: () => memories.reload(),
  });
  const pause = createPause();
  const costs = createCosts(host);
  const estimator = createEstimator(host, costs);

  /** Work of src/evaluate, whose code is fetched when it is first asked for. */
  async function evaluating<T>(
    signal: AbortSignal | undefined,
    work: (code: typeof import("./evaluation/evaluation.ts"), parts: EvaluationParts) => Promise<T>,
  ): Promise<T> {
    const code = await import("./evaluation/evaluation.ts");
    return model.using(({ engine, closed }) => {
      const either = AbortSignal.any(signal ? [signal, closed] : [closed]);
      return work(code, {
        engine: pausable(engine, pause, either),
        signal: either,
        files: host.benchmarkFiles,
        embedder: embedder.current() !== null,
        now: () => host.now(),
        date: () => host.date(),
      });
    });
  }

  return {
    survey: async () => surveyed(await host.survey()),
    inspect: (argument) => inspectModel(host, argument),
    open: (argument, { onProgress, ...call } = {}) =>
      model.open(argument, {
        ...call,
        ...(onProgress ? { onProgress: throttled(onProgress, () => host.now()) } : {}),
      }),
    close: () => model.close(),
    chooseEmbedder: async (argument, { onProgress, ...call } = {}) => {
      await embedder.choose(argument, {
        ...call,
        ...(onProgress ? { onProgress: throttled(onProgress, () => host.now()) } : {}),
      });
      return embedder.ready(model.engine());
    },
    embedder: async () => embedder.ready(model.engine()),
    ledger: async () => model.ledger(),
    cachedModels: () => host.hub.cached(),
    removeCachedModel: (copy) => host.hub.remove(copy),
    events: (_, { signal, onProgress } = {}) =>
      new Promise((resolve) => {
        const listener = (event: DeviceEvent): void => onProgress?.(event);
        listeners.add(listener);
        signal?.addEventListener("abort", () => {
          listeners.delete(listener);
          resolve();
        });
      }),

    ...createRuns({ host, model, memories, pause, costs, estimator }),
    ...createInspection({
      using: (signal, work) =>
        model.using(({ engine, closed }) =>
          work(engine, AbortSignal.any(signal ? [signal, closed] : [closed])),
        ),
      paced: (engine, signal) => pausable(engine, pause, signal),
      reading: (engine, memory, work) => memories.using(engine, memory, work),
      readDocument: (id) => host.readDocument(id),
      now: () => host.now(),
      date: () => host.date(),
    }),
    planEvaluation: (argument, { signal } = {}) =>
      evaluating(signal, async ({ planEvaluation }, parts) => planEvaluation(argument, parts)),
    runEvaluation: (argument, { signal, onProgress } = {}) =>
      evaluating(signal, ({ evaluateOn }, parts) =>
        evaluateOn(argument, parts, (event) => onProgress?.(event)),
      ),
    estimate: (argument, { signal } = {}) =>
      model.using((opened) =>
        estimator.estimate(
          opened,
          argument,
          AbortSignal.any(signal ? [signal, opened.closed] : [opened.closed]),
        ),
      ),
    pause: async ({ paused }) => pause.set(paused),
    reload: async ({ memory }) => memories.reload(memory),

    ask: ({ memory, question, settings }, { signal, onProgress } = {}) =>
      model.using(({ engine, closed }) =>
        memories.using(engine, memory, (open) => {
          // Questions are answered while runs are paused.
          const asking = stoppable(engine, AbortSignal.any(signal ? [signal, closed] : [closed]));
          const asked = { ...open, engine: asking, params: { ...open.params, ...settings } };
          return answer(asked, question, {
            now: () => host.now(),
            ...(onProgress ? { onText: onProgress } : {}),
          });
        }),
      ),
    recall: ({ memory, ids, settings }) =>
      model.using(({ engine }) =>
        memories.using(engine, memory, ({ memory: { entries }, params, reader }) =>
          reader.recall(pick(entries, ids), { ...params, ...settings }),
        ),
      ),
  };
}

/** The entries of each fact, in the order of `ids`. */
function pick(entries: readonly MemoryEntry[], ids: readonly string[]): MemoryEntry[][] {
  const byId = groupBy<MemoryEntry, string>(entries, ({ id }) => id);
  return ids.map((id) =>
    present(byId.get(id), () => `engine: fact ${id} is not stored in this memory; reload the list`),
  );
}
