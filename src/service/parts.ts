/** @file The parts of the engine service, and the context of work on the open model. */

import type { Engine } from "../engine/engine.ts";
import type { OpenMemory } from "../flow/answer.ts";
import type { FlowContext } from "../flow/context.ts";
import { SHARP } from "../records/params.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import { createEstimator } from "./cost/estimator.ts";
import { chosenEmbedder, chosenHelpers } from "./helperModels.ts";
import { createMemories } from "./memories/openMemories.ts";
import { CurrentModel } from "./model/open.ts";
import type { DeviceEvent, EngineHost } from "./types.ts";
import { intercept } from "../engine/intercept.ts";
import { Cancelled, throwIfCancelled } from "../lib/assert.ts";

export type ServiceParts = ReturnType<typeof createParts>;

export function createParts(host: EngineHost) {
  const listeners = new Set<(event: DeviceEvent) => void>();
  const memories = createMemories((memory) => host.openStore(memory));
  const model: CurrentModel = new CurrentModel(host, {
    changed: (event) => {
      for (const listener of listeners) listener(event);
    },
    // Frees the vectors before their device.
    closing: () => memories.reload(),
    embedder: () => embedder.current(),
  });
  const idle = (signal?: AbortSignal): Promise<void> => model.idle(signal);
  const embedder = chosenEmbedder(host, { idle, changed: () => memories.reload() });
  return {
    ...{ host, listeners, memories, model, embedder },
    helpers: chosenHelpers(host, idle),
    pause: createPause(() => host.now()),
    estimator: createEstimator(host),
  };
}

/** The context of one run: it waits while runs are paused, ends on `signal` and stores in memory only. */
export function runContext({ host, pause }: ServiceParts, engine: Engine, signal: AbortSignal) {
  return {
    engine: pausable(engine, pause, signal),
    store: inMemoryStore(),
    params: SHARP,
    // Time in a pause does not count.
    now: () => host.now() - pause.held(),
    date: () => host.date(),
    signal,
    cache: host.cache,
  } satisfies FlowContext;
}

/** Runs `work` on a memory opened for questions, also while runs are paused; its engine ends with Cancelled on the signal. */
export const usingMemory = <T>(
  { model, memories }: ServiceParts,
  memory: string,
  signal: AbortSignal | undefined,
  work: (open: OpenMemory, either: AbortSignal) => Promise<T>,
): Promise<T> =>
  model.using(
    (engine, either) =>
      memories.using(engine, memory, (open) => work({ ...open, engine: stoppable(engine, either) }, either)),
    signal,
  );

type Pause = ReturnType<typeof createPause>;

export function createPause(now: () => number) {
  let paused = false;
  let [since, before] = [0, 0];
  const waiting = new Set<() => void>();
  return {
    /** Resolves when runs are not paused; rejects with Cancelled when the signal fires. */
    async over(signal: AbortSignal): Promise<void> {
      throwIfCancelled(signal, "engine");
      while (paused)
        await new Promise<void>((resolve, reject) => {
          const leave = (): void => {
            signal.removeEventListener("abort", leave);
            waiting.delete(leave);
            if (signal.aborted) reject(new Cancelled("engine: cancelled while paused"));
            else resolve();
          };
          waiting.add(leave);
          signal.addEventListener("abort", leave);
        });
    },
    /** Milliseconds that runs were paused in all. */
    held: (): number => before + (paused ? now() - since : 0),
    set(value: boolean): void {
      if (value && !paused) since = now();
      if (!value && paused) before += now() - since;
      paused = value;
      if (!paused) for (const leave of [...waiting]) leave();
    },
  };
}

/** `engine` for one run: every call on the device waits while runs are paused, and ends with Cancelled on the signal. */
export function pausable(engine: Engine, pause: Pause, signal: AbortSignal): Engine {
  return intercept(engine, async (_, call) => {
    await pause.over(signal);
    return call(signal);
  });
}

/** `engine` for work that continues while runs are paused: every call on the device ends with Cancelled on the signal. */
export function stoppable(engine: Engine, signal: AbortSignal): Engine {
  return intercept(engine, async (_, call) => {
    throwIfCancelled(signal, "engine");
    return call(signal);
  });
}
