/** @file What becomes of parts whose guided steps are over: free-running decoding, and refinement of what failed. */

import type { Engine } from "../engine/engine.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import { toFloat16 } from "../lib/vectorForms.ts";
import type { MethodParams } from "../records/params.ts";
import { sameTokens, tokenF1 } from "./fidelity.ts";
import type { Job } from "./job.ts";
import { collect, openBatch, step, type Follower } from "./optimise.ts";
import { stopsWhenExact } from "./schedule.ts";

/** What free running makes of a job's residual. */
export interface Verdict {
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
      draft: targets,
    })),
  );
  return decoded.map((tokens, i) => ({
    exact: sameTokens(tokens, jobs[i]!.targets),
    fidelity: tokenF1(tokens, jobs[i]!.targets),
    decoded: tokens,
  }));
}

/** A part whose steps are over. */
export interface Concluded {
  readonly job: Job;
  readonly verdict: Verdict;
}

/** Free-running test, and refinement of what failed. */
export async function conclude(
  engine: Engine,
  jobs: readonly Job[],
  params: MethodParams,
  follower: Follower,
  signal: AbortSignal | undefined,
): Promise<Concluded[]> {
  asStored(jobs, params);
  const verdicts = await verify(engine, jobs);
  const failed = jobs.filter((_, i) => !verdicts[i]!.exact);
  if (failed.length > 0 && params.refine > 0 && !stopsWhenExact(params)) {
    for (let i = 0; i < failed.length; i += params.encodeBatch) {
      await refine(engine, failed.slice(i, i + params.encodeBatch), params, follower, signal);
    }
    asStored(failed, params);
    const refined = await verify(engine, failed);
    for (const [i, job] of failed.entries()) verdicts[jobs.indexOf(job)] = refined[i]!;
  }
  return jobs.map((job, i) => ({ job, verdict: verdicts[i]! }));
}

/** Gives jobs the δ that will be stored: what is judged is what is kept. */
function asStored(jobs: readonly Job[], { vectors }: MethodParams): void {
  if (vectors === "float32") return;
  for (const job of jobs) job.state = { ...job.state!, delta: toFloat16(job.state!.delta) };
}

/** Refinement steps: the model is fed its own words with the current δ. */
async function refine(
  engine: Engine,
  jobs: readonly Job[],
  params: MethodParams,
  follower: Follower,
  signal: AbortSignal | undefined,
): Promise<void> {
  const encoder = await openBatch(engine, jobs, params);
  follower.began();
  try {
    for (let i = 0; i < params.refine; i++) {
      throwIfCancelled(signal, "memory: refinement");
      await collect(encoder, jobs);
      await encoder.feed((await verify(engine, jobs)).map(({ decoded }) => decoded));
      await step(encoder, jobs, params, follower, { stop: false, done: () => false });
    }
    await collect(encoder, jobs);
  } finally {
    encoder.dispose();
  }
}
