/**
 * @file The guided steps of Eq. 3 for the parts of one layer, in batches: a part leaves its batch when every target is
 * hit (or it is out of steps), and the next one takes its place.
 */

import type { Encoder, Engine } from "../engine/engine.ts";
import { assert, throwIfCancelled } from "../lib/assert.ts";
import type { MethodParams } from "../records/params.ts";
import type { Job } from "./job.ts";

/** Follows the batches of a run. */
export interface Follower {
  began(): void;
  stepped(facts: number, loss: number): void;
}

/** Finished parts are verified this many at a time. */
const VERIFIED_PARTS = 16;
/** Steps between two looks at who has finished: short enough to waste little, long enough to pay for a new batch. */
const ROUND_STEPS = 6;

/** Jobs that are being stepped together; some may be finished already. */
interface Batch {
  readonly encoder: Encoder;
  readonly jobs: readonly Job[];
}

/** The guided steps of jobs that it takes from `waiting`. Yields them in groups as they finish. */
export async function* optimise(
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
        batch = { encoder: await openBatch(engine, active, params), jobs: active };
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
export const goesOn = ({ refineOn, earlyStop }: MethodParams): boolean =>
  earlyStop && refineOn === "the value";

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

export const openBatch = (engine: Engine, jobs: readonly Job[], params: MethodParams): Promise<Encoder> =>
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
export async function collect(
  encoder: Encoder,
  jobs: readonly Job[],
  only: readonly Job[] = jobs,
): Promise<void> {
  const states = await encoder.state();
  for (const [i, job] of jobs.entries()) if (only.includes(job)) job.state = states[i]!;
}
