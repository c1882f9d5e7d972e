/** @file Estimates before a run, from the rates and layer probes of this machine. */

import type { Engine } from "../../engine/engine.ts";
import type { FlowContext } from "../../flow/context.ts";
import { estimateRun, ruleFacts, type RuleFacts, type RunEstimate } from "../../flow/estimateRun.ts";
import { ratesFor } from "../../flow/observeRun.ts";
import { Cancelled } from "../../lib/assert.ts";
import { totalSeconds, updated } from "../../plan/estimate.ts";
import type { StageRates } from "../../records/cost.ts";
import type { DocumentId } from "../../records/ids.ts";
import { precisionOf } from "../../records/memory.ts";
import { keyOf, type MethodParams } from "../../records/params.ts";
import type { LayerProbe } from "../../records/plan.ts";
import { inMemoryStore } from "../../store/inMemory.ts";
import type { EngineHost, MemorizeArgument, MemorizeEstimate } from "../types.ts";

export function createEstimator(host: EngineHost) {
  const read = latest<RuleFacts>();
  const estimated = latest<RunEstimate>();
  const probes = new Map<string, readonly LayerProbe[]>();
  let last: Given | undefined;

  /** Known rates of the model on its device; empty without a run so far, or if they cannot be read. */
  const ratesOf = async (engine: Engine): Promise<StageRates> =>
    (await host.readRates(deviceOf(engine)).catch(() => null)) ?? {};
  const probeKey = (engine: Engine, params: MethodParams): string =>
    `${deviceOf(engine)} ${keyOf(params, "encode")}`;
  const probed = (engine: Engine, params: MethodParams): readonly LayerProbe[] =>
    probes.get(probeKey(engine, params)) ?? [];

  return {
    rates: ratesOf,
    probed,
    keepProbes(engine: Engine, params: MethodParams, found: readonly LayerProbe[]): void {
      const fresh = new Set(found.map(({ layer }) => layer));
      const kept = probed(engine, params).filter(({ layer }) => !fresh.has(layer));
      probes.set(probeKey(engine, params), [...kept, ...found]);
    },
    /** Adds the rates of a run. The run is over and stored: it does not fail if its rates cannot be written. */
    async learn(engine: Engine, run: StageRates): Promise<void> {
      const rates = updated(await ratesOf(engine), run);
      await host.writeRates(deviceOf(engine), rates).catch(() => undefined);
    },
    /** The estimate that a run starts with: the latest one, if it was for this run, and the known rates. */
    async forRun(engine: Engine, argument: MemorizeArgument): Promise<NonNullable<FlowContext["estimate"]>> {
      const seconds = last && isFor(last, engine, argument) ? last.seconds : null;
      return { seconds, rates: await ratesOf(engine) };
    },
    async estimate(
      engine: Engine,
      argument: MemorizeArgument,
      signal?: AbortSignal,
    ): Promise<MemorizeEstimate> {
      const { params, layers } = argument;
      const stored = await host.memoryHead(argument.memory);
      const known = new Set(stored?.sources.map(({ id }) => id));
      const documents = argument.documents.filter((id) => !known.has(id));
      const fresh = { ...argument, documents };
      const found = await read(`${documents.join(" ")} ${keyOf(params, "candidates", "anchors")}`, async () =>
        ruleFacts(await Promise.all(documents.map((id) => host.readDocument(id))), params),
      );
      const context: FlowContext = {
        ...{ engine, params, layers, signal, store: inMemoryStore(), cache: host.cache },
        ...{ probed: probed(engine, params), now: () => host.now(), date: () => host.date() },
      };
      const { rates } = ratesFor(engine, await ratesOf(engine));
      const key = JSON.stringify([deviceOf(engine), fresh, stored?.facts ?? 0, rates]);
      const expected = await estimated(key, () => estimateRun(context, found, stored, rates), signal);
      const { budget, planned, skipped, bytes, seconds, work } = expected;
      const total = totalSeconds(seconds, work);
      last = { device: deviceOf(engine), argument: fresh, known, seconds: total === null ? null : seconds };
      const { sentences, candidates } = found;
      return {
        ...{ sentences, candidates: candidates.length, ...budget, facts: planned.length },
        ...{ skipped, bytes, seconds: total },
      };
    },
  };
}

interface Given {
  readonly device: string;
  readonly argument: MemorizeArgument;
  /** Documents that the memory held: the argument of the run may name them too. */
  readonly known: ReadonlySet<DocumentId>;
  readonly seconds: RunEstimate["seconds"] | null;
}

const deviceOf = ({ model, capabilities }: Engine): string =>
  [model.sha256, precisionOf(model), capabilities.backend].join(" ");

const isFor = ({ device, argument, known }: Given, engine: Engine, run: MemorizeArgument): boolean =>
  device === deviceOf(engine) &&
  JSON.stringify(argument) ===
    JSON.stringify({ ...run, documents: run.documents.filter((id) => !known.has(id)) });

/** Keeps the latest value by key. A failed value is made again, and so is one that another caller cancelled. */
function latest<T>() {
  let last:
    { readonly key: string; readonly made: Promise<T>; readonly signal: AbortSignal | undefined } | undefined;
  return async function get(key: string, make: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const begins = last?.key !== key || last.signal?.aborted === true;
    const { made } = (last = begins || !last ? { key, made: make(), signal } : last);
    try {
      return await made;
    } catch (error) {
      if (last?.made === made) last = undefined;
      if (begins || !(error instanceof Cancelled)) throw error;
      return get(key, make, signal);
    }
  };
}
