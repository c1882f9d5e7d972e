/** @file The memorization phase: Document[] -> read -> plan -> index -> encode -> Memory. */

import { assert } from "../lib/assert.ts";
import { isKnown, NO_WORK, secondsOf, stageRates, totalOf } from "../plan/cost.ts";
import type { CostModel, StageSeconds, Workload } from "../records/cost.ts";
import { countFacts, type MemoryOutline, type SourceInfo } from "../records/memory.ts";
import type { MemoryPlan } from "../records/plan.ts";
import type { MemorizeStage, Progress } from "../records/progress.ts";
import type { Document } from "../records/source.ts";
import { outlineOf, type KeptMemory } from "../records/vectors.ts";
import { storeIndexed } from "./beginning.ts";
import { withCentres } from "./centres.ts";
import type { FlowContext } from "./context.ts";
import { encodePlan } from "./encodePlan.ts";
import { checkFits, withoutKnown } from "./extend.ts";
import { factsByRule } from "./forecast.ts";
import { foreseeUntried } from "./foresee.ts";
import { indexFacts } from "./indexFacts.ts";
import { checkRoom, planMemory, withParts } from "./planMemory.ts";
import { costElsewhere } from "./probe.ts";
import { readTexts, type ReadText } from "./readTexts.ts";
import { counted } from "./remembered.ts";
import { RunClock } from "./runClock.ts";
import { stageClock } from "./timed.ts";
import { factWork, partCount, readBackWork } from "./workload.ts";
import { learntFrom } from "./written.ts";

/** What a run did, and what is said of the memory now; the vectors are in the store. */
export interface MemorizeReport {
  readonly plan: MemoryPlan;
  readonly memory: MemoryOutline;
  /** Entries of the memory that were stored before; those after them are of this run. */
  readonly before: number;
  /** Facts of this run that the cache had. */
  readonly cached: number;
  readonly milliseconds: Readonly<Partial<Record<MemorizeStage, number>>>;
  /** Seconds that the first forecast gave it; null where there was none. */
  readonly expected: number | null;
  /** What its stages took, for the next forecast. */
  readonly cost: CostModel;
}

/**
 * Reads `documents` into the store, adding to what it already holds. After it returns no source text is needed.
 * Finished facts are stored every few seconds (checkpoints.ts), so a crash loses those of the last ones and the facts that
 * are under way, at most one turn of `encodeFacts`: {@link resume} goes on, and so does the next call. Of the vectors that
 * are stored it reads those that a start is learnt from (written.ts); where more changes than comes on top, they go by in blocks.
 * @throws when nothing can be read from the documents, when the store belongs to another model or is full, and
 * Cancelled; before the first fact is encoded the store is unchanged then
 */
export async function memorize(
  context: FlowContext,
  documents: readonly Document[],
): Promise<MemorizeReport> {
  assert(documents.length > 0, () => "flow: there is no document to memorise");
  return write(context, await context.store.open(), documents);
}

/** Encodes what an interrupted {@link memorize} left; null where nothing is stored. */
export async function resume(context: FlowContext): Promise<MemorizeReport | null> {
  const stored = await context.store.open();
  return stored && write(context, stored, []);
}

async function write(
  context: FlowContext,
  opened: KeptMemory | null,
  documents: readonly Document[],
): Promise<MemorizeReport> {
  const given = foreseeing(context);
  const stored = opened && outlineOf(opened);
  const fresh = withoutKnown(documents, stored);
  if (stored) checkFits(stored, given.engine);
  if (stored && fresh.length > 0) checkRoom(given, stored);
  const { timed, milliseconds } = stageClock(given.now);
  const clock = new RunClock(given.now, given.forecast?.seconds);
  const { hits, ...cache } = counted(given.cache);
  const asked = clocked({ ...given, ...cache }, clock);
  const texts = await timed("read", () => readTexts(asked, fresh));
  const { forecast } = given;
  if (forecast && !forecast.seconds && isKnown(forecast.cost) && given.onProgress)
    clock.expect(await foreseen(asked, texts, stored, forecast.cost), forecast.elsewhere);
  const readBefore = documents.filter((document) => !fresh.includes(document)).map(({ title }) => title);
  const plan = { ...(await planMemory(asked, stored, texts, timed)), known: readBefore };
  const running = withParts(asked, plan);
  const work = plannedWork(running, plan, stored?.entries.length ?? 0);
  const ahead = forecast && secondsOf(forecast.cost, { ...NO_WORK, ...work.ahead }, given.engine.model);
  clock.expect(ahead, forecast?.elsewhere);
  const indexed = await withCentres(running, await indexFacts(running, stored, plan, timed), plan.planned);
  // Before anything is stored: what was opened is gone then.
  const learns = running.params.warmStart === "learned" && plan.planned.length > 0;
  const learnt = opened && learns ? await learntFrom(opened, plan.evicted) : [];
  // Where nothing is new there is nothing to begin.
  if (indexed !== stored) await storeIndexed(running.store, stored, indexed);
  const { planned } = plan;
  const encoded = await encodePlan(running, { memory: indexed, planned, learnt }, timed);
  // Of what came from the cache nothing is learnt but that it was there.
  const staged = hits() > 0 ? {} : stageRates(work.all, seconds(milliseconds), given.engine.model);
  return {
    plan,
    memory: encoded.memory,
    before: indexed.entries.length,
    cached: encoded.cached,
    milliseconds,
    expected: forecast?.seconds ? totalOf(forecast.seconds) : null,
    cost: { ...encoded.cost, rates: { ...staged, ...encoded.cost.rates } },
  };
}

/** `context` that goes by what a run took when the model was made, where none was made here yet. */
function foreseeing(context: FlowContext): FlowContext {
  const { engine, params, forecast } = context;
  const cost = forecast && !isKnown(forecast.cost) && costElsewhere(engine, params);
  return cost ? { ...context, forecast: { ...forecast, cost, elsewhere: true } } : context;
}

/** Seconds by stage of storing texts that were just read; undefined where there is none, or `cost` says too little. */
async function foreseen(
  context: FlowContext,
  texts: readonly ReadText[],
  stored: MemoryOutline | null,
  cost: CostModel,
): Promise<StageSeconds | undefined> {
  if (texts.length === 0) return undefined;
  const candidates = texts.flatMap((text) => text.candidates);
  const found = {
    ...{ seconds: 0, characters: 0, candidates },
    facts: await factsByRule(candidates, context.params),
  };
  const head = stored && { ...stored, facts: countFacts(stored.entries), vectors: stored.entries.length };
  return foreseeUntried(context, found, head, cost);
}

/** `context` whose reports say how far the run is as a whole. */
function clocked(context: FlowContext, clock: RunClock): FlowContext {
  const { onProgress, forecast } = context;
  if (!onProgress || !forecast) return context;
  return {
    ...context,
    onProgress(line) {
      onProgress({ ...line, run: clock.at(line.stage, doneOf(line)) });
    },
  };
}

/** The share of its stage's work that is done. What the cache had is no part of the work that encoding was foreseen to be. */
function doneOf({ stage, done, total, encode }: Progress): number {
  if (encode) return encode.share;
  if (stage === "encode") return done === total ? 1 : 0;
  return total ? done / total : 0;
}

/** What the whole run does, and what of it is still ahead once it is planned. */
function plannedWork(
  { engine, params, probed = [] }: FlowContext,
  { sources, layerPlan, planned, retained }: MemoryPlan,
  stored: number,
): { readonly all: Workload; readonly ahead: Omit<Workload, "characters" | "proposals" | "probes"> } {
  const sum = (of: (source: SourceInfo) => number): number =>
    sources.reduce((n, source) => n + of(source), 0);
  const { parts } = factWork(engine, planned, params, stored);
  const fresh = new Set(retained.map(({ id }) => id));
  // What an interrupted run left is indexed already.
  const ahead = {
    ...factWork(
      engine,
      planned.filter(({ fact }) => fresh.has(fact.id)),
      params,
      stored,
    ),
    parts,
    readBack: readBackWork(params, stored + partCount(parts)),
  };
  const choices = layerPlan?.choices.map(({ layer }) => layer) ?? [];
  return {
    ahead,
    all: {
      ...ahead,
      characters: sum(({ characters }) => characters),
      proposals: params.anchors === "model" ? sum(({ candidates }) => candidates) : 0,
      probes: choices.filter((layer) => !probed.some((probe) => probe.layer === layer)),
    },
  };
}

const seconds = (milliseconds: MemorizeReport["milliseconds"]): StageSeconds =>
  Object.fromEntries(Object.entries(milliseconds).map(([stage, time]) => [stage, time / 1000]));
