/** @file The guided steps of Eq. 3 for parts of one layer, in batches whose free rows go to the next parts, and their test. */

import type { Encoder, EncoderOptions } from "../engine/engine.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import { chunks } from "../lib/group.ts";
import { mean } from "../lib/stats.ts";
import { sameTokens } from "./fidelity.ts";
import type { Encoding, Job } from "./job.ts";
import { MOMENTS, stopsWhenExact } from "./parts.ts";

const VERIFIED_PARTS = 16;
/** Share of free rows at which waiting jobs take them; without waiting jobs, the share of rows that may stay active. */
const FREE_SHARE = 1 / 4;

interface Batch {
  readonly encoder: Encoder;
  readonly jobs: Job[];
  readonly room: Room;
}

type Room = NonNullable<EncoderOptions["room"]>;

export async function* optimise(run: Encoding, waiting: Job[]): AsyncGenerator<Job[]> {
  const { params } = run;
  const finished: Job[] = [];
  let batch: Batch | undefined;
  const activeOf = (jobs: readonly Job[] = []): Job[] => jobs.filter((job) => !job.isFinished(params));
  try {
    while (waiting.length > 0 || activeOf(batch?.jobs).length > 0) {
      throwIfCancelled(run.signal, "memory: encoding");
      const active = activeOf(batch?.jobs);
      if (!batch || isOutgrown(run, batch, active, waiting)) {
        const jobs = [...active, ...take(run, waiting, active)];
        await begin(run, jobs.slice(active.length));
        batch?.encoder.dispose();
        batch = undefined;
        // Room for every waiting job that has no more targets than the longest.
        const room: Room = {
          prefix: Math.max(...[...jobs, ...waiting].map(({ prompt }) => prompt.keyPosition)),
          targets: Math.max(...jobs.map(({ targets }) => targets.length)),
        };
        batch = { encoder: await openBatch(run, jobs, room), jobs, room };
        run.observer.batchBegan();
      } else await giveRows(run, batch, takeFitting(waiting, batch.room, batch.jobs.length - active.length));
      const stepped = activeOf(batch.jobs);
      await round(run, batch, stepped, waiting.length);
      finished.push(...stepped.filter((job) => job.isFinished(params)));
      while (finished.length >= VERIFIED_PARTS) yield finished.splice(0, VERIFIED_PARTS);
    }
    if (finished.length > 0) yield finished;
  } finally {
    batch?.encoder.dispose();
  }
}

async function giveRows(run: Encoding, { encoder, jobs }: Batch, fresh: readonly Job[]): Promise<void> {
  await begin(run, fresh);
  const free = jobs.flatMap((job, row) => (job.isFinished(run.params) ? [row] : []));
  await encoder.replace(fresh.map((job, i) => ({ row: free[i]!, fact: job.row })));
  for (const [i, job] of fresh.entries()) jobs[free[i]!] = job;
}

function isOutgrown(run: Encoding, { jobs, room }: Batch, active: readonly Job[], waiting: readonly Job[]) {
  const next = waiting[0];
  if (!next || active.length === 0 || !fits(next, room)) return true;
  const longest = Math.max(next.targets.length, ...active.map(({ targets }) => targets.length));
  const rows = Math.min(rowsOf(run, longest), active.length + waiting.length);
  return rows < jobs.length / 2 || rows > jobs.length * 1.5 || longest <= room.targets / 2;
}

const rowsOf = ({ engine, params }: Encoding, tokens: number): number =>
  Math.max(1, Math.min(params.encodeBatch, Math.floor(engine.encodeTokens / tokens)));

const fits = ({ targets, prompt }: Job, room: Room): boolean =>
  targets.length <= room.targets && prompt.keyPosition <= room.prefix;

/** Takes at most `count` waiting jobs, up to the first that does not fit: halves may have longer prompts. */
function takeFitting(waiting: Job[], room: Room, count: number): Job[] {
  const wide = waiting.findIndex((job) => !fits(job, room));
  return waiting.splice(0, wide < 0 ? count : Math.min(wide, count));
}

function take(run: Encoding, waiting: Job[], active: readonly Job[]): Job[] {
  const longest = Math.max(...[...active, ...waiting.slice(0, 1)].map(({ targets }) => targets.length));
  return waiting.splice(0, Math.max(0, rowsOf(run, longest) - active.length));
}

async function begin({ learned, signal }: Encoding, jobs: readonly Job[]): Promise<void> {
  if (!learned || jobs.length === 0) return;
  const features = await learned.read(jobs, signal);
  for (const [i, job] of jobs.entries()) {
    job.features = features[i]!;
    const delta = learned.next(job.layer, job.features);
    if (delta) job.startAt(delta, "learned");
  }
}

async function round(run: Encoding, { encoder, jobs }: Batch, active: readonly Job[], waiting: number) {
  const isFinished = (job: Job): boolean => job.isFinished(run.params);
  const wanted =
    waiting > 0
      ? Math.min(waiting, Math.max(1, Math.floor(jobs.length * FREE_SHARE)))
      : jobs.length - Math.floor(active.length * FREE_SHARE);
  do {
    throwIfCancelled(run.signal, "memory: encoding");
    await step(run, encoder, jobs, isFinished);
  } while (jobs.filter(isFinished).length < wanted);
  await collect(encoder, jobs, active);
}

const openBatch = ({ engine, params }: Encoding, jobs: readonly Job[], room?: Room): Promise<Encoder> =>
  engine.openEncoder(
    jobs.map(({ row }) => row),
    {
      ...{ layer: jobs[0]!.layer, ...MOMENTS[params.schedule] },
      margin: ROUNDED * params.margin,
      ...(room ? { room } : {}),
    },
  );

/** One step for all jobs but the `idle` ones. Under our schedule a job is frozen as soon as all its targets are hit. */
async function step(
  { params, observer }: Encoding,
  encoder: Encoder,
  jobs: readonly Job[],
  idle: (job: Job) => boolean,
): Promise<void> {
  const stop = stopsWhenExact(params);
  const active = [...jobs.entries()].filter(([, job]) => !idle(job));
  const steps = jobs.map((job) => ({ rate: idle(job) ? 0 : params.learningRate, step: job.steps + 1, stop }));
  const { losses, hits } = await encoder.step(steps);
  for (const [i, job] of active) {
    if (!Number.isFinite(losses[i]))
      throw new Error(
        `memory: the loss of "${job.fact.planned.fact.value}" became ${losses[i]}; lower the learning rate (${params.learningRate})`,
      );
    job.stepped(losses[i]!, hits[i]!.every(Boolean), stop);
  }
  observer.stepped(
    active.map(([, job]) => job),
    mean(active.map(([i]) => losses[i]!)),
  );
}

async function collect(encoder: Encoder, jobs: readonly Job[], only: readonly Job[] = jobs): Promise<void> {
  const states = await encoder.state();
  for (const [i, job] of jobs.entries()) if (only.includes(job)) job.state = states[i]!;
}

/** Margins that Adam aims at: rounding δ to its stored form takes some of it away. */
const ROUNDED = 2;

/** Logits by which every token must lead for free decoding to be certain: it adds in another order than the check. */
const SURE_MARGIN = 1e-3;

export interface Verified {
  readonly job: Job;
  readonly exact: boolean;
}

export async function verify(run: Encoding, jobs: readonly Job[]): Promise<Verified[]> {
  const { params } = run;
  const verified = await test(run, jobs);
  const failed = verified.flatMap(({ job, exact }) => (exact ? [] : [job]));
  if (failed.length === 0 || params.refine === 0 || stopsWhenExact(params)) return verified;
  for (const some of chunks(failed, params.encodeBatch)) await refine(run, some);
  const refined = new Map((await test(run, failed)).map((one) => [one.job, one]));
  return verified.map((one) => refined.get(one.job) ?? one);
}

/** With a margin a part is exact if every token leads by it, without one if free decoding gives its tokens. */
async function test(run: Encoding, jobs: readonly Job[]): Promise<Verified[]> {
  const { engine, params, signal } = run;
  for (const job of jobs) job.round(params);
  const checked = await engine.check(
    jobs.map(({ prompt, layer, delta, targets }) => ({
      ...{ prompt, targets },
      injection: { layer, residual: delta },
    })),
    signal,
  );
  for (const [i, job] of jobs.entries()) job.checked = checked[i]!;
  const leads = ({ checked: found }: Job): boolean => found!.margin > Math.max(params.margin, SURE_MARGIN);
  const near = params.margin > 0 ? [] : jobs.filter((job) => !leads(job));
  const tokens = await said(run, near);
  const exact = new Set(near.filter(({ targets }, i) => sameTokens(tokens[i]!, targets)));
  return jobs.map((job) => ({ job, exact: leads(job) || exact.has(job) }));
}

export const said = ({ engine, signal }: Encoding, jobs: readonly Job[]): Promise<number[][]> =>
  engine.recall(
    jobs.map(({ prompt, layer, delta, targets }) => ({
      ...{ prompt, injection: { layer, residual: delta } },
      tokens: targets.length,
    })),
    signal,
  );

/** Refinement steps: the targets are what the model itself decodes with the current δ. */
async function refine(run: Encoding, jobs: readonly Job[]): Promise<void> {
  const encoder = await openBatch(run, jobs);
  run.observer.batchBegan();
  try {
    for (let i = 0; i < run.params.refine; i++) {
      throwIfCancelled(run.signal, "memory: refinement");
      await collect(encoder, jobs);
      await encoder.feed(await said(run, jobs));
      await step(run, encoder, jobs, () => false);
    }
    await collect(encoder, jobs);
  } finally {
    encoder.dispose();
  }
}
