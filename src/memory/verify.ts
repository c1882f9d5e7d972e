/** @file The test of parts after their guided steps: free-running decoding, and refinement of parts that fail it. */

import type { Engine } from "../engine/engine.ts";
import { throwIfCancelled } from "../lib/assert.ts";
import type { MethodParams } from "../records/params.ts";
import { sameTokens, tokenF1 } from "./fidelity.ts";
import type { Job } from "./job.ts";
import { collect, openBatch, step, type StepListener } from "./optimise.ts";
import { stopsWhenExact } from "./schedule.ts";

/** Result of free-running decoding. */
export interface Verdict {
  readonly exact: boolean;
  readonly fidelity: number;
  readonly decoded: readonly number[];
}

async function decode(engine: Engine, jobs: readonly Job[]): Promise<Verdict[]> {
  const decoded = await engine.recall(
    jobs.map(({ prompt, layer, delta, targets }) => ({
      prompt,
      injection: { layer, residual: delta },
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

/** A part with its test. */
export interface Verified {
  readonly job: Job;
  readonly verdict: Verdict;
}

/** Tests parts in their stored form, and refines those that fail under the paper's schedule. */
export async function verify(
  engine: Engine,
  jobs: readonly Job[],
  params: MethodParams,
  listener: StepListener,
  signal: AbortSignal | undefined,
): Promise<Verified[]> {
  for (const job of jobs) job.round(params);
  const verdicts = await decode(engine, jobs);
  const failed = jobs.filter((_, i) => !verdicts[i]!.exact);
  if (failed.length > 0 && params.refine > 0 && !stopsWhenExact(params)) {
    for (let i = 0; i < failed.length; i += params.encodeBatch) {
      await refine(engine, failed.slice(i, i + params.encodeBatch), params, listener, signal);
    }
    for (const job of failed) job.round(params);
    const refined = await decode(engine, failed);
    for (const [i, job] of failed.entries()) verdicts[jobs.indexOf(job)] = refined[i]!;
  }
  return jobs.map((job, i) => ({ job, verdict: verdicts[i]! }));
}

/** Refinement steps: the targets are what the model itself decodes with the current δ. */
async function refine(
  engine: Engine,
  jobs: readonly Job[],
  params: MethodParams,
  listener: StepListener,
  signal: AbortSignal | undefined,
): Promise<void> {
  const encoder = await openBatch(engine, jobs, params);
  listener.batchBegan();
  try {
    for (let i = 0; i < params.refine; i++) {
      throwIfCancelled(signal, "memory: refinement");
      await collect(encoder, jobs);
      await encoder.feed((await decode(engine, jobs)).map(({ decoded }) => decoded));
      await step(encoder, jobs, params, listener, { stop: false, done: () => false });
    }
    await collect(encoder, jobs);
  } finally {
    encoder.dispose();
  }
}
