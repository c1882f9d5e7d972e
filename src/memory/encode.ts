/**
 * @file Memory encoding, stage 3 of the paper: every planned fact becomes a key and a residual. Facts of one layer
 * are optimised in batches; a fact leaves its batch when it is exact (or out of steps) and the next one takes its
 * place; free-running decoding then decides what is reported, and failed facts are refined.
 */

import type { AdamState, Encoder, Engine, KeyReading, RecallPrompt } from "../engine/engine.ts";
import { assert, throwIfCancelled, type AbortSignalLike } from "../lib/assert.ts";
import { groupBy } from "../lib/group.ts";
import type { PlannedFact } from "../records/fact.ts";
import type { MemoryEntry } from "../records/memory.ts";
import type { MethodParams } from "../records/params.ts";
import { sameTokens, tokenF1 } from "./fidelity.ts";
import { recallPrompt, valueTokens } from "./prompt.ts";

export interface EncodeOptions {
  readonly signal?: AbortSignalLike;
  readonly onProgress?: (progress: EncodeProgress) => void;
}

/** Where encoding stands; `loss` is the mean over the running batch. */
export interface EncodeProgress {
  readonly done: number;
  readonly total: number;
  readonly layer: number;
  readonly loss: number;
}

/** One fact on its way. */
interface Job {
  readonly planned: PlannedFact;
  readonly prompt: RecallPrompt;
  readonly targets: readonly number[];
  reading: KeyReading | undefined;
  state: AdamState | undefined;
  steps: number;
  losses: number[];
  /** Every target was the argmax at the last look. */
  hit: boolean;
}

/** Steps between two looks at who has finished: short enough to waste little, long enough to pay for a new batch. */
const ROUND_STEPS = 6;
/** Finished facts are verified (and handed out as a checkpoint) this many at a time. */
const CHECKPOINT_FACTS = 16;

/**
 * Encodes `facts` layer by layer and yields finished entries in groups: each group is a checkpoint.
 * A fact that stays inexact is yielded with its honest fidelity.
 * @throws when a fact does not fit the model's window, and Cancelled when the signal fires
 */
export async function* encodeFacts(
  engine: Engine,
  facts: readonly PlannedFact[],
  params: MethodParams,
  options: EncodeOptions = {},
): AsyncGenerator<MemoryEntry[]> {
  let done = 0;
  const jobs = facts.map((planned) => makeJob(engine, planned));
  for (const group of batchable(jobs)) {
    const layer = group[0]!.planned.layer;
    const report = (loss: number) => options.onProgress?.({ done, total: facts.length, layer, loss });
    for await (const finished of optimise(engine, group, params, report, options.signal)) {
      const entries = await conclude(engine, finished, params, options.signal);
      done += entries.length;
      yield entries;
    }
  }
}

function makeJob(engine: Engine, planned: PlannedFact): Job {
  const { fact } = planned;
  const prompt = recallPrompt(engine, fact);
  const targets = valueTokens(engine, fact, prompt, fact.value);
  return { planned, prompt, targets, reading: undefined, state: undefined, steps: 0, losses: [], hit: false };
}

/** Jobs that may share a batch (same layer, same number of tokens behind the key), shortest values first. */
function batchable(jobs: readonly Job[]): Job[][] {
  const groups = groupBy(
    jobs,
    (job) => `${job.planned.layer} ${job.prompt.ids.length - job.prompt.keyPosition}`,
  );
  return [...groups.values()].map((group) => group.toSorted((a, b) => a.targets.length - b.targets.length));
}

/** The guided steps. Yields jobs in groups as they finish. */
async function* optimise(
  engine: Engine,
  jobs: readonly Job[],
  params: MethodParams,
  report: (loss: number) => void,
  signal: AbortSignalLike | undefined,
): AsyncGenerator<Job[]> {
  const waiting = [...jobs];
  let active: Job[] = [];
  let finished: Job[] = [];
  while (waiting.length > 0 || active.length > 0) {
    throwIfCancelled(signal, "memory: encoding");
    const fresh = waiting.splice(0, params.encodeBatch - active.length);
    await readKeys(engine, fresh);
    active.push(...fresh);
    report(await round(engine, active, params));
    finished.push(...active.filter((job) => isFinished(job, params)));
    active = active.filter((job) => !isFinished(job, params));
    if (finished.length >= CHECKPOINT_FACTS || (active.length === 0 && waiting.length === 0)) {
      yield finished;
      finished = [];
    }
  }
}

const isFinished = (job: Job, params: MethodParams): boolean =>
  job.steps >= params.steps || (params.earlyStop && job.hit);

async function readKeys(engine: Engine, jobs: readonly Job[]): Promise<void> {
  if (jobs.length === 0) return;
  const layer = jobs[0]!.planned.layer;
  const readings = await engine.readKeys(jobs.map((job) => job.prompt), [layer]); // prettier-ignore
  for (const [i, job] of jobs.entries()) job.reading = readings[i]![0]!;
}

/** A few steps for the active batch; returns the mean loss of its last step. */
async function round(engine: Engine, active: readonly Job[], params: MethodParams): Promise<number> {
  const encoder = await open(engine, active, params);
  try {
    const steps = params.earlyStop
      ? Math.min(ROUND_STEPS, ...active.map((j) => params.steps - j.steps))
      : params.steps;
    let loss = 0;
    for (let i = 0; i < steps; i++) {
      loss = await step(encoder, active, params, params.earlyStop);
      if (params.earlyStop && active.every((job) => job.hit)) break;
    }
    await collect(encoder, active);
    return loss;
  } finally {
    encoder.dispose();
  }
}

const open = (engine: Engine, jobs: readonly Job[], params: MethodParams): Promise<Encoder> =>
  engine.openEncoder(
    jobs.map(({ prompt, targets, state }) => ({ prompt, targets, ...(state ? { state } : {}) })),
    { layer: jobs[0]!.planned.layer, beta1: params.beta1, beta2: params.beta2, epsilon: params.epsilon },
  );

/** One step for all jobs; a job that is frozen because all its targets are hit does not age. */
async function step(
  encoder: Encoder,
  jobs: readonly Job[],
  params: MethodParams,
  stop: boolean,
): Promise<number> {
  const result = await encoder.step(
    jobs.map((job) => ({
      rate: params.learningRate,
      step: job.steps + 1,
      limit: params.clamp === null ? Infinity : params.clamp * job.reading!.downNorm,
      stop,
    })),
  );
  for (const [i, job] of jobs.entries()) {
    const loss = result.losses[i]!;
    assert(
      Number.isFinite(loss),
      () =>
        `memory: the loss of "${job.planned.fact.value}" became ${loss}; lower the learning rate (${params.learningRate})`,
    );
    job.hit = result.hits[i]!.every(Boolean);
    if (stop && job.hit) continue;
    job.losses.push(loss);
    job.steps++;
  }
  return result.losses.reduce((sum, loss) => sum + loss, 0) / jobs.length;
}

async function collect(encoder: Encoder, jobs: readonly Job[]): Promise<void> {
  const states = await encoder.state();
  for (const [i, job] of jobs.entries()) job.state = states[i]!;
}

/** What free running makes of a job's residual. */
interface Verdict {
  readonly exact: boolean;
  readonly fidelity: number;
  readonly decoded: readonly number[];
}

async function verify(engine: Engine, jobs: readonly Job[]): Promise<Verdict[]> {
  const decoded = await engine.recall(
    jobs.map(({ prompt, planned, state, targets }) => ({
      prompt,
      injection: { layer: planned.layer, residual: state!.delta },
      tokens: targets.length,
    })),
  );
  return decoded.map((tokens, i) => ({
    exact: sameTokens(tokens, jobs[i]!.targets),
    fidelity: tokenF1(tokens, jobs[i]!.targets),
    decoded: tokens,
  }));
}

/** Free-running test, refinement of what failed, and the entries with their reports. */
async function conclude(
  engine: Engine,
  jobs: readonly Job[],
  params: MethodParams,
  signal: AbortSignalLike | undefined,
): Promise<MemoryEntry[]> {
  const verdicts = await verify(engine, jobs);
  const failed = jobs.filter((_, i) => !verdicts[i]!.exact);
  if (failed.length > 0 && params.refine > 0) {
    const guided = new Map(
      failed.map((job) => [job, { state: job.state!, verdict: verdicts[jobs.indexOf(job)]! }]),
    );
    for (let i = 0; i < failed.length; i += params.encodeBatch) {
      throwIfCancelled(signal, "memory: refinement");
      await refine(engine, failed.slice(i, i + params.encodeBatch), params);
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
  return jobs.map((job, i) => makeEntry(job, verdicts[i]!));
}

/** Refinement steps: u is what the model itself says with the current δ (paper), or v again. */
async function refine(engine: Engine, jobs: readonly Job[], params: MethodParams): Promise<void> {
  const encoder = await open(engine, jobs, params);
  try {
    for (let i = 0; i < params.refine; i++) {
      if (params.refineOn === "own words") {
        await collect(encoder, jobs);
        await encoder.feed((await verify(engine, jobs)).map(({ decoded }) => decoded));
      }
      await step(encoder, jobs, params, params.refineOn === "the value");
    }
    await collect(encoder, jobs);
  } finally {
    encoder.dispose();
  }
}

function makeEntry(
  { planned: { fact, layer }, reading, state, targets, steps, losses }: Job,
  verdict: Verdict,
): MemoryEntry {
  const norm = Math.sqrt(reading!.activation.reduce((sum, a) => sum + a * a, 0));
  assert(
    norm > 0,
    () => `memory: the key activation of "${fact.anchor} (${fact.index})" at layer ${layer} is zero`,
  );
  const residual = state!.delta;
  return {
    id: fact.id,
    documentId: fact.documentId,
    anchor: fact.anchor,
    index: fact.index,
    offset: fact.offset,
    layer,
    tokens: targets.length,
    key: reading!.activation.map((a) => a / norm),
    residual,
    report: {
      steps,
      exact: verdict.exact,
      fidelity: verdict.fidelity,
      deltaNorm: Math.sqrt(residual.reduce((sum, d) => sum + d * d, 0)),
      losses,
    },
  };
}
