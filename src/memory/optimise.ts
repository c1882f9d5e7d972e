/**
 * @file The guided steps of Eq. 3 for the parts of one layer, in batches. A part leaves its batch when every target is hit or
 * its steps are used up, and the next one takes its row.
 */

import type { Encoder, EncoderOptions, Engine } from "../engine/engine.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import { mean } from "../lib/stats.ts";
import type { MethodParams } from "../records/params.ts";
import type { Job } from "./job.ts";
import type { LearnedStart } from "./learnedStart.ts";
import { MOMENTS, stopsWhenExact } from "./schedule.ts";

/** Observer of the steps of a run. */
export interface StepListener {
  batchBegan(): void;
  /** @param jobs that took part; @param loss their mean loss before the step */
  stepped(jobs: readonly Job[], loss: number): void;
}

/** Finished parts that are verified together. */
const VERIFIED_PARTS = 16;
/** Share of free rows at which waiting jobs take them; without waiting jobs, the share of rows that may stay active. */
const FREE_SHARE = 1 / 4;

/** Jobs that are stepped together, by row; some may be finished. */
interface Batch {
  readonly encoder: Encoder;
  readonly jobs: Job[];
  readonly room: Room;
}

type Room = NonNullable<EncoderOptions["room"]>;

export interface OptimiseOptions {
  readonly listener: StepListener;
  /** Undefined: every job starts at zero. */
  readonly start: LearnedStart | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Takes jobs from `waiting`, runs their guided steps, and yields them in groups as they finish. */
export async function* optimise(
  engine: Engine,
  waiting: Job[],
  params: MethodParams,
  options: OptimiseOptions,
): AsyncGenerator<Job[]> {
  const { listener, signal } = options;
  const finished: Job[] = [];
  let batch: Batch | undefined;
  const activeOf = (jobs: readonly Job[]): Job[] => jobs.filter((job) => !job.isFinished(params));
  try {
    while (waiting.length > 0 || (batch && activeOf(batch.jobs).length > 0)) {
      throwIfCancelled(signal, "memory: encoding");
      const active = batch ? activeOf(batch.jobs) : [];
      if (!batch || isOutgrown(batch, active, waiting, engine, params)) {
        const jobs = [...active, ...take(waiting, active, engine, params)];
        await begin(engine, jobs.slice(active.length), options);
        batch?.encoder.dispose();
        batch = undefined;
        batch = await openWith(engine, jobs, waiting, params);
        listener.batchBegan();
      } else {
        const fresh = takeFitting(waiting, batch.room, batch.jobs.length - active.length);
        await begin(engine, fresh, options);
        await giveRows(batch, fresh, params);
      }
      const stepped = activeOf(batch.jobs);
      await round(batch, waiting.length, params, listener, signal);
      finished.push(...stepped.filter((job) => job.isFinished(params)));
      while (finished.length >= VERIFIED_PARTS) yield finished.splice(0, VERIFIED_PARTS);
    }
    if (finished.length > 0) yield finished;
  } finally {
    batch?.encoder.dispose();
  }
}

/** Opens a batch with room for every waiting job that has no more targets than its longest. */
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
  const free = jobs.flatMap((job, row) => (job.isFinished(params) ? [row] : []));
  await encoder.replace(fresh.map((job, i) => ({ row: free[i]!, fact: job.row })));
  for (const [i, job] of fresh.entries()) jobs[free[i]!] = job;
}

/**
 * Whether a new batch is better than new jobs in this one: most rows would be empty, the waiting jobs do not fit, or they are
 * so short that more of them would fit together.
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

/** Rows of a batch whose longest part has `tokens` tokens. */
const rowsOf = (tokens: number, { encodeTokens }: Engine, { encodeBatch }: MethodParams): number =>
  Math.max(1, Math.min(encodeBatch, Math.floor(encodeTokens / tokens)));

const fits = ({ targets, prompt }: Job, room: Room): boolean =>
  targets.length <= room.targets && prompt.keyPosition <= room.prefix;

/** Takes at most `count` waiting jobs, up to the first that does not fit: halves may have longer prompts. */
function takeFitting(waiting: Job[], room: Room, count: number): Job[] {
  const wide = waiting.findIndex((job) => !fits(job, room));
  return waiting.splice(0, wide < 0 ? count : Math.min(wide, count));
}

/** Takes the next jobs for a batch that holds `active`; they wait in descending length. */
function take(waiting: Job[], active: readonly Job[], engine: Engine, params: MethodParams): Job[] {
  const longest = Math.max(...[...active, ...waiting.slice(0, 1)].map(({ targets }) => targets.length));
  return waiting.splice(0, Math.max(0, rowsOf(longest, engine, params) - active.length));
}

/** Reads the keys of jobs, and gives them what the learned start predicts. */
async function begin(
  engine: Engine,
  jobs: readonly Job[],
  { start, signal }: Pick<OptimiseOptions, "start" | "signal">,
): Promise<void> {
  if (jobs.length === 0) return;
  const { layer } = jobs[0]!;
  const readings = await engine.readKeys(
    jobs.map((job) => job.prompt),
    [layer],
  );
  for (const [i, job] of jobs.entries()) job.begin(readings[i]![0]!);
  if (!start) return;
  const features = await start.read(jobs, signal);
  for (const [i, job] of jobs.entries()) {
    job.features = features[i]!;
    const delta = start.next(layer, job.features);
    if (delta) job.startAt(delta);
  }
}

/** Steps the unfinished jobs of a batch until enough rows are free for waiting jobs. */
async function round(
  { encoder, jobs }: Batch,
  waiting: number,
  params: MethodParams,
  listener: StepListener,
  signal: AbortSignal | undefined,
): Promise<void> {
  const finished = (job: Job): boolean => job.isFinished(params);
  const active = jobs.filter((job) => !finished(job));
  const wanted =
    waiting > 0
      ? Math.min(waiting, Math.max(1, Math.floor(jobs.length * FREE_SHARE)))
      : jobs.length - Math.floor(active.length * FREE_SHARE);
  do {
    throwIfCancelled(signal, "memory: encoding");
    await step(encoder, jobs, params, listener, { stop: stopsWhenExact(params), done: finished });
  } while (jobs.filter(finished).length < wanted);
  await collect(encoder, jobs, active);
}

export const openBatch = (
  engine: Engine,
  jobs: readonly Job[],
  params: MethodParams,
  room?: Room,
): Promise<Encoder> =>
  engine.openEncoder(
    jobs.map(({ row }) => row),
    {
      layer: jobs[0]!.layer,
      ...MOMENTS[params.schedule],
      ...(room ? { room } : {}),
    },
  );

interface StepMode {
  /** Freeze a job as soon as all its targets are hit. */
  readonly stop: boolean;
  /** Jobs that are not stepped any more. */
  readonly done: (job: Job) => boolean;
}

/** One step for all jobs. */
export async function step(
  encoder: Encoder,
  jobs: readonly Job[],
  params: MethodParams,
  listener: StepListener,
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
        `memory: the loss of "${job.fact.planned.fact.value}" became ${loss}; lower the learning rate (${params.learningRate})`,
    );
    job.stepped(loss, result.hits[i]!.every(Boolean), stop);
  }
  const active = [...jobs.keys()].filter((i) => !idle[i]);
  listener.stepped(
    active.map((i) => jobs[i]!),
    mean(active.map((i) => result.losses[i]!)),
  );
}

/** Copies the optimiser states of the rows to their jobs, or to `only` some of them. */
export async function collect(
  encoder: Encoder,
  jobs: readonly Job[],
  only: readonly Job[] = jobs,
): Promise<void> {
  const states = await encoder.state();
  for (const [i, job] of jobs.entries()) if (only.includes(job)) job.state = states[i]!;
}
