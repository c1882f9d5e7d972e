/**
 * @file The long runs on the model: memorise, resume, re-encode and probe. They stop between two device calls while
 * paused; changes of one memory are made one after another.
 */

import type { FlowContext } from "../../flow/context.ts";
import { pendingFacts } from "../../flow/facts.ts";
import { forget } from "../../flow/forget.ts";
import { memorize, resume } from "../../flow/memorize.ts";
import { planLayers } from "../../flow/layerProbe.ts";
import { reencode, type FactChange } from "../../flow/reencode.ts";
import { holdsWords } from "../../flow/wordless.ts";
import { assert, present } from "../../lib/assert.ts";
import type { DeletionCertificate } from "../../records/answer.ts";
import type { FactId, LayerIndex } from "../../records/ids.ts";
import type { FactRow, MemorizeSummary } from "../../records/notebook.ts";
import type { MethodParams } from "../../records/params.ts";
import type { LayerPlan } from "../../records/plan.ts";
import type { DeletionProgress, Progress } from "../../records/progress.ts";
import type { Call } from "../../rpc/wire.ts";
import { createQueue, type Queue } from "../../runtime/queue.ts";
import type { FactArgument, MemorizeArgument, ModelWork } from "../types.ts";
import { runContext, type ServiceParts } from "../parts.ts";
import { factRow, summaryOf, throttled } from "./summaries.ts";

/** Changes to one stored fact: another value, another layer, or the same once more. */
export type ReencodeArgument = FactArgument & FactChange;

interface ProbeArgument {
  readonly params: MethodParams;
  /** Null: as many layers as the parameters ask for. */
  readonly layers: readonly LayerIndex[] | null;
}

export function runMethods(parts: ServiceParts) {
  const { host, estimator } = parts;
  const changes = changesOf(parts);
  return {
    memorize: (argument: MemorizeArgument, call: Call<Progress> = {}): Promise<MemorizeSummary> =>
      changes.run(argument.memory, call, async (given) => {
        const { documents, params, layers } = argument;
        const texts = await Promise.all(documents.map((id) => host.readDocument(id)));
        const { engine } = given;
        const estimate = await estimator.forRun(engine, argument);
        const probed = estimator.probed(engine, params);
        const report = await memorize({ ...given, params, probed, estimate, layers }, texts);
        const { layerPlan } = report.plan;
        if (layerPlan) estimator.keepProbes(engine, params, layerPlan.choices);
        await estimator.learn(engine, report.rates);
        return summaryOf(report);
      }),
    /** Encodes the facts that an interrupted run left; null if none are left. */
    resume: (
      { memory }: { readonly memory: string },
      call: Call<Progress> = {},
    ): Promise<MemorizeSummary | null> =>
      changes.run(memory, call, async (given) => {
        const before = await given.store.open();
        if (!before || (pendingFacts(before).length === 0 && !holdsWords(before))) return null;
        const estimate = { seconds: null, rates: await estimator.rates(given.engine) };
        const report = await resume({ ...given, params: before.params, estimate });
        if (report) await estimator.learn(given.engine, report.rates);
        return report && summaryOf(report);
      }),
    /** Returns the row of the new encoding; of equal value and layer the better one is stored, which may be the former. */
    reencode: ({ memory, id, ...change }: ReencodeArgument, call: Call<Progress> = {}): Promise<FactRow> =>
      changes.run(memory, call, async (given) => {
        const stored = present(await given.store.open(), () => NOTHING_STORED);
        const done = await reencode({ ...given, params: stored.params }, stored, id, change);
        return factRow(done.memory, done.entries);
      }),
    /** Can be cancelled while it asks and compares; nothing changes until then. */
    forget: (
      { memory, ids }: { readonly memory: string; readonly ids: readonly FactId[] },
      { signal: own, onProgress }: Call<DeletionProgress> = {},
    ): Promise<DeletionCertificate> =>
      changes.short(memory, own, async (engine, signal) => {
        const store = await host.openStore(memory);
        const stored = present(await store.open(), () => NOTHING_STORED);
        const context = { engine, store, params: stored.params, cache: host.cache, signal };
        const onAsked = onProgress && throttled(onProgress, host.now);
        return (await forget({ ...context, onAsked }, stored, new Set(ids))).certificate;
      }),
    probe: (
      { params, layers }: ProbeArgument,
      { signal, onProgress }: Call<Progress> = {},
    ): Promise<LayerPlan> =>
      parts.model.using(async (engine, either) => {
        const context = { ...runContext(parts, engine, either), params };
        const told = onProgress && throttled(onProgress, host.now);
        const plan = await planLayers({ ...context, onProgress: told }, layers ?? undefined);
        estimator.keepProbes(context.engine, params, plan.choices);
        return plan;
      }, signal),
  };
}

/** Changes of stored memories, one at a time per memory; the memory is reopened afterwards. */
function changesOf(parts: ServiceParts) {
  const { host, model, memories } = parts;
  const lines = new Map<string, Queue>();
  /** Memories that a run is writing into. */
  const busy = new Set<string>();
  function inLine<T>(memory: string, work: ModelWork<T>, signal: AbortSignal | undefined): Promise<T> {
    const line = lines.get(memory) ?? createQueue();
    lines.set(memory, line);
    const change = (): Promise<T> => model.using(work, signal).finally(() => memories.reload(memory));
    return line.run("engine: a run on this memory", change, signal);
  }
  return {
    run: <T>(
      memory: string,
      { signal, onProgress }: Call<Progress>,
      work: (context: FlowContext) => Promise<T>,
    ): Promise<T> =>
      inLine(
        memory,
        async (engine, either) => {
          busy.add(memory);
          try {
            const store = await host.openStore(memory);
            const told = onProgress && throttled(onProgress, host.now);
            return await work({ ...runContext(parts, engine, either), store, onProgress: told });
          } finally {
            busy.delete(memory);
          }
        },
        signal,
      ),
    /** A short one, which does not wait for a run. */
    async short<T>(memory: string, signal: AbortSignal | undefined, work: ModelWork<T>): Promise<T> {
      assert(!busy.has(memory), () => BUSY);
      return inLine(memory, work, signal);
    },
  };
}

const NOTHING_STORED = "engine: nothing is stored in this memory; memorise a source first";
const BUSY =
  "engine: a run is writing into this memory; wait until it ends, or cancel it, and delete the facts then";
