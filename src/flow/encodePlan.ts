/** @file PlannedFact[] -> MemoryEntry[]: the stage of memorising that takes the time, checkpoint by checkpoint. */

import { groupBy } from "../lib/group.ts";
import { encodeFacts, type EncodeProgress } from "../memory/encode.ts";
import { learnedAmong } from "../memory/learnedStart.ts";
import { cutFacts, type Part } from "../memory/parts.ts";
import { expectedWork } from "../plan/cost.ts";
import type { CostModel } from "../records/cost.ts";
import type { PlannedFact } from "../records/fact.ts";
import type { FactId } from "../records/ids.ts";
import type { Memory, MemoryEntry } from "../records/memory.ts";
import type { Progress } from "../records/progress.ts";
import type { Store } from "../store/port.ts";
import { cachedFacts, keepFacts } from "./cachedFacts.ts";
import { Checkpoints } from "./checkpoints.ts";
import type { FlowContext } from "./context.ts";
import { EncodeMeter } from "./encodeMeter.ts";
import type { Timed } from "./timed.ts";
import { readBack, topOne } from "./readBack.ts";
import { writtenParts } from "./written.ts";
import { asKept, holdsWords, sealed } from "./wordless.ts";

/**
 * Encodes and stores batch by batch, and asks the soft read, where that is the memory's, what it says. Gives `memory`
 * with the new entries behind its own, how many facts came from the cache, and what the others took. A memory that is to keep no words is written whole in the end,
 * without those of the facts that are encoded: also where the run was stopped, and after a crash by the run that takes
 * over.
 */
export async function encodePlan(
  context: FlowContext,
  memory: Memory,
  planned: readonly PlannedFact[],
  timed: Timed,
): Promise<{ readonly memory: Memory; readonly cached: number; readonly cost: CostModel }> {
  const made: MemoryEntry[] = [];
  const soFar = (): Memory => ({ ...memory, entries: [...memory.entries, ...made] });
  try {
    const encoded = await timed("encode", () => encodeNew(context, memory, planned, made));
    const soft = context.params.read === "soft";
    const judged = soft ? await timed("readBack", () => readBack(context, soFar())) : await topOne(context, soFar()); // prettier-ignore
    const whole = await seal(context.store, judged);
    await context.store.tidy();
    return { ...encoded, memory: whole };
  } catch (error) {
    // The first error is the one to tell; what is left here is taken out by the next run.
    await seal(context.store, soFar()).catch(() => undefined);
    throw error;
  }
}

/** Stores the facts of `planned` that the cache has, turn by turn, adds them to `made`, and says which they are. */
async function takeCached(
  context: FlowContext,
  memory: Memory,
  planned: readonly PlannedFact[],
  made: MemoryEntry[],
): Promise<ReadonlySet<FactId>> {
  const cached = new Set<FactId>();
  const total = planned.length;
  for await (const facts of cachedFacts(context, memory, planned)) {
    const entries = facts.flat().map((entry) => asKept(memory, entry));
    if (entries.length > 0) await context.store.append({ entries });
    made.push(...entries);
    for (const { id } of entries) cached.add(id);
    context.onProgress?.({ stage: "encode", done: cached.size, total, note: "known from before" });
  }
  return cached;
}

/** Facts from the cache, then those that it lacks; all their entries go to `made`. */
async function encodeNew(
  context: FlowContext,
  memory: Memory,
  planned: readonly PlannedFact[],
  made: MemoryEntry[],
): Promise<{ readonly cached: number; readonly cost: CostModel }> {
  const cached = await takeCached(context, memory, planned, made);
  const missing = planned.filter(({ fact }) => !cached.has(fact.id));
  const meter = new EncodeMeter(context.engine.model, context.now);
  const taught = made.slice(-TAUGHT_PARTS * missing.length);
  const known = { ...memory, entries: [...memory.entries, ...taught] };
  await encodeAll(context, known, missing, meter, made);
  context.onProgress?.({ stage: "encode", done: planned.length, total: planned.length });
  return { cached: cached.size, cost: meter.taken() };
}

/**
 * Parts from the cache that the learned start is taught by, for each fact that is to be encoded: of one changed among
 * 265, encoding took 22 s behind all the parts of the others, 10 s behind 32 (on a busy machine).
 */
const TAUGHT_PARTS = 32;

/** The memory as it is kept: where words are left that should go, it is stored anew without them. */
async function seal(store: Store, memory: Memory): Promise<Memory> {
  if (!holdsWords(memory)) return memory;
  const wordless = sealed(memory);
  await store.save(wordless);
  return wordless;
}

/** Adds the entries to `made` as they are stored. What is finished is stored however it ends. */
async function encodeAll(
  context: FlowContext,
  memory: Memory,
  planned: readonly PlannedFact[],
  meter: EncodeMeter,
  made: MemoryEntry[],
): Promise<void> {
  const { engine, store, params, onProgress, signal } = context;
  const facts = planned.map(({ fact }) => fact);
  const parts = await cutFacts(engine, facts, params, signal);
  const learns = params.warmStart === "learned" && planned.length > 0 && memory.entries.length > 0;
  const written = learns ? await writtenParts(engine, memory, signal) : [];
  const share = shareOf(context, expectedWorks(context, planned, parts, written.length), meter);
  const byId = new Map(planned.map((one) => [one.fact.id, one]));
  const finished = encodeFacts(engine, planned, params, {
    layers: memory.layers,
    written,
    parts,
    soon: memory.entries.length === 0,
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
    for (const entry of entries) made.push(entry);
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
  readonly finished: (entries: readonly MemoryEntry[]) => void;
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
