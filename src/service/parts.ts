/** @file The parts of the engine service: the context of work on the open model, and memories that stay open between calls. */

import type { Engine } from "../engine/engine.ts";
import { type OpenMemory, openMemory } from "../flow/answer.ts";
import type { FlowContext } from "../flow/context.ts";
import { SHARP, keyOf, type MethodParams } from "../records/params.ts";
import { inMemoryStore } from "../store/inMemory.ts";
import { chosenEmbedder, chosenHelpers } from "./helperModels.ts";
import { CurrentModel } from "./model/open.ts";
import type { DeviceEvent, EngineHost, MemorizeArgument, MemorizeEstimate } from "./types.ts";
import { intercept } from "../engine/intercept.ts";
import { Cancelled, throwIfCancelled } from "../lib/assert.ts";
import { aborted } from "../lib/promises.ts";
import { type Memory, precisionOf } from "../records/memory.ts";
import { keptMemory } from "../records/vectors.ts";
import { StoreChanged, type Store } from "../store/port.ts";
import { estimateRun, ruleFacts, type RuleFacts, type RunEstimate } from "../flow/estimateRun.ts";
import { ratesFor } from "../flow/observeRun.ts";
import { totalSeconds, updated } from "../plan/estimate.ts";
import type { StageRates } from "../records/cost.ts";
import type { DocumentId } from "../records/ids.ts";
import type { LayerProbe } from "../records/plan.ts";

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
export const runContext = ({ host, pause }: ServiceParts, engine: Engine, signal: AbortSignal) =>
  ({
    engine: pausable(engine, pause, signal),
    store: inMemoryStore(),
    params: SHARP,
    // Time in a pause does not count.
    now: () => host.now() - pause.held(),
    date: () => host.date(),
    signal,
    cache: host.cache,
  }) satisfies FlowContext;

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
  let resumed = new AbortController();
  return {
    /** Resolves when runs are not paused; rejects with Cancelled when the signal fires. */
    async over(signal: AbortSignal): Promise<void> {
      throwIfCancelled(signal, "engine");
      while (paused) {
        await aborted(AbortSignal.any([signal, resumed.signal]));
        if (signal.aborted) throw new Cancelled("engine: cancelled while paused");
      }
    },
    /** Milliseconds that runs were paused in all. */
    held: (): number => before + (paused ? now() - since : 0),
    set(value: boolean): void {
      if (value && !paused) [since, resumed] = [now(), new AbortController()];
      if (!value && paused) before += now() - since;
      paused = value;
      if (!paused) resumed.abort();
    },
  };
}

/** `engine` for one run: every call on the device waits while runs are paused, and ends with Cancelled on the signal. */
export const pausable = (engine: Engine, pause: Pause, signal: AbortSignal): Engine =>
  intercept(engine, async (_, call) => {
    await pause.over(signal);
    return call(signal);
  });

/** `engine` for work that continues while runs are paused: every call on the device ends with Cancelled on the signal. */
export const stoppable = (engine: Engine, signal: AbortSignal): Engine =>
  intercept(engine, async (_, call) => {
    throwIfCancelled(signal, "engine");
    return call(signal);
  });

interface Kept {
  readonly open: Promise<OpenMemory>;
  readonly engine: Engine;
  readonly store: Promise<Store>;
  /** Read before the memory: a change in between opens it once too often, never too rarely. */
  readonly revision: Promise<string | null>;
  users: number;
  stale: boolean;
}

function createMemories(openStore: (memory: string) => Promise<Store>) {
  /** In order of use. */
  const kept = new Map<string, Kept>();

  function release(entry: Kept): void {
    if (entry.stale && entry.users === 0)
      entry.open.then(
        (open) => open.dispose(),
        () => undefined, // it never opened
      );
  }

  function drop(memory: string): void {
    const entry = kept.get(memory);
    kept.delete(memory);
    if (entry) release(Object.assign(entry, { stale: true }));
  }

  function entryOf(engine: Engine, memory: string): Kept {
    const known = kept.get(memory);
    if (known?.engine === engine) {
      kept.delete(memory);
      kept.set(memory, known);
      return known;
    }
    drop(memory);
    const store = openStore(memory);
    const revision = store.then((opened) => opened.revision());
    const open = revision.then(async () => {
      const stored = (await (await store).open()) ?? keptMemory(empty(engine));
      return openMemory(engine, stored, stored.params);
    });
    const entry: Kept = { open, engine, store, revision, users: 0, stale: false };
    kept.set(memory, entry);
    // A memory that failed to open is tried again by the next call.
    entry.open.catch(() => {
      if (kept.get(memory) === entry) kept.delete(memory);
    });
    for (const oldest of [...kept.keys()].slice(0, -MOST_OPEN)) drop(oldest);
    return entry;
  }

  async function used<T>(engine: Engine, memory: string, work: (open: OpenMemory) => Promise<T>): Promise<T> {
    const known = kept.get(memory);
    // If the revision cannot be read, opening it again reports why.
    if (known && !(await isCurrent(known).catch(() => false)) && kept.get(memory) === known) drop(memory);
    const entry = entryOf(engine, memory);
    entry.users++;
    try {
      return await work(await entry.open);
    } finally {
      entry.users--;
      release(entry);
    }
  }

  return {
    /** Runs `work` on the memory, which stays open at least until it ends. Nothing stored is an empty memory. */
    async using<T>(engine: Engine, memory: string, work: (open: OpenMemory) => Promise<T>): Promise<T> {
      try {
        return await used(engine, memory, work);
      } catch (error) {
        if (!(error instanceof StoreChanged)) throw error;
        // The memory changed during the work; try with the stored one.
        return used(engine, memory, work);
      }
    },
    reload(memory?: string): void {
      for (const name of memory === undefined ? [...kept.keys()] : [memory]) drop(name);
    },
  };
}

const isCurrent = async ({ store, revision }: Kept) => (await (await store).revision()) === (await revision);

function empty({ model, embedder }: Engine): Memory {
  const none = { layers: [], sources: [], entries: [], routing: [], waiting: [] };
  return { ...none, model, params: SHARP, embedder, salts: [""] };
}

/** Memories kept open; each holds its vectors on the device once it was read. */
const MOST_OPEN = 2;

export function createEstimator(host: EngineHost) {
  const read = latest<RuleFacts>();
  const estimated = latest<RunEstimate>();
  const probes = new Map<string, readonly LayerProbe[]>();
  let last: Given | undefined;

  /** Known rates of the model on its device; empty without a run so far, or if they cannot be read. */
  const ratesOf = async (engine: Engine) => (await host.readRates(deviceOf(engine)).catch(() => null)) ?? {};
  const probeKey = (engine: Engine, params: MethodParams) => `${deviceOf(engine)} ${keyOf(params, "encode")}`;
  const probed = (engine: Engine, params: MethodParams) => probes.get(probeKey(engine, params)) ?? [];

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
  let last: Readonly<{ key: string; made: Promise<T>; signal: AbortSignal | undefined }> | undefined;
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
