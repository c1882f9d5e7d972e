/** @file The long runs on the model: they pause between two device calls, and change one memory one after another. */

import type { Engine } from "../../engine/engine.ts";
import type { LocalEngine } from "../../engine/localEngine.ts";
import type { FlowContext } from "../../flow/context.ts";
import { forget } from "../../flow/forget.ts";
import { sayMemory, type SaidFacts } from "../../flow/carry.ts";
import { memorize, memorizeSaid, resume, type MemorizeReport } from "../../flow/memorize.ts";
import { planLayers } from "../../flow/layerProbe.ts";
import { reencode, type FactChange } from "../../flow/reencode.ts";
import { assert, present } from "../../lib/assert.ts";
import { TRAINING_FILE } from "../../engine/teaching.ts";
import { WRITER_FILE } from "../../records/model.ts";
import { teachWriter, type TeachContext, type TeachProgress } from "../../flow/teachWriter.ts";
import { keepBeside, readWhole, type Beside } from "../../weights/modelFiles.ts";
import type { DocumentId, FactId, LayerIndex } from "../../records/ids.ts";
import type { FactRow, MemorizeSummary } from "../../records/notebook.ts";
import type { MethodParams } from "../../records/params.ts";
import type { DeletionProgress, Progress } from "../../records/progress.ts";
import type { Call } from "../../rpc/wire.ts";
import { createQueue, type Queue } from "../../lib/queue.ts";
import type { FactArgument, MemorizeArgument, ModelWork, EngineHost, LoadCall, OpenModel } from "../types.ts";
import { CurrentModel } from "../model/open.ts";
import { inMemoryStore } from "../../store/inMemory.ts";
import type { KeptMemory } from "../../records/vectors.ts";
import { runContext, type ServiceParts } from "../parts.ts";
import { rowOf } from "../../records/factRow.ts";
import {
  byFact,
  countFacts,
  modelTag,
  sameModel,
  wholeReport,
  type Memory,
  type MemoryEntry,
  type WholeReport,
} from "../../records/memory.ts";
import { bytesOf } from "../../records/bytes.ts";

export type ReencodeArgument = FactArgument & FactChange;

interface ProbeArgument {
  readonly params: MethodParams;
  /** Null: as many layers as the parameters ask for. */
  readonly layers: readonly LayerIndex[] | null;
}

interface TeachArgument {
  readonly documents: readonly DocumentId[];
  /** In all, with those of a training that goes on. */
  readonly minutes: number;
}

/** Seconds of the training, and the share of tokens that are right. */
export interface TeachReport extends Pick<TeachProgress, "stage" | "right"> {
  readonly done: number;
  readonly total: number;
}

export function runMethods(parts: ServiceParts) {
  const { host, estimator } = parts;
  const changes = changesOf(parts);
  /** Words of the facts that this session encoded, by memory. They are in no store. */
  const words = new Map<string, Map<FactId, string>>();
  /** Trainings that were stopped, by model: of one whose files were dropped, which keeps nothing. */
  const trainings = new Map<string, Uint8Array>();
  const keep = (memory: string) => (facts: ReadonlyMap<FactId, string>) =>
    words.set(memory, new Map([...(words.get(memory) ?? []), ...facts]));
  function learn(engine: Engine, params: MethodParams, { plan, rates }: MemorizeReport): Promise<void> {
    if (plan.layerPlan) estimator.keepProbes(engine, params, plan.layerPlan.choices);
    return estimator.learn(engine, rates);
  }
  async function writeSaid(given: FlowContext, memory: string, said: SaidFacts, into: KeptMemory | null) {
    const { engine } = given;
    const params = into?.params ?? given.params;
    const estimate = { seconds: null, rates: await estimator.rates(engine) };
    const probed = estimator.probed(engine, params);
    const context = { ...given, params, estimate, probed, onSaid: keep(memory) };
    const report = await memorizeSaid(context, said, into);
    await learn(engine, params, report);
    return { ...summaryOf(report), inexact: said.inexact };
  }
  return {
    /** The words that this session's runs stored exactly; another value may have been stored since. */
    said: async ({ memory }: { readonly memory: string }) => words.get(memory) ?? new Map(),
    memorize: (argument: MemorizeArgument, call: Call<Progress> = {}) =>
      changes.run(argument.memory, call, async (given) => {
        const { documents, params, layers } = argument;
        const texts = await Promise.all(documents.map((id) => host.readDocument(id)));
        const { engine } = given;
        const estimate = await estimator.forRun(engine, argument);
        const probed = estimator.probed(engine, params);
        const onSaid = keep(argument.memory);
        const report = await memorize({ ...given, params, probed, estimate, layers, onSaid }, texts);
        await learn(engine, params, report);
        return summaryOf(report);
      }),
    /** Encodes the facts that an interrupted run left; null if none are left. */
    resume: ({ memory }: { readonly memory: string }, call: Call<Progress> = {}) =>
      changes.run(memory, call, async (given) => {
        const before = await given.store.open();
        if (!before || before.waiting.length === 0) return null;
        const estimate = { seconds: null, rates: await estimator.rates(given.engine) };
        const report = await resume({ ...given, params: before.params, estimate, onSaid: keep(memory) });
        if (report) await estimator.learn(given.engine, report.rates);
        return report && summaryOf(report);
      }),
    /** Encodes the facts of a memory file that a merge could not add again, under free numbers. */
    takeIn: (
      { memory, archive, ids }: Readonly<{ memory: string; archive: Blob; ids: readonly FactId[] }>,
      call: Call<Progress> = {},
    ) =>
      changes.run(memory, call, async (given) => {
        const { importMemory } = await import("../../store/archive.ts");
        const file = inMemoryStore();
        await importMemory(file, archive, { name: "the memory file", mode: "replace" });
        const theirs = present(await file.open(), () => "engine: the memory file is empty");
        const said = await sayMemory(given.engine, theirs, new Set(ids), given.signal);
        const into = present(await given.store.open(), () => NOTHING_STORED);
        return writeSaid(given, memory, said, into);
      }),
    /** Moves a memory to the open model: `from`, opened for this alone, decodes its facts, and the open model writes them. */
    carryOver: ({ memory, from }: Readonly<{ memory: string; from: OpenModel }>, call: Call<Progress> = {}) =>
      changes.run(memory, call, async (given) => {
        const stored = present(await given.store.open(), () => NOTHING_STORED);
        assert(
          !sameModel(stored.model, given.engine.model),
          () =>
            `engine: this memory belongs to the open model, ${modelTag(stored.model)}: there is nothing to carry over`,
        );
        const said = await usingOther(host, from, given.signal, (engine) =>
          sayMemory(engine, stored, undefined, given.signal),
        );
        return writeSaid({ ...given, params: stored.params }, memory, said, null);
      }),
    /** Returns the row of the new encoding; of equal value and layer the better one is stored, which may be the former. */
    reencode: ({ memory, id, ...change }: ReencodeArgument, call: Call<Progress> = {}) =>
      changes.run(memory, call, async (given) => {
        const stored = present(await given.store.open(), () => NOTHING_STORED);
        const done = await reencode({ ...given, params: stored.params }, stored, id, change);
        return factRow(done.memory, done.entries);
      }),
    /** Can be cancelled while it asks and compares; nothing changes until then. Returns new ids of other facts, too. */
    forget: (
      { memory, ids }: { readonly memory: string; readonly ids: readonly FactId[] },
      { signal: own, onProgress }: Call<DeletionProgress> = {},
    ) =>
      changes.short(memory, own, async (engine, signal) => {
        const store = await host.openStore(memory);
        const stored = present(await store.open(), () => NOTHING_STORED);
        const context = { engine, store, params: stored.params, cache: host.cache, date: host.date, signal };
        const onAsked = onProgress && throttled(onProgress, host.now);
        const { certificate, renamed } = await forget({ ...context, onAsked }, stored, new Set(ids));
        const left = [...(words.get(memory) ?? [])].filter(([id]) => !ids.includes(id));
        words.set(memory, new Map(left.map(([id, said]) => [renamed.get(id) ?? id, said])));
        return { certificate, renamed };
      }),
    /** Trains a writer for the open model. A downloaded model keeps it; of other models the caller gets the file. */
    teach: ({ documents, minutes }: TeachArgument, { signal, onProgress }: Call<TeachReport> = {}) =>
      parts.model.using(async (engine, either) => {
        const { engine: local, files } = parts.model.local();
        const { beside } = files;
        const { sha256 } = local.model;
        const texts = await Promise.all(documents.map((id) => host.readDocument(id)));
        const told = onProgress && throttled(onProgress, host.now);
        const context: TeachContext = {
          ...runContext(parts, engine, either),
          openTeaching(...from) {
            const teaching = local.openTeaching(...from);
            const step: typeof teaching.step = async (...given) => {
              await parts.pause.over(either);
              return teaching.step(...given);
            };
            return { ...teaching, step };
          },
          onProgress: ({ stage, seconds: done, right }) =>
            told?.({ stage, done, total: 60 * minutes, right }),
          onKept: beside
            ? (file) => keepBeside(beside, TRAINING_FILE, file)
            : async (file) => void trainings.set(sha256, file),
        };
        const kept = beside ? await readTraining(beside, local) : trainings.get(sha256);
        const { file, ...taught } = await teachWriter(context, texts, { minutes, kept });
        if (beside) {
          await keepBeside(beside, WRITER_FILE, file);
          await beside.remove(TRAINING_FILE);
        }
        trainings.delete(sha256);
        return { ...taught, file: { name: WRITER_FILE, bytes: file, kept: beside !== undefined } };
      }, signal),
    /** Removes the writer that a downloaded model keeps; the model has it until it is opened again. */
    removeWriter: async (_: null) => parts.model.local().files.beside?.remove(WRITER_FILE),
    probe: ({ params, layers }: ProbeArgument, { signal, onProgress }: Call<Progress> = {}) =>
      parts.model.using(async (engine, either) => {
        const context = { ...runContext(parts, engine, either), params };
        const told = onProgress && throttled(onProgress, host.now);
        const plan = await planLayers({ ...context, onProgress: told }, layers ?? undefined);
        estimator.keepProbes(context.engine, params, plan.choices);
        return plan;
      }, signal),
  };
}

/** Runs `work` on a second model, which is closed afterwards; the open one stays. */
async function usingOther<T>(
  host: EngineHost,
  argument: OpenModel,
  signal: AbortSignal | undefined,
  work: ModelWork<T>,
): Promise<T> {
  const nothing = (): void => undefined;
  const other = new CurrentModel(host, { changed: nothing, closing: nothing, embedder: () => null });
  try {
    await other.open(argument, { signal });
    return await other.using(work, signal);
  } finally {
    await other.close();
  }
}

/** Changes of stored memories, one at a time per memory; the memory is reopened afterwards. */
function changesOf(parts: ServiceParts) {
  const { host, model, memories } = parts;
  const lines = new Map<string, Queue>();
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
    ) =>
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

/** Passes a change of stage and the end on at once, and of the rest the latest once per interval. */
export function throttled<P extends Pick<Progress, "done" | "total"> & { readonly stage: string }>(
  onProgress: (progress: P) => void,
  now: () => number,
): (progress: P) => void {
  let last: { readonly stage: string; readonly at: number } | undefined;
  let later: ReturnType<typeof setTimeout> | undefined;
  const send = (progress: P): void => {
    last = { stage: progress.stage, at: now() };
    onProgress(progress);
  };
  return (progress) => {
    clearTimeout(later);
    const ends = progress.total !== null && progress.done >= progress.total;
    const wait = last?.stage === progress.stage ? last.at + PROGRESS_EVERY_MS - now() : 0;
    if (ends || wait <= 0) send(progress);
    // A pause or a broken connection shows the latest progress.
    else later = setTimeout(() => send(progress), wait);
  };
}

export const withThrottle = (
  { now }: Pick<EngineHost, "now">,
  { signal, onProgress }: LoadCall,
): LoadCall => ({ signal, onProgress: onProgress && throttled(onProgress, now) });

/** A report without vectors; its results are those of the facts that the run encoded. */
export function summaryOf(report: MemorizeReport): MemorizeSummary {
  const { plan, memory, before, cached, milliseconds, expected } = report;
  const { sources, known, budget, layers, layerPlan, extracted, extraction, skipped } = plan;
  const made = byFact(memory.entries.slice(before)).map(wholeReport);
  const kept = bytesOf(memory);
  const sum = (of: (fact: WholeReport) => number) => made.reduce((total, fact) => total + of(fact), 0);
  // Unknown for entries of the encoding cache that lack it.
  const givenUp = sum((fact) => fact.givenUp ?? NaN);
  return {
    ...{ sources, known, budget, layers, layerPlan, extracted, extraction },
    retained: plan.retained.length,
    resumed: plan.resumed.length,
    skipped: skipped.map(({ value, why }) => ({
      value: `${value.split(/\s+/).slice(0, FEW_WORDS).join(" ")} …`,
      why,
    })),
    ...(plan.evicted.size > 0 && { evicted: plan.evicted.size }),
    ...(cached > 0 && { cached }),
    milliseconds,
    ...(expected === null ? {} : { expected }),
    encoded: made.length,
    exact: sum(({ exact }) => Number(exact)),
    fidelity: made.length === 0 ? 0 : sum(({ fidelity }) => fidelity) / made.length,
    steps: sum(({ steps }) => steps),
    ...(Number.isNaN(givenUp) ? {} : { givenUp }),
    bytes: kept.vectors + kept.dense,
    kept,
    total: countFacts(memory.entries),
  };
}

const FEW_WORDS = 3;

function factRow(memory: Pick<Memory, "routing" | "sources">, parts: readonly MemoryEntry[]): FactRow {
  const { id, documentId } = parts[0]!;
  const document = memory.routing.find(({ facts }) => facts.some((fact) => fact.id === id));
  return {
    ...rowOf(parts),
    ...(document && { order: document.order }),
    digest: document?.facts.find((fact) => fact.id === id)?.digest ?? "",
    memorizedAt: memory.sources.find((source) => source.id === documentId)?.memorizedAt ?? "",
  };
}

const PROGRESS_EVERY_MS = 100;

/** A training that was cancelled, if it is kept and can go on: not if it is damaged, or of another revision of the model. */
async function readTraining(beside: Beside, engine: LocalEngine): Promise<Uint8Array | undefined> {
  const bytes = await readWhole({ name: "kept", open: beside.open }, TRAINING_FILE);
  try {
    if (bytes) engine.openTeaching(bytes, 1).dispose();
    return bytes;
  } catch {
    return undefined;
  }
}
