/**
 * @file The guided steps of Eq. 3 for the parts of one layer, in batches: a part leaves its batch when every target is
 * hit (or it is out of steps), and the next one takes its place.
 */

import type { Encoder, EncoderOptions, EncodeRow, Engine } from "../engine/engine.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { mean } from "../lib/stats.ts";
import type { MethodParams } from "../records/params.ts";
import type { Job } from "./job.ts";
import type { LearnedStart } from "./learnedStart.ts";
import { MOMENTS, stopsWhenExact } from "./schedule.ts";

/** Follows the batches of a run. */
export interface Follower {
  began(): void;
  /** @param jobs of the step; @param loss their mean before it */
  stepped(jobs: readonly Job[], loss: number): void;
}

/** Finished parts are verified this many at a time. */
const VERIFIED_PARTS = 16;
/** Others take the places of finished jobs when this share of the rows is free; where nobody waits, when the rest is. */
const FREE_SHARE = 1 / 4;

/** Jobs that are being stepped together, by row; some may be finished already. */
interface Batch {
  readonly encoder: Encoder;
  readonly jobs: Job[];
  /** What it has room for. */
  readonly room: Room;
}

type Room = NonNullable<EncoderOptions["room"]>;

/** Who is told of the steps, what new jobs start from (zero, where nothing is learnt), and how to stop. */
export interface OptimiseOptions {
  readonly follower: Follower;
  readonly start: LearnedStart | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The guided steps of jobs that it takes from `waiting`. Yields them in groups as they finish. */
export async function* optimise(
  engine: Engine,
  waiting: Job[],
  params: MethodParams,
  { follower, start, signal }: OptimiseOptions,
): AsyncGenerator<Job[]> {
  const finished: Job[] = [];
  let batch: Batch | undefined;
  const begin = async (fresh: readonly Job[]): Promise<void> => {
    await readKeys(engine, fresh);
    if (start) await beginFrom(start, fresh, engine, signal);
  };
  const activeOf = (jobs: readonly Job[]): Job[] => jobs.filter((job) => !isFinished(job, params));
  try {
    while (waiting.length > 0 || (batch && activeOf(batch.jobs).length > 0)) {
      throwIfCancelled(signal, "memory: encoding");
      const active = batch ? activeOf(batch.jobs) : [];
      if (!batch || isOutgrown(batch, active, waiting, engine, params)) {
        const jobs = [...active, ...take(waiting, active, engine, params)];
        await begin(jobs.slice(active.length));
        batch?.encoder.dispose();
        batch = undefined;
        batch = await openWith(engine, jobs, waiting, params);
        follower.began();
      } else {
        const fresh = takeFitting(waiting, batch.room, batch.jobs.length - active.length);
        await begin(fresh);
        await giveRows(batch, fresh, params);
      }
      const stepped = activeOf(batch.jobs);
      await round(batch, waiting.length, params, follower, signal);
      finished.push(...stepped.filter((job) => isFinished(job, params)));
      while (finished.length >= VERIFIED_PARTS) yield finished.splice(0, VERIFIED_PARTS);
    }
    if (finished.length > 0) yield finished;
  } finally {
    batch?.encoder.dispose();
  }
}

/** Opens a batch with room for those of `waiting` as well that are no longer than its longest. */
async function openWith(
  engine: Engine,
  jobs: Job[],
  waiting: readonly Job[],
  params: MethodParams,
): Promise<Batch> {
  const room: Room = {
    prefix: Math.max(...[...jobs, ...waiting].map(({ prompt }) => prompt.keyPosition)),
    targets: Math.max(...jobs.map(({ targets }) => targets.length)),
  };
  return { encoder: await openBatch(engine, jobs, params, room), jobs, room };
}

/** Puts `fresh` into rows whose jobs are finished. */
async function giveRows(
  { encoder, jobs }: Batch,
  fresh: readonly Job[],
  params: MethodParams,
): Promise<void> {
  const free = jobs.flatMap((job, row) => (isFinished(job, params) ? [row] : []));
  await encoder.replace(fresh.map((job, i) => ({ row: free[i]!, fact: encodeRow(job) })));
  for (const [i, job] of fresh.entries()) jobs[free[i]!] = job;
}

/**
 * Whether another batch serves better than this one with newcomers in it: where most rows would stand empty, those who
 * wait do not fit, or are so much shorter that more of them would fit side by side.
 */
function isOutgrown(
  { jobs, room }: Batch,
  active: readonly Job[],
  waiting: readonly Job[],
  engine: Engine,
  params: MethodParams,
): boolean {
  const next = waiting[0];
  if (!next || active.length === 0) return true;
  if (!fits(next, room)) return true;
  const longest = Math.max(next.targets.length, ...active.map(({ targets }) => targets.length));
  const rows = Math.min(rowsOf(longest, engine, params), active.length + waiting.length);
  return rows < jobs.length / 2 || rows > jobs.length * 1.5 || longest <= room.targets / 2;
}

/** Rows of a batch whose longest value has so many tokens. */
const rowsOf = (tokens: number, { encodeTokens }: Engine, { encodeBatch }: MethodParams): number =>
  Math.max(1, Math.min(encodeBatch, Math.floor(encodeTokens / tokens)));

const fits = ({ targets, prompt }: Job, room: Room): boolean =>
  targets.length <= room.targets && prompt.keyPosition <= room.prefix;

/** Takes at most `count` of those who wait first, up to one that does not fit: halves may have longer prompts. */
function takeFitting(waiting: Job[], room: Room, count: number): Job[] {
  const wide = waiting.findIndex((job) => !fits(job, room));
  return waiting.splice(0, wide < 0 ? count : Math.min(wide, count));
}

/** Takes the next facts for a batch that holds `active` already; they wait in descending length. */
function take(waiting: Job[], active: readonly Job[], engine: Engine, params: MethodParams): Job[] {
  const longest = Math.max(...[...active, ...waiting.slice(0, 1)].map(({ targets }) => targets.length));
  return waiting.splice(0, Math.max(0, rowsOf(longest, engine, params) - active.length));
}

/** Steps of one fact before it is tested. */
const guidedSteps = (params: MethodParams): number =>
  stopsWhenExact(params) ? params.steps + params.refine : params.steps;

const isFinished = (job: Job, params: MethodParams): boolean =>
  job.steps >= guidedSteps(params) || (stopsWhenExact(params) && job.hit) || hasStalled(job, params);

/** Steps before which no part is given up: the first ones of a part that comes to nothing look like any other's. */
const LEAST_STEPS = 14;
/** The loss must fall to this share of its lowest within so many steps. */
const PROGRESS = 0.9;
const PATIENCE = 8;

/** Whether a part that can be halved makes no progress. */
function hasStalled({ losses, targets, joins }: Job, params: MethodParams): boolean {
  if (!stopsWhenExact(params) || params.partTokens === null) return false;
  if (targets.length === 1 || joins.length > 0) return false;
  const before = losses.length - PATIENCE;
  if (before < 1 || losses.length < LEAST_STEPS) return false;
  return Math.min(...losses.slice(before)) > PROGRESS * Math.min(...losses.slice(0, before));
}

async function readKeys(engine: Engine, jobs: readonly Job[]): Promise<void> {
  if (jobs.length === 0) return;
  const layer = jobs[0]!.layer;
  const readings = await engine.readKeys(
    jobs.map((job) => job.prompt),
    [layer],
  );
  for (const [i, job] of jobs.entries()) job.reading = readings[i]![0]!;
}

/** Gives jobs that have not begun what the memory has learnt to start from. What is joined behind another is no part. */
async function beginFrom(
  start: LearnedStart,
  jobs: readonly Job[],
  { model }: Engine,
  signal: AbortSignal | undefined,
): Promise<void> {
  const parts = jobs.filter(({ joins }) => joins.length === 0);
  if (parts.length === 0) return;
  const features = await start.read(parts, signal);
  for (const [i, job] of parts.entries()) {
    job.features = features[i]!;
    const delta = start.next(job.layer, job.features);
    if (!delta) continue;
    job.started = "learned";
    job.state = { delta, m: new Float32Array(model.dModel), v: new Float32Array(model.dModel) };
  }
}

/** Steps for the jobs of a batch that are not finished, until enough rows are free for those who wait. */
async function round(
  { encoder, jobs }: Batch,
  waiting: number,
  params: MethodParams,
  follower: Follower,
  signal: AbortSignal | undefined,
): Promise<void> {
  const finished = (job: Job): boolean => isFinished(job, params);
  const active = jobs.filter((job) => !finished(job));
  const wanted =
    waiting > 0
      ? Math.min(waiting, Math.max(1, Math.floor(jobs.length * FREE_SHARE)))
      : jobs.length - Math.floor(active.length * FREE_SHARE);
  do {
    throwIfCancelled(signal, "memory: encoding");
    await step(encoder, jobs, params, follower, { stop: stopsWhenExact(params), done: finished });
  } while (jobs.filter(finished).length < wanted);
  await collect(encoder, jobs, active);
}

const encodeRow = ({ prompt, targets, state }: Job): EncodeRow => ({
  prompt,
  targets,
  ...(state ? { state } : {}),
});

export const openBatch = (
  engine: Engine,
  jobs: readonly Job[],
  params: MethodParams,
  room?: Room,
): Promise<Encoder> =>
  engine.openEncoder(jobs.map(encodeRow), {
    layer: jobs[0]!.layer,
    ...MOMENTS[params.schedule],
    ...(room ? { room } : {}),
  });

interface StepMode {
  /** Freeze a job as soon as all its targets are hit. */
  readonly stop: boolean;
  /** Jobs that only sit in the batch. */
  readonly done: (job: Job) => boolean;
}

/** One step for all jobs; a frozen one does not age. */
export async function step(
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
  const active = [...jobs.keys()].filter((i) => !idle[i]);
  follower.stepped(
    active.map((i) => jobs[i]!),
    mean(active.map((i) => result.losses[i]!)),
  );
}

/** Takes over where `jobs`' rows stand; with `only`, the rows of those among them. */
export async function collect(
  encoder: Encoder,
  jobs: readonly Job[],
  only: readonly Job[] = jobs,
): Promise<void> {
  const states = await encoder.state();
  for (const [i, job] of jobs.entries()) if (only.includes(job)) job.state = states[i]!;
}
