/**
 * @file The long runs on the model: memorise, resume, re-encode and probe. They stop between two calls on the device
 * while paused, end on cancel, and changes of one memory are made one after another.
 */

import type { Engine } from "../../engine/engine.ts";
import type { FlowContext } from "../../flow/context.ts";
import { pendingFacts } from "../../flow/facts.ts";
import { forget } from "../../flow/forget.ts";
import { memorize, resume } from "../../flow/memorize.ts";
import { planLayers } from "../../flow/layerProbe.ts";
import { reencode } from "../../flow/reencode.ts";
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
import type { MemorizeArgument, ModelWork } from "../types.ts";
import { runContext, type ServiceParts } from "./context.ts";
import { factRow, summaryOf, throttled } from "./summaries.ts";

/** Changes to one stored fact: another value, another layer, or the same once more. */
export interface ReencodeArgument {
  readonly memory: string;
  readonly id: FactId;
  readonly value?: string;
  readonly layer?: LayerIndex;
}

interface ForgetArgument {
  readonly memory: string;
  readonly ids: readonly FactId[];
}

interface ProbeArgument {
  readonly params: MethodParams;
  /** Null: as many layers as the parameters ask for. */
  readonly layers: readonly LayerIndex[] | null;
}

export function runMethods(parts: ServiceParts) {
  const changes = new Changes(parts);
  return {
    memorize: (argument: MemorizeArgument, call: Call<Progress> = {}): Promise<MemorizeSummary> =>
      changes.run(argument.memory, call, (context) => memorizeTexts(parts, context, argument)),
    /** Encodes the facts that an interrupted run left; null if none are left. */
    resume: (
      { memory }: { readonly memory: string },
      call: Call<Progress> = {},
    ): Promise<MemorizeSummary | null> =>
      changes.run(memory, call, (context) => resumeMemory(parts, context)),
    /**
     * Returns the row of the new encoding. With the same value at the same layer the better of the two vectors is stored,
     * so this may not be the stored row.
     */
    reencode: (argument: ReencodeArgument, call: Call<Progress> = {}): Promise<FactRow> =>
      changes.run(argument.memory, call, (context) => reencodeFact(context, argument)),
    /** Can be cancelled while it asks and compares; nothing changes until then. */
    forget: (argument: ForgetArgument, call: Call<DeletionProgress> = {}): Promise<DeletionCertificate> =>
      changes.short(argument.memory, call.signal, (engine, signal) =>
        forgetFacts(parts, engine, argument, { ...call, signal }),
      ),
    probe: (
      { params, layers }: ProbeArgument,
      { signal, onProgress }: Call<Progress> = {},
    ): Promise<LayerPlan> =>
      parts.model.using(async (engine, either) => {
        const context = { ...runContext(parts, engine, either), params, ...told(parts, onProgress) };
        const plan = await planLayers(context, layers ?? undefined);
        parts.estimator.keepProbes(context.engine, params, plan.choices);
        return plan;
      }, signal),
  };
}

/** Runs changes of stored memories, one at a time per memory; afterwards the memory is opened again. */
class Changes {
  readonly #parts: ServiceParts;
  readonly #lines = new Map<string, Queue>();
  /** Memories that a run is writing into. */
  readonly #busy = new Set<string>();

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  /** A long one, which ends when its caller cancels it or the model is closed. */
  run<T>(
    memory: string,
    { signal, onProgress }: Call<Progress>,
    work: (context: FlowContext) => Promise<T>,
  ): Promise<T> {
    const parts = this.#parts;
    const job: ModelWork<T> = async (engine, either) => {
      this.#busy.add(memory);
      try {
        const store = await parts.host.openStore(memory);
        return await work({ ...runContext(parts, engine, either), store, ...told(parts, onProgress) });
      } finally {
        this.#busy.delete(memory);
      }
    };
    return this.#inLine(memory, () => parts.model.using(job, signal), signal);
  }

  /** A short one, which does not wait for a run. */
  async short<T>(memory: string, signal: AbortSignal | undefined, work: ModelWork<T>): Promise<T> {
    assert(!this.#busy.has(memory), () => BUSY);
    return this.#inLine(memory, () => this.#parts.model.using(work, signal), signal);
  }

  #inLine<T>(memory: string, job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const line = this.#lines.get(memory) ?? createQueue();
    this.#lines.set(memory, line);
    const change = async (): Promise<T> => {
      try {
        return await job();
      } finally {
        this.#parts.memories.reload(memory);
      }
    };
    return line.run("engine: a run on this memory", change, signal);
  }
}

/** Progress as the caller gets it, where it asked for any. */
function told(
  { host }: ServiceParts,
  onProgress: Call<Progress>["onProgress"],
): Pick<FlowContext, "onProgress"> {
  return onProgress ? { onProgress: throttled(onProgress, () => host.now()) } : {};
}

async function memorizeTexts(
  { host, estimator }: ServiceParts,
  context: FlowContext,
  argument: MemorizeArgument,
): Promise<MemorizeSummary> {
  const { documents, params } = argument;
  const texts = await Promise.all(documents.map((id) => host.readDocument(id)));
  const { engine } = context;
  const estimate = await estimator.forRun(engine, argument);
  const probed = estimator.probed(engine, params);
  const given = argument.layers ? { layers: argument.layers } : {};
  const report = await memorize({ ...context, params, probed, estimate, ...given }, texts);
  const { layerPlan } = report.plan;
  if (layerPlan) estimator.keepProbes(engine, params, layerPlan.choices);
  await estimator.learn(engine, report.rates);
  return summaryOf(report);
}

async function resumeMemory(
  { estimator }: ServiceParts,
  context: FlowContext,
): Promise<MemorizeSummary | null> {
  const before = await context.store.open();
  if (!before || (pendingFacts(before).length === 0 && !holdsWords(before))) return null;
  const { params } = before;
  const estimate = { seconds: null, rates: await estimator.rates(context.engine) };
  const report = await resume({ ...context, params, estimate });
  if (report) await estimator.learn(context.engine, report.rates);
  return report && summaryOf(report);
}

async function reencodeFact(context: FlowContext, { id, value, layer }: ReencodeArgument): Promise<FactRow> {
  const stored = present(await context.store.open(), () => NOTHING_STORED);
  const change = {
    ...(value === undefined ? {} : { value }),
    ...(layer === undefined ? {} : { layer }),
  };
  const done = await reencode({ ...context, params: stored.params }, stored, id, change);
  return factRow(done.memory, done.entries);
}

async function forgetFacts(
  { host }: ServiceParts,
  engine: Engine,
  { memory, ids }: ForgetArgument,
  { signal, onProgress }: Call<DeletionProgress>,
): Promise<DeletionCertificate> {
  const store = await host.openStore(memory);
  const stored = present(await store.open(), () => NOTHING_STORED);
  const { cache } = host;
  const context = {
    ...{ engine, store, params: stored.params },
    ...(cache ? { cache } : {}),
    ...(signal ? { signal } : {}),
    ...(onProgress ? { onAsked: throttled(onProgress, () => host.now()) } : {}),
  };
  return (await forget(context, stored, new Set(ids))).certificate;
}

const NOTHING_STORED = "engine: nothing is stored in this memory; memorise a source first";
const BUSY =
  "engine: a run is writing into this memory; wait until it ends, or cancel it, and delete the facts then";
