/**
 * @file What the engine worker does for the page: the model that is open, and the arrows of src/flow run on it with
 * the stores of the browser. Everything it needs of the machine comes from its host, so that it runs in Node as well.
 */

import { answer } from "../flow/answer.ts";
import { forget } from "../flow/forget.ts";
import { memorize, resume } from "../flow/memorize.ts";
import { pendingFacts } from "../flow/extend.ts";
import { assert } from "../lib/assert.ts";
import type { MemoryEntry } from "../records/memory.ts";
import type { DeviceEvent, EngineService } from "../rpc/protocol.ts";
import type { Call } from "../rpc/wire.ts";
import { createQueue, type Queue } from "../runtime/queue.ts";
import { inspectModel } from "./engineFiles.ts";
import { createGate, gated } from "./engineGate.ts";
import type { EngineHost } from "./engineHost.ts";
import { createMemories } from "./engineMemories.ts";
import { createModelSlot, type OpenedModel } from "./engineModel.ts";
import { contextOf, idsOf, resumedSummary, summaryOf, type RunCall } from "./engineRuns.ts";
import type { FlowContext, Progress } from "../flow/context.ts";
import type { MethodParams } from "../records/params.ts";
import { SHARP } from "../records/params.ts";

export function createEngineService(host: EngineHost): EngineService {
  const listeners = new Set<(event: DeviceEvent) => void>();
  const model = createModelSlot(host, (event) => {
    for (const listener of listeners) listener(event);
  });
  const memories = createMemories((memory) => host.openStore(memory));
  const gate = createGate();
  const lines = new Map<string, Queue>();
  /** Memories that a run is writing. */
  const busy = new Set<string>();

  /** One change of a memory at a time. */
  const inLine = <T>(memory: string, what: string, job: () => Promise<T>, signal?: AbortSignal) => {
    const line = lines.get(memory) ?? createQueue();
    lines.set(memory, line);
    return line.run(what, job, signal);
  };

  /** A long run that writes into a memory: pausable, cancellable, and what is open of the memory is opened anew. */
  const run = <T>(
    memory: string,
    params: MethodParams | null,
    { signal, onProgress }: Call<Progress>,
    work: (context: FlowContext) => Promise<T>,
  ): Promise<T> =>
    inLine(
      memory,
      "engine: the run",
      () =>
        model.using(async ({ engine, closed }) => {
          const both = AbortSignal.any(signal ? [signal, closed] : [closed]);
          const call: RunCall = { signal: both, ...(onProgress ? { onProgress } : {}) };
          const store = await host.openStore(memory);
          busy.add(memory);
          try {
            const own = params ?? (await store.load())?.params ?? SHARP;
            return await work(contextOf(host, gated(engine, gate, both), store, own, call));
          } finally {
            busy.delete(memory);
            memories.reload(memory);
          }
        }),
      signal,
    );

  /** A call that reads a memory. */
  const reading = <T>(work: (model: OpenedModel) => Promise<T>): Promise<T> => model.using(work);

  return {
    async survey() {
      const { webgpu, webgpuMissing, wasm } = await host.survey();
      return {
        webgpu: webgpu?.description ?? null,
        webgpuMissing: webgpuMissing ?? null,
        crossOriginIsolated: wasm.limits["crossOriginIsolated"] === 1,
        threads: wasm.threads,
      };
    },
    inspect: (argument) => inspectModel(host, argument),
    open: (argument, call = {}) => {
      memories.reload();
      return model.open(argument, call);
    },
    close: () => {
      memories.reload();
      return model.close();
    },
    ledger: async () => model.ledger(),
    cachedModels: async () => [],
    removeCachedModel: async () => undefined,
    events: (_, { signal, onProgress } = {}) =>
      new Promise((resolve) => {
        const listener = (event: DeviceEvent) => onProgress?.(event);
        listeners.add(listener);
        signal?.addEventListener("abort", () => {
          listeners.delete(listener);
          resolve();
        });
      }),

    estimate: async () => {
      throw new Error("not yet");
    },
    memorize: ({ memory, documents, params }, call = {}) =>
      run(memory, params, call, async (context) => {
        const before = idsOf(await context.store.load());
        const texts = await Promise.all(documents.map((id) => host.readDocument(id)));
        return summaryOf(await memorize(context, texts), before);
      }),
    resume: ({ memory }, call = {}) =>
      run(memory, null, call, async (context) => {
        const before = await context.store.load();
        if (!before || pendingFacts(before).length === 0) return null;
        const started = host.now();
        const after = await resume(context);
        return after && resumedSummary(after, before, host.now() - started);
      }),
    pause: async ({ paused }) => gate.set(paused),
    ask: ({ memory, question, settings }, { onProgress } = {}) =>
      reading(({ engine }) =>
        memories.using(engine, memory, (open) =>
          answer({ ...open, params: { ...open.params, ...settings } }, question, {
            now: () => host.now(),
            ...(onProgress ? { onText: onProgress } : {}),
          }),
        ),
      ),
    forget: async ({ memory, ids }) => {
      assert(
        !busy.has(memory),
        () =>
          "engine: a run is writing into this memory; wait until it ends or cancel it, then delete the facts",
      );
      return inLine(memory, "engine: deleting", () =>
        reading(async ({ engine }) => {
          const store = await host.openStore(memory);
          const stored = await store.load();
          assert(stored, () => "engine: nothing is stored in this memory, so nothing can be deleted");
          try {
            return (await forget({ engine, store, params: stored.params }, stored, new Set(ids))).certificate;
          } finally {
            memories.reload(memory);
          }
        }),
      );
    },
    recall: ({ memory, ids, settings }) =>
      reading(({ engine }) =>
        memories.using(engine, memory, ({ memory: { entries }, params, reader }) =>
          reader.recall(pick(entries, ids), { ...params, ...settings }),
        ),
      ),
    reencode: async () => {
      throw new Error("not yet");
    },
    probe: async () => {
      throw new Error("not yet");
    },
  };
}

/** Entries in the order of `ids`. */
function pick(entries: readonly MemoryEntry[], ids: readonly string[]): MemoryEntry[] {
  const byId = new Map<string, MemoryEntry>(entries.map((entry) => [entry.id, entry]));
  return ids.map((id) => {
    const entry = byId.get(id);
    assert(entry, () => `engine: fact ${id} is not stored in this memory; reload the list`);
    return entry;
  });
}
