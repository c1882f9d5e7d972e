/**
 * @file The long runs on the model: memorise, resume, re-encode and probe. They stop between two calls on the device
 * while paused, end on cancel, and changes of one memory are made one after another.
 */

import type { FlowContext } from "../../flow/context.ts";
import { pendingFacts } from "../../flow/facts.ts";
import { holdsWords } from "../../flow/wordless.ts";
import { forget } from "../../flow/forget.ts";
import { memorize, resume } from "../../flow/memorize.ts";
import { planLayers } from "../../flow/probe.ts";
import { reencode } from "../../flow/reencode.ts";
import { assert, present } from "../../lib/assert.ts";
import { SHARP } from "../../records/params.ts";
import type { EngineService } from "../../rpc/protocol.ts";
import type { Call } from "../../rpc/wire.ts";
import { createQueue, type Queue } from "../../runtime/queue.ts";
import { inMemoryStore } from "../../store/inMemory.ts";
import type { Costs } from "../cost/costs.ts";
import type { Estimator } from "../cost/estimate.ts";
import { pausable, type Pause } from "./pause.ts";
import type { EngineHost } from "../engineHost.ts";
import type { Memories } from "../memories/openMemories.ts";
import type { OpenedModel } from "../model/held.ts";
import type { ModelSlot } from "../model/slot.ts";
import { factRow, summaryOf, throttled } from "./summaries.ts";
import type { Progress } from "../../records/progress.ts";

export interface RunParts {
  readonly host: EngineHost;
  readonly model: ModelSlot;
  readonly memories: Memories;
  readonly pause: Pause;
  readonly costs: Costs;
  readonly estimator: Estimator;
}

export type Runs = Pick<EngineService, "memorize" | "resume" | "reencode" | "forget" | "probe">;

export function createRuns({ host, model, memories, pause, costs, estimator }: RunParts): Runs {
  const lines = new Map<string, Queue>();
  /** Memories that a run is writing into. */
  const busy = new Set<string>();

  /** One change of a memory at a time; what is open of it is opened anew afterwards. */
  function changing<T>(memory: string, job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const line = lines.get(memory) ?? createQueue();
    lines.set(memory, line);
    const change = async (): Promise<T> => {
      try {
        return await job();
      } finally {
        memories.reload(memory);
      }
    };
    return line.run("engine: a run on this memory", change, signal);
  }

  /** The context of a run: it ends when its caller cancels it, or the model is closed. */
  async function contextOf(
    { engine, closed }: OpenedModel,
    memory: string | null,
    { signal, onProgress }: Call<Progress>,
  ): Promise<FlowContext> {
    const either = AbortSignal.any(signal ? [signal, closed] : [closed]);
    return {
      engine: pausable(engine, pause, either),
      store: memory === null ? inMemoryStore() : await host.openStore(memory),
      params: SHARP,
      now: () => host.now(),
      date: () => host.date(),
      signal: either,
      ...(onProgress ? { onProgress: throttled(onProgress, () => host.now()) } : {}),
    };
  }

  function run<T>(
    memory: string,
    call: Call<Progress>,
    work: (context: FlowContext) => Promise<T>,
  ): Promise<T> {
    const job = async (opened: OpenedModel): Promise<T> => {
      busy.add(memory);
      try {
        return await work(await contextOf(opened, memory, call));
      } finally {
        busy.delete(memory);
      }
    };
    return changing(memory, () => model.using(job), call.signal);
  }

  return {
    memorize: (argument, call = {}) =>
      run(argument.memory, call, async (context) => {
        const { documents, params } = argument;
        const texts = await Promise.all(documents.map((id) => host.readDocument(id)));
        const { engine } = context;
        const forecast = await estimator.forecast(engine, argument);
        const probed = costs.probed(engine, params);
        const given = argument.layers ? { layers: argument.layers } : {};
        const report = await memorize({ ...context, params, probed, forecast, ...given }, texts);
        const { layerPlan } = report.plan;
        if (layerPlan) costs.keepProbes(engine, params, layerPlan.choices);
        await costs.learn(engine, params, report.cost);
        return summaryOf(report);
      }),

    resume: ({ memory }, call = {}) =>
      run(memory, call, async (context) => {
        const before = await context.store.load();
        if (!before || (pendingFacts(before).length === 0 && !holdsWords(before))) return null;
        const { params } = before;
        const forecast = { seconds: null, cost: await costs.known(context.engine, params) };
        const report = await resume({ ...context, params, forecast });
        if (report) await costs.learn(context.engine, params, report.cost);
        return report && summaryOf(report);
      }),

    reencode: ({ memory, id, value, layer }, call = {}) =>
      run(memory, call, async (context) => {
        const stored = present(await context.store.load(), () => NOTHING_STORED);
        const change = {
          ...(value === undefined ? {} : { value }),
          ...(layer === undefined ? {} : { layer }),
        };
        const done = await reencode({ ...context, params: stored.params }, stored, id, change);
        return factRow(done.memory, done.entries);
      }),

    async forget({ memory, ids }) {
      assert(!busy.has(memory), () => BUSY);
      return changing(memory, () =>
        model.using(async ({ engine }) => {
          const store = await host.openStore(memory);
          const stored = present(await store.load(), () => NOTHING_STORED);
          return (await forget({ engine, store, params: stored.params }, stored, new Set(ids))).certificate;
        }),
      );
    },

    probe: ({ params, layers }, call = {}) =>
      model.using(async (opened) => {
        const context = await contextOf(opened, null, call);
        const plan = await planLayers({ ...context, params }, layers ?? undefined);
        costs.keepProbes(context.engine, params, plan.choices);
        return plan;
      }),
  };
}

const NOTHING_STORED = "engine: nothing is stored in this memory; memorise a source first";
const BUSY =
  "engine: a run is writing into this memory; wait until it ends, or cancel it, and delete the facts then";
