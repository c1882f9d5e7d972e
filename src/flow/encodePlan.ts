/** @file PlannedFact[] -> MemoryEntry[]: the stage of memorising that takes the time, checkpoint by checkpoint. */

import { groupBy } from "../lib/group.ts";
import { encodeFacts, type EncodeProgress } from "../memory/encode.ts";
import { LEARNT_PARTS, learnedAmong } from "../memory/learnedStart.ts";
import { cutFacts, type Part } from "../memory/parts.ts";
import { expectedWork } from "../plan/cost.ts";
import type { CostModel } from "../records/cost.ts";
import type { PlannedFact } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import { saidOf, type EntryMeta, type MemoryOutline } from "../records/memory.ts";
import type { Progress } from "../records/progress.ts";
import type { EntryResidual } from "../records/vectors.ts";
import { cachedFacts, keepFacts } from "./cachedFacts.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { FlowContext } from "./context.ts";
import { EncodeMeter } from "./encodeMeter.ts";
import type { Timed } from "./timed.ts";
import { readBack, topOne } from "./readBack.ts";
import { writtenParts } from "./written.ts";
import { storeAnew } from "./storeAnew.ts";
import { asKept, sealed } from "./wordless.ts";

/** What a run encodes, into which memory, and the vectors in it that a start is learnt from. */
interface Encoding {
  readonly memory: MemoryOutline;
  readonly planned: readonly PlannedFact[];
  readonly learnt: readonly EntryResidual[];
}

/**
 * Encodes and stores batch by batch, and asks the soft read, where that is the memory's, what it says. Gives `memory`
 * with the new entries behind its own, how many facts came from the cache, and what the others took. Where the reports of
 * all change in the end, the memory is written whole; one that is to keep no words always is, without those of the facts
 * that are encoded: also where the run was stopped, and after a crash by the run that takes over.
 */
export async function encodePlan(
  context: FlowContext,
  encoding: Encoding,
  timed: Timed,
): Promise<{ readonly memory: MemoryOutline; readonly cached: number; readonly cost: CostModel }> {
  const { store, params } = context;
  const { memory } = encoding;
  const made: EntryMeta[] = [];
  const soFar = (): MemoryOutline => ({ ...memory, entries: [...memory.entries, ...made] });
  try {
    const encoded = await timed("encode", () => encodeNew(context, encoding, made));
    const stored = soFar();
    const soft = params.read === "soft";
    const whole = sealed(soft ? await timed("readBack", () => readBack(context)) : topOne(stored));
    if (whole !== stored) await storeAnew(store, whole);
    await store.flush();
    return { ...encoded, memory: whole };
  } catch (error) {
    // The first error is the one to tell; what is left here is taken out by the next run.
    const stored = soFar();
    const whole = sealed(stored);
    if (whole !== stored) await storeAnew(store, whole).catch(() => undefined);
    await store.flush().catch(() => undefined);
    throw error;
  }
}

/** Stores the facts of `planned` that the cache has, turn by turn, adds them to `made`, and says which they are. */
async function takeCached(
  context: FlowContext,
  { memory, planned }: Encoding,
  made: EntryMeta[],
): Promise<{
  readonly cached: ReadonlySet<FactId>;
  readonly residuals: ReadonlyMap<EntryMeta, Float32Array>;
}> {
  const cached = new Set<FactId>();
  /** Of the latest exact parts. */
  const residuals = new Map<EntryMeta, Float32Array>();
  const total = planned.length;
  for await (const facts of cachedFacts(context, memory, planned)) {
    const entries = facts.flat().map((entry) => asKept(memory, entry));
    if (entries.length > 0) await context.store.append({ entries });
    for (const entry of entries) {
      const said = saidOf(entry);
      made.push(said);
      cached.add(entry.id);
      if (entry.report.exact) residuals.set(said, entry.residual);
    }
    for (const oldest of [...residuals.keys()].slice(0, -LEARNT_PARTS)) residuals.delete(oldest);
    context.onProgress?.({ stage: "encode", done: cached.size, total, note: "known from before" });
  }
  return { cached, residuals };
}

/** Facts from the cache, then those that it lacks; all their entries go to `made`. */
async function encodeNew(
  context: FlowContext,
  encoding: Encoding,
  made: EntryMeta[],
): Promise<{ readonly cached: number; readonly cost: CostModel }> {
  const { planned, learnt } = encoding;
  const { cached, residuals } = await takeCached(context, encoding, made);
  const missing = planned.filter(({ fact }) => !cached.has(fact.id));
  const meter = new EncodeMeter(context.engine.model, context.now);
  const taught = made.slice(-TAUGHT_PARTS * missing.length).flatMap((entry): EntryResidual[] => {
    const residual = residuals.get(entry);
    return residual ? [{ ...entry, residual }] : [];
  });
  await encodeAll(context, { ...encoding, planned: missing, learnt: [...learnt, ...taught] }, meter, made);
  context.onProgress?.({ stage: "encode", done: planned.length, total: planned.length });
  return { cached: cached.size, cost: meter.taken() };
}

/**
 * Parts from the cache that the learned start is taught by, for each fact that is to be encoded: of one changed among
 * 265, encoding took 22 s behind all the parts of the others, 10 s behind 32 (on a busy machine).
 */
const TAUGHT_PARTS = 32;

/** Adds the entries to `made` as they are stored. What is finished is stored however it ends. */
async function encodeAll(
  context: FlowContext,
  { memory, planned, learnt }: Encoding,
  meter: EncodeMeter,
  made: EntryMeta[],
): Promise<void> {
  const { engine, store, params, onProgress, signal } = context;
  const facts = planned.map(({ fact }) => fact);
  const parts = await cutFacts(engine, facts, params, signal);
  const learns = params.warmStart === "learned" && planned.length > 0 && learnt.length > 0;
  const { routing } = memory;
  const written = learns ? await writtenParts(engine, { entries: learnt, routing }, signal) : [];
  const share = shareOf(context, expectedWorks(context, planned, parts, written.length), meter);
  const byId = new Map(planned.map((one) => [one.fact.id, one]));
  const finished = encodeFacts(engine, planned, params, {
    layers: memory.layers,
    written,
    parts,
    soon: memory.entries.length + made.length === 0,
    centres: memory.centres,
    ...(signal ? { signal } : {}),
    onProgress: (progress) => {
      meter.stepped(progress);
      onProgress?.(line(progress, share.now(progress)));
    },
  });
  const checkpoints = new Checkpoints(context.now, async (batch) => {
    const entries = batch.map((entry) => asKept(memory, entry));
    await store.append({ entries });
    made.push(...entries.map(saidOf));
    await keepFacts(context, memory, byId, batch);
  });
  try {
    for await (const entries of finished) {
      await checkpoints.add(entries);
      meter.finished(entries);
      share.finished(entries);
    }
  } catch (error) {
    // The first error is the one to tell.
    await checkpoints.flush().catch(() => undefined);
    throw error;
  }
  await checkpoints.flush();
}

function line({ done, total, layer, batch, facts, losses }: EncodeProgress, share: number): Progress {
  const note = `layer ${layer}, loss ${losses.at(-1)!.toFixed(2)}`;
  return { stage: "encode", done, total, note, encode: { layer, batch, facts, losses, share } };
}

/**
 * Work under way counts as done as far as it goes up to this share of what its turn was expected to take, and ever less
 * beyond it: facts may take longer than expected, and those of later turns are not begun.
 */
const SURE = 0.7;
const asDone = (spent: number): number =>
  spent <= SURE ? spent : 1 - (1 - SURE) * Math.exp((SURE - spent) / (1 - SURE));

/** What each fact is expected to take, in the order of encoding: the first begin at zero, later ones at a learned start. */
function expectedWorks(
  { engine, params, forecast }: FlowContext,
  planned: readonly PlannedFact[],
  parts: ReadonlyMap<FactId, readonly Part[]>,
  written: number,
): ReadonlyMap<FactId, number> {
  const inOrder = [...groupBy(planned, ({ layer }) => layer).values()].flat();
  const expected = new Map<FactId, number>();
  let begun = 0;
  for (const { fact, layer } of inOrder) {
    const before = learnedAmong(begun, written, params);
    const own = parts.get(fact.id)!;
    begun += own.length;
    const learned = (learnedAmong(begun, written, params) - before) / own.length;
    const counts = own.map(({ targets }) => ({ layer, tokens: targets.length, count: 1, learned }));
    expected.set(fact.id, expectedWork(forecast?.cost, counts, engine.model));
  }
  return expected;
}

/**
 * The share of the work that is done: finished facts by what they were `expected` to take, and the steps of others, where
 * steps were expected at all: before the first run nobody knows how many a part takes.
 */
function shareOf(
  { forecast }: FlowContext,
  expected: ReadonlyMap<FactId, number>,
  meter: EncodeMeter,
): {
  readonly now: (progress: Pick<EncodeProgress, "begun">) => number;
  readonly finished: (entries: readonly EntryMeta[]) => void;
} {
  // What the first so many facts are expected to take, in the order of encoding.
  const upTo = [0];
  for (const work of expected.values()) upTo.push(upTo.at(-1)! + work);
  const all = upTo.at(-1)!;
  const stepsKnown = forecast?.cost.rates.tries !== undefined;
  let done = 0;
  return {
    now({ begun }) {
      const turn = upTo[begun]! - done;
      const open = stepsKnown && turn > 0 ? turn * asDone(meter.open(done) / turn) : 0;
      return all > 0 ? (done + open) / all : 0;
    },
    finished(entries) {
      for (const id of new Set(entries.map((entry) => entry.id))) done += expected.get(id) ?? 0;
    },
  };
}
