/**
 * @file Memory encoding, stage 3 of the paper: every part of a planned fact becomes a key and a residual. Parts of one
 * layer are optimised in batches; a part leaves its batch when it is exact (or out of steps) and the next one takes its
 * place; free-running decoding then decides what is reported, failed parts are refined, and what stays inexact is
 * halved where values are stored in parts at all.
 */

import type { AdamState, Encoder, Engine, KeyReading } from "../engine/engine.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import { norm, unit } from "../lib/vector.ts";
import { keyText, type PlannedFact } from "../records/fact.ts";
import type { LayerIndex } from "../records/ids.ts";
import type { MemoryEntry } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import { sameTokens, tokenF1 } from "./fidelity.ts";
import { halved, partsOf, type Part } from "./parts.ts";
import { recallPrompt } from "./prompt.ts";
import { batchable, enqueue, nextOf } from "./queue.ts";

export interface EncodeOptions {
  /** Where else a single token may go that its own layer cannot say. */
  readonly layers?: readonly LayerIndex[];
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: EncodeProgress) => void;
}

/** Where encoding stands, told after every step. */
export interface EncodeProgress {
  /** Facts that are encoded, and all of them. */
  readonly done: number;
  readonly total: number;
  readonly layer: LayerIndex;
  /** Which batch of the run this is, from 1. */
  readonly batch: number;
  /** Parts of facts that took part in the step. */
  readonly facts: number;
  /** Eq. 3, mean over the parts, before each step of this batch so far. */
  readonly losses: readonly number[];
}

/** Follows the batches of a run. */
interface Follower {
  began(): void;
  stepped(facts: number, loss: number): void;
}

/** A fact of which some parts are encoded. */
interface Whole {
  readonly planned: PlannedFact;
  readonly entries: MemoryEntry[];
  /** Parts that are not encoded yet. */
  open: number;
  /** The highest s in use. */
  parts: number;
  /** What could not be said alone was tried behind what precedes it. */
  mended: boolean;
}

/** One part of a fact on its way. */
interface Job extends Part {
  readonly whole: Whole;
  readonly layer: LayerIndex;
  /** Layers where it stayed inexact. */
  readonly tried: readonly LayerIndex[];
  /** Entries whose place it takes if it is exact. */
  readonly joins: readonly MemoryEntry[];
  reading: KeyReading | undefined;
  state: AdamState | undefined;
  steps: number;
  losses: number[];
  /** Every target was the argmax at the last look. */
  hit: boolean;
}

/** Steps between two looks at who has finished: short enough to waste little, long enough to pay for a new batch. */
const ROUND_STEPS = 6;
/** Finished parts are verified this many at a time. */
const VERIFIED_PARTS = 16;
/**
 * Facts are taken in turns of this many: parts of like length share a batch within a turn, and what a crash can lose
 * is the unfinished facts of one.
 */
const TURN_FACTS = 256;

/**
 * Encodes `facts` layer by layer and yields the entries of finished facts in groups: each group is a checkpoint, and
 * all entries of a fact are in one. A part that stays inexact and cannot be halved (see `partTokens`) is yielded with
 * its honest fidelity.
 * @throws when a part does not fit the model's window, and Cancelled when the signal fires
 */
export async function* encodeFacts(
  engine: Engine,
  facts: readonly PlannedFact[],
  params: MethodParams,
  options: EncodeOptions = {},
): AsyncGenerator<MemoryEntry[]> {
  let [done, batch] = [0, 0];
  for (const turn of chunks(facts, TURN_FACTS)) {
    const queue = batchable(turn.flatMap((planned) => jobsOf(engine, planned, params)));
    for (let waiting = nextOf(queue); waiting; waiting = nextOf(queue)) {
      const { layer } = waiting[0]!;
      let losses: number[] = [];
      const follower: Follower = {
        began() {
          batch++;
          losses = [];
        },
        stepped(active, loss) {
          losses.push(loss);
          options.onProgress?.({
            done,
            total: facts.length,
            layer,
            batch,
            facts: active,
            losses: [...losses],
          });
        },
      };
      for await (const finished of optimise(engine, waiting, params, follower, options.signal)) {
        const concluded = await conclude(engine, finished, params, follower, options.signal);
        const wholes = concluded.flatMap((one) => settle(engine, one, params, options.layers ?? [], queue));
        done += wholes.length;
        if (wholes.length > 0) yield wholes.flatMap(({ entries }) => entries);
      }
    }
  }
}

function jobsOf(engine: Engine, planned: PlannedFact, params: MethodParams): Job[] {
  const parts = partsOf(engine, planned.fact, params.partTokens);
  const whole: Whole = { planned, entries: [], open: parts.length, parts: parts.length, mended: false };
  return parts.map((part) => makeJob(whole, part, planned.layer));
}

const makeJob = (whole: Whole, part: Part, layer: LayerIndex, tried: readonly LayerIndex[] = []): Job => ({
  ...part,
  whole,
  layer,
  tried,
  joins: [],
  reading: undefined,
  state: undefined,
  steps: 0,
  losses: [],
  hit: false,
});

/** A part whose steps are over becomes an entry, or others take its place. Gives the fact where it is complete now. */
function settle(
  engine: Engine,
  { job, verdict }: Concluded,
  params: MethodParams,
  layers: readonly LayerIndex[],
  queue: Job[][],
): Whole[] {
  const { whole } = job;
  const others = verdict.exact || params.partTokens === null ? [] : inPlaceOf(engine, job, layers);
  whole.open += others.length - 1;
  if (others.length === 0) {
    const back = !verdict.exact && job.joins.length > 0;
    whole.entries.push(...(back ? job.joins : [makeEntry(engine, job, verdict)]));
  }
  if (whole.open === 0 && !whole.mended && params.partTokens !== null) others.push(...mending(engine, whole));
  for (const other of others) enqueue(queue, other);
  if (whole.open > 0) return [];
  whole.entries.sort((a, b) => a.start - b.start);
  return [whole];
}

/**
 * Tokens that no layer says as the first of a part are tried behind the exact part that precedes them. Takes those
 * entries out of a complete fact; they come back where that is not exact either.
 */
function mending(engine: Engine, whole: Whole): Job[] {
  whole.mended = true;
  if (whole.entries.every(({ report }) => report.exact)) return [];
  const { fact } = whole.planned;
  const groups: MemoryEntry[][] = [];
  for (const entry of whole.entries.toSorted((a, b) => a.start - b.start)) {
    if (entry.report.exact) groups.push([entry]);
    else groups.at(-1)?.push(entry);
  }
  const tokens = partsOf(engine, fact, null)[0]!.targets;
  const jobs = groups
    .filter((group) => group.length > 1)
    .map((joins): Job => {
      const [{ part, start, layer }, last] = [joins[0]!, joins.at(-1)!];
      const targets = tokens.slice(start, last.start + last.tokens);
      const prompt = recallPrompt(engine, { ...fact, part });
      return { ...makeJob(whole, { part, start, prompt, targets }, layer), joins };
    });
  const taken = new Set(jobs.flatMap(({ joins }) => joins));
  const left = whole.entries.filter((entry) => !taken.has(entry));
  whole.entries.splice(0, whole.entries.length, ...left);
  whole.open += jobs.length;
  return jobs;
}

/**
 * What is tried in place of an inexact part: its halves; for a single token, and for what was joined, the next of
 * `layers`, if one is left.
 */
function inPlaceOf(engine: Engine, job: Job, layers: readonly LayerIndex[]): Job[] {
  const { whole, layer, joins } = job;
  if (job.targets.length > 1 && joins.length === 0)
    return halved(engine, whole.planned.fact, job, ++whole.parts).map((half) => makeJob(whole, half, layer));
  const tried = [...job.tried, layer];
  const next = layers.find((other) => !tried.includes(other));
  return next === undefined ? [] : [{ ...makeJob(whole, job, next, tried), joins }];
}

/** Jobs that are being stepped together; some may be finished already. */
interface Batch {
  readonly encoder: Encoder;
  readonly jobs: readonly Job[];
}

/** The guided steps of jobs that it takes from `waiting`. Yields them in groups as they finish. */
async function* optimise(
  engine: Engine,
  waiting: Job[],
  params: MethodParams,
  follower: Follower,
  signal: AbortSignal | undefined,
): AsyncGenerator<Job[]> {
  const finished: Job[] = [];
  let active: Job[] = [];
  let batch: Batch | undefined;
  try {
    while (waiting.length > 0 || active.length > 0) {
      throwIfCancelled(signal, "memory: encoding");
      const room = waiting[0] ? rowsBeside(waiting[0], engine, params) - active.length : 0;
      if (!batch || isStale(batch, active, room)) {
        const fresh = take(waiting, active.length, engine, params);
        await readKeys(engine, fresh);
        active.push(...fresh);
        batch?.encoder.dispose();
        batch = { encoder: await open(engine, active, params), jobs: active };
        follower.began();
      }
      await round(batch, params, follower, signal);
      finished.push(...active.filter((job) => isFinished(job, params)));
      active = active.filter((job) => !isFinished(job, params));
      while (finished.length >= VERIFIED_PARTS) yield finished.splice(0, VERIFIED_PARTS);
    }
    if (finished.length > 0) yield finished;
  } finally {
    batch?.encoder.dispose();
  }
}

/**
 * Whether a new batch pays: what a batch cannot change is computed when it opens (encoder.ts), once for all rounds.
 * `room` counts the waiting facts that would fit beside the active ones.
 */
function isStale({ jobs }: Batch, active: readonly Job[], room: number): boolean {
  return active.length <= jobs.length / 4 || (room > 0 && room >= active.length / 3);
}

/** Rows of a batch whose longest value is that of `job`. */
function rowsBeside({ targets }: Job, { encodeTokens }: Engine, { encodeBatch }: MethodParams): number {
  return Math.max(1, Math.min(encodeBatch, Math.floor(encodeTokens / targets.length)));
}

/** Takes the next facts for a batch that holds `active` already; they wait in ascending length. */
function take(waiting: Job[], active: number, engine: Engine, params: MethodParams): Job[] {
  const taken: Job[] = [];
  while (waiting[0] && active + taken.length < rowsBeside(waiting[0], engine, params))
    taken.push(waiting.shift()!);
  return taken;
}

/** Refinement on the value itself only goes on where the guided steps end, for facts that did not stop: no phase. */
const goesOn = ({ refineOn, earlyStop }: MethodParams): boolean => earlyStop && refineOn === "the value";

/** Steps of one fact before it is tested. */
const guidedSteps = (params: MethodParams): number =>
  goesOn(params) ? params.steps + params.refine : params.steps;

const isFinished = (job: Job, params: MethodParams): boolean =>
  job.steps >= guidedSteps(params) || (params.earlyStop && job.hit);

async function readKeys(engine: Engine, jobs: readonly Job[]): Promise<void> {
  if (jobs.length === 0) return;
  const layer = jobs[0]!.layer;
  const readings = await engine.readKeys(jobs.map((job) => job.prompt), [layer]); // prettier-ignore
  for (const [i, job] of jobs.entries()) job.reading = readings[i]![0]!;
}

/** A few steps for the jobs of a batch that are not finished. */
async function round(
  { encoder, jobs }: Batch,
  params: MethodParams,
  follower: Follower,
  signal: AbortSignal | undefined,
): Promise<void> {
  const active = jobs.filter((job) => !isFinished(job, params));
  const left = Math.min(...active.map((job) => guidedSteps(params) - job.steps));
  const steps = params.earlyStop ? Math.min(ROUND_STEPS, left) : left;
  for (let i = 0; i < steps; i++) {
    throwIfCancelled(signal, "memory: encoding");
    await step(encoder, jobs, params, follower, {
      stop: params.earlyStop,
      done: (job) => isFinished(job, params),
    });
    if (params.earlyStop && active.every((job) => job.hit)) break;
  }
  await collect(encoder, jobs, active);
}

const open = (engine: Engine, jobs: readonly Job[], params: MethodParams): Promise<Encoder> =>
  engine.openEncoder(
    jobs.map(({ prompt, targets, state }) => ({ prompt, targets, ...(state ? { state } : {}) })),
    {
      layer: jobs[0]!.layer,
      beta1: params.beta1,
      beta2: params.beta2,
      epsilon: params.epsilon,
    },
  );

interface StepMode {
  /** Freeze a job as soon as all its targets are hit. */
  readonly stop: boolean;
  /** Jobs that only sit in the batch. */
  readonly done: (job: Job) => boolean;
}

/** One step for all jobs; a frozen one does not age. */
async function step(
  encoder: Encoder,
  jobs: readonly Job[],
  params: MethodParams,
  follower: Follower,
  { stop, done }: StepMode,
): Promise<void> {
  const idle = jobs.map(done);
  const result = await encoder.step(
    jobs.map((job, i) => ({
      rate: idle[i] ? 0 : params.learningRate,
      step: job.steps + 1,
      limit: params.clamp === null ? Infinity : params.clamp * job.reading!.downNorm,
      stop,
    })),
  );
  for (const [i, job] of jobs.entries()) {
    if (idle[i]) continue;
    const loss = result.losses[i]!;
    assert(
      Number.isFinite(loss),
      () =>
        `memory: the loss of "${job.whole.planned.fact.value}" became ${loss}; lower the learning rate (${params.learningRate})`,
    );
    job.hit = result.hits[i]!.every(Boolean);
    if (stop && job.hit) continue;
    job.losses.push(loss);
    job.steps++;
  }
  const losses = result.losses.filter((_, i) => !idle[i]);
  follower.stepped(losses.length, losses.reduce((sum, loss) => sum + loss, 0) / losses.length);
}

/** Takes over where `jobs`' rows stand; with `only`, the rows of those among them. */
async function collect(encoder: Encoder, jobs: readonly Job[], only: readonly Job[] = jobs): Promise<void> {
  const states = await encoder.state();
  for (const [i, job] of jobs.entries()) if (only.includes(job)) job.state = states[i]!;
}

/** What free running makes of a job's residual. */
interface Verdict {
  readonly exact: boolean;
  readonly fidelity: number;
  readonly decoded: readonly number[];
}

async function verify(engine: Engine, jobs: readonly Job[]): Promise<Verdict[]> {
  const decoded = await engine.recall(
    jobs.map(({ prompt, layer, state, targets }) => ({
      prompt,
      injection: { layer, residual: state!.delta },
      tokens: targets.length,
    })),
  );
  return decoded.map((tokens, i) => ({
    exact: sameTokens(tokens, jobs[i]!.targets),
    fidelity: tokenF1(tokens, jobs[i]!.targets),
    decoded: tokens,
  }));
}

/** A part whose steps are over. */
interface Concluded {
  readonly job: Job;
  readonly verdict: Verdict;
}

/** Free-running test, and refinement of what failed. */
async function conclude(
  engine: Engine,
  jobs: readonly Job[],
  params: MethodParams,
  follower: Follower,
  signal: AbortSignal | undefined,
): Promise<Concluded[]> {
  const verdicts = await verify(engine, jobs);
  const failed = jobs.filter((_, i) => !verdicts[i]!.exact);
  if (failed.length > 0 && params.refine > 0 && !goesOn(params)) {
    const guided = new Map(
      failed.map((job) => [job, { state: job.state!, verdict: verdicts[jobs.indexOf(job)]! }]),
    );
    for (let i = 0; i < failed.length; i += params.encodeBatch) {
      await refine(engine, failed.slice(i, i + params.encodeBatch), params, follower, signal);
    }
    const refined = await verify(engine, failed);
    for (const [i, job] of failed.entries()) {
      const before = guided.get(job)!;
      // Refinement may lose what the guided steps had: the better of the two is kept.
      const better = refined[i]!.exact || refined[i]!.fidelity > before.verdict.fidelity;
      if (better) verdicts[jobs.indexOf(job)] = refined[i]!;
      else job.state = before.state;
    }
  }
  return jobs.map((job, i) => ({ job, verdict: verdicts[i]! }));
}

/** Refinement steps: u is what the model itself says with the current δ (paper), or v again. */
async function refine(
  engine: Engine,
  jobs: readonly Job[],
  params: MethodParams,
  follower: Follower,
  signal: AbortSignal | undefined,
): Promise<void> {
  const encoder = await open(engine, jobs, params);
  follower.began();
  try {
    for (let i = 0; i < params.refine; i++) {
      throwIfCancelled(signal, "memory: refinement");
      if (params.refineOn === "own words") {
        await collect(encoder, jobs);
        await encoder.feed((await verify(engine, jobs)).map(({ decoded }) => decoded));
      }
      await step(encoder, jobs, params, follower, {
        stop: params.refineOn === "the value",
        done: () => false,
      });
    }
    await collect(encoder, jobs);
  } finally {
    encoder.dispose();
  }
}

function makeEntry(
  engine: Engine,
  { whole, layer, part, start, reading, state, targets, steps, losses }: Job,
  verdict: Verdict,
): MemoryEntry {
  const { fact } = whole.planned;
  const { activation } = reading!;
  assert(
    norm(activation) > 0,
    () => `memory: the key activation of "${keyText(fact)}" at layer ${layer} is zero`,
  );
  const residual = state!.delta;
  return {
    id: fact.id,
    documentId: fact.documentId,
    anchor: fact.anchor,
    index: fact.index,
    offset: fact.offset,
    part,
    start,
    layer,
    tokens: targets.length,
    key: unit(activation),
    residual,
    report: {
      steps,
      exact: verdict.exact,
      fidelity: verdict.fidelity,
      recalled: verdict.exact ? null : engine.decode(verdict.decoded).trim(),
      deltaNorm: norm(residual),
      losses,
    },
  };
}
