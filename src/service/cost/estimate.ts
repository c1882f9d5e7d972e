/** @file The forecast before a run; a text is read and tried again only when it, or what its cost depends on, changed. */

import type { Engine } from "../../engine/engine.ts";
import type { FlowContext } from "../../flow/context.ts";
import { foresee, type Foreseen } from "../../flow/foresee.ts";
import { ruleFacts, type ReadFacts } from "../../flow/forecast.ts";
import { Cancelled } from "../../lib/assert.ts";
import { totalOf } from "../../plan/cost.ts";
import type { DocumentId } from "../../records/ids.ts";
import { precisionOf } from "../../records/memory.ts";
import { keyOf } from "../../records/params.ts";
import type { MemorizeArgument, MemorizeEstimate } from "../types.ts";
import { inMemoryStore } from "../../store/inMemory.ts";
import type { EngineHost } from "../types.ts";
import type { Costs } from "./costs.ts";

export interface Estimator {
  estimate(engine: Engine, argument: MemorizeArgument, signal?: AbortSignal): Promise<MemorizeEstimate>;
  /** What is known before a run: the forecast that was given for it, or what earlier runs took. */
  forecast(engine: Engine, argument: MemorizeArgument): Promise<NonNullable<FlowContext["forecast"]>>;
}

export function createEstimator(host: EngineHost, costs: Costs): Estimator {
  const read = latest<ReadFacts>();
  const foreseen = latest<Foreseen>();
  let said: Said | undefined;

  const factsOf = ({ documents, params }: MemorizeArgument): Promise<ReadFacts> =>
    read(`${documents.join(" ")} ${keyOf(params, "candidates", "anchors")}`, async () =>
      ruleFacts(await Promise.all(documents.map((id) => host.readDocument(id))), params, () => host.now()),
    );

  return {
    async forecast(engine, argument) {
      if (said && isFor(said, engine, argument)) return said.forecast;
      return { seconds: null, cost: await costs.known(engine, argument.params) };
    },
    async estimate(engine, argument, signal) {
      const { params, layers } = argument;
      const stored = await host.memoryHead(argument.memory);
      const known = new Set(stored?.sources.map(({ id }) => id));
      const fresh = { ...argument, documents: argument.documents.filter((id) => !known.has(id)) };
      const found = await factsOf(fresh);
      const context = {
        ...{ engine, params, store: inMemoryStore(), probed: costs.probed(engine, params) },
        now: () => host.now(),
        date: () => host.date(),
        ...(layers ? { layers } : {}),
        ...(host.cache ? { cache: host.cache } : {}),
        ...(signal ? { signal } : {}),
      };
      const key = JSON.stringify([deviceOf(engine), fresh, stored?.facts ?? 0]);
      const make = async (): Promise<Foreseen> =>
        foresee(context, found, stored, await costs.known(engine, params));
      const expected = await foreseen(key, make, signal);
      costs.keepProbes(engine, params, expected.probed);
      said = { device: deviceOf(engine), argument: fresh, known, forecast: expected };
      const { budget, planned, skipped, bytes, inexact, seconds } = expected;
      return {
        sentences: found.sentences,
        candidates: found.candidates.length,
        ...budget,
        facts: planned.length,
        skipped,
        inexact,
        bytes,
        seconds: totalOf(seconds),
      };
    },
  };
}

/** A forecast that was given, and for what. */
interface Said {
  readonly device: string;
  readonly argument: MemorizeArgument;
  /** Documents that the memory had: a run may name them as well. */
  readonly known: ReadonlySet<DocumentId>;
  readonly forecast: NonNullable<FlowContext["forecast"]>;
}

/** The model and where it runs: seconds are of both. */
const deviceOf = ({ model, capabilities }: Engine): string =>
  [model.sha256, precisionOf(model), capabilities.backend].join(" ");

function isFor(
  { device, argument, known }: Said,
  engine: Engine,
  { documents, ...run }: MemorizeArgument,
): boolean {
  if (device !== deviceOf(engine)) return false;
  const { documents: foreseen, ...given } = argument;
  const left = documents.filter((id) => !known.has(id));
  return JSON.stringify(given) === JSON.stringify(run) && String(foreseen) === String(left);
}

/** What is made for a key; `signal` is of who asks first, whose work it then is. */
type Keep<T> = (key: string, make: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/** Keeps what was made last, by its key; what failed, or was cancelled by another who asked, is made again. */
function latest<T>(): Keep<T> {
  let last:
    | { readonly key: string; readonly made: Promise<T>; readonly signal?: AbortSignal | undefined }
    | undefined;
  const begin: Keep<T> = (key, make, signal) => {
    const made = make();
    last = { key, made, signal };
    made.catch(() => {
      if (last?.made === made) last = undefined;
    });
    return made;
  };
  const keep: Keep<T> = (key, make, signal) => {
    // Cancelled work ends with the call that it is in on the device: nobody waits for that.
    if (last?.key !== key || last.signal?.aborted) return begin(key, make, signal);
    return last.made.catch((error: unknown) => {
      if (!(error instanceof Cancelled)) throw error;
      return keep(key, make, signal);
    });
  };
  return keep;
}
