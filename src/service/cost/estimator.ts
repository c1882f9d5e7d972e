/** @file Estimates before a run, and the rates and layer probes of this machine that they rest on. */

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

export interface Estimator {
  estimate(engine: Engine, argument: MemorizeArgument, signal?: AbortSignal): Promise<MemorizeEstimate>;
  /** The estimate that a run starts with: the latest one, if it was for this run, and the known rates. */
  forRun(engine: Engine, argument: MemorizeArgument): Promise<NonNullable<FlowContext["estimate"]>>;
  /** Known rates of the model on its device; empty if there are none, or they cannot be read. */
  rates(engine: Engine): Promise<StageRates>;
  /** Adds the rates of a run. */
  learn(engine: Engine, run: StageRates): Promise<void>;
  /** Layer probes that were made since the worker started. */
  probed(engine: Engine, params: MethodParams): readonly LayerProbe[];
  keepProbes(engine: Engine, params: MethodParams, probes: readonly LayerProbe[]): void;
}

export function createEstimator(host: EngineHost): Estimator {
  const read = latest<RuleFacts>();
  const estimated = latest<RunEstimate>();
  const probes = new Map<string, readonly LayerProbe[]>();
  let last: Given | undefined;

  const factsOf = ({ documents, params }: MemorizeArgument): Promise<RuleFacts> =>
    read(`${documents.join(" ")} ${keyOf(params, "candidates", "anchors")}`, async () =>
      ruleFacts(await Promise.all(documents.map((id) => host.readDocument(id))), params),
    );
  const ratesOf = async (engine: Engine): Promise<StageRates> =>
    (await host.readRates(deviceOf(engine)).catch(() => null)) ?? {};
  const probeKey = (engine: Engine, params: MethodParams): string =>
    `${deviceOf(engine)} ${keyOf(params, "encode")}`;
  const probed = (engine: Engine, params: MethodParams): readonly LayerProbe[] =>
    probes.get(probeKey(engine, params)) ?? [];

  return {
    rates: ratesOf,
    probed,
    keepProbes(engine, params, found) {
      const fresh = new Set(found.map(({ layer }) => layer));
      const kept = probed(engine, params).filter(({ layer }) => !fresh.has(layer));
      probes.set(probeKey(engine, params), [...kept, ...found]);
    },
    async learn(engine, run) {
      const rates = updated(await ratesOf(engine), run);
      // The run is over and stored: it does not fail if its rates cannot be written.
      await host.writeRates(deviceOf(engine), rates).catch(() => undefined);
    },
    async forRun(engine, argument) {
      const rates = await ratesOf(engine);
      return { seconds: last && isFor(last, engine, argument) ? last.seconds : null, rates };
    },
    async estimate(engine, argument, signal) {
      const { params, layers } = argument;
      const stored = await host.memoryHead(argument.memory);
      const known = new Set(stored?.sources.map(({ id }) => id));
      const fresh = { ...argument, documents: argument.documents.filter((id) => !known.has(id)) };
      const found = await factsOf(fresh);
      const context = {
        ...{ engine, params, store: inMemoryStore(), probed: probed(engine, params) },
        now: () => host.now(),
        date: () => host.date(),
        ...(layers ? { layers } : {}),
        ...(host.cache ? { cache: host.cache } : {}),
        ...(signal ? { signal } : {}),
      };
      const { rates } = ratesFor(engine, await ratesOf(engine));
      const key = JSON.stringify([deviceOf(engine), fresh, stored?.facts ?? 0, rates]);
      const expected = await estimated(key, () => estimateRun(context, found, stored, rates), signal);
      const { budget, planned, skipped, bytes, seconds, work } = expected;
      const total = totalSeconds(seconds, work);
      last = { device: deviceOf(engine), argument: fresh, known, seconds: total === null ? null : seconds };
      return {
        sentences: found.sentences,
        candidates: found.candidates.length,
        ...budget,
        facts: planned.length,
        skipped,
        bytes,
        seconds: total,
      };
    },
  };
}

/** The latest estimate, and the run that it was for. */
interface Given {
  readonly device: string;
  readonly argument: MemorizeArgument;
  /** Documents that the memory held: the argument of the run may name them too. */
  readonly known: ReadonlySet<DocumentId>;
  /** Null while the time is unknown. */
  readonly seconds: RunEstimate["seconds"] | null;
}

/** Key of a model and its device, which all rates depend on. */
const deviceOf = ({ model, capabilities }: Engine): string =>
  [model.sha256, precisionOf(model), capabilities.backend].join(" ");

function isFor(
  { device, argument, known }: Given,
  engine: Engine,
  { documents, ...run }: MemorizeArgument,
): boolean {
  if (device !== deviceOf(engine)) return false;
  const { documents: estimated, ...given } = argument;
  const left = documents.filter((id) => !known.has(id));
  return JSON.stringify(given) === JSON.stringify(run) && String(estimated) === String(left);
}

/** Cached value per key. Only the first caller's signal can abort the work. */
type Latest<T> = (key: string, make: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Keeps the latest value. A failed one is made again, and so is one that another caller cancelled. */
function latest<T>(): Latest<T> {
  let last:
    | { readonly key: string; readonly made: Promise<T>; readonly signal?: AbortSignal | undefined }
    | undefined;
  const begin: Latest<T> = (key, make, signal) => {
    const made = make();
    last = { key, made, signal };
    made.catch(() => {
      if (last?.made === made) last = undefined;
    });
    return made;
  };
  const keep: Latest<T> = (key, make, signal) => {
    if (last?.key !== key || last.signal?.aborted) return begin(key, make, signal);
    return last.made.catch((error: unknown) => {
      if (!(error instanceof Cancelled)) throw error;
      return keep(key, make, signal);
    });
  };
  return keep;
}
